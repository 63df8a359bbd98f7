/** Record patterns in conditions and loops, sequenced collections, and enhanced type inference at release 21. */
// since: 21
import java.util.ArrayList;
import java.util.List;

public class RecordPatterns {
    record Point(int x, int y) {
        Point {
            if (x < 0) { // count: 8
                throw new IllegalArgumentException(); // count: 1
            }
        }
    }

    record Line(Point from, Object to) {
    }

    static int length(Object o) {
        if (o instanceof Line(Point(var a, var b), Point(int c, int d)) && a <= c) { // count: 5
            return c - a + d - b; // count: 2
        }
        if (!(o instanceof Line(Point p, var rest))) { // count: 3
            return -1; // count: 1
        }
        return p.x() + (rest == null ? 0 : 1000); // count: 2
    }

    public static void main(String[] args) {
        List<Object> all = new ArrayList<>(List.of(new Line(new Point(1, 2), new Point(3, 5)), new Line(new Point(4, 4), new Point(1, 1)), "line"));
        all.addFirst(new Line(new Point(7, 7), null));
        all.addLast(new Line(new Point(1, 1), new Point(1, 2)));
        int sum = 0;
        for (Object o : all) {
            sum += length(o); // count: 5
        }
        try {
            sum += new Point(-1, 0).y(); // count: 1
        } catch (IllegalArgumentException e) {
            sum += 10000; // count: 1
        }
        System.out.println(sum + " " + all.reversed().getFirst());
    }
}
