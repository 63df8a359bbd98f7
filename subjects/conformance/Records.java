/** Records: compact constructor that throws, accessors, generated equals, hashCode and toString. */
// since: 17
import java.util.HashSet;
import java.util.Set;

public class Records {
    record Point(int x, int y) {
        Point {
            if (x < 0) { // count: 9
                throw new IllegalArgumentException("negative"); // count: 2
            }
        }

        Point(int both) {
            this(both, both); // count: 2
        }

        int norm() {
            return x * x + y * y; // count: 6
        }
    }

    record Named<T>(String name, T value) {
    }

    public static void main(String[] args) {
        int sum = 0;
        Set<Point> seen = new HashSet<>();
        for (int i = -2; i < 4; i++) {
            try {
                Point p = new Point(i, i * i); // count: 6
                seen.add(p); // count: 4
                sum += p.norm(); // count: 4
            } catch (IllegalArgumentException e) {
                sum++; // count: 2
            }
        }
        for (int i = 1; i < 3; i++) {
            Point p = new Point(i); // count: 2
            sum += p.norm() + (seen.contains(p) ? 1000 : 0); // count: 2
        }
        sum += new Named<>("n", 5).equals(new Named<>("n", 5)) ? 1 : 0;
        System.out.println(sum + " " + new Point(2, 3));
    }
}
