/** Sealed hierarchies and instanceof patterns, switch expressions with yield. */
// since: 17
public class SealedPatterns {
    sealed interface Shape permits Circle, Box, Unit {
    }

    record Circle(int r) implements Shape {
    }

    record Box(int w, int h) implements Shape {
    }

    enum Unit implements Shape {
        ONE
    }

    static int area(Shape s) {
        if (s instanceof Circle c && c.r() > 1) { // count: 9
            return 3 * c.r() * c.r(); // count: 1
        } else if (s instanceof Box b) { // count: 8
            return b.w() * b.h(); // count: 3
        }
        return 1; // count: 5
    }

    static int kind(int n) {
        return switch (n % 3) { // count: 9
            case 0 -> 10; // count: 3
            case 1 -> {
                int t = n * n; // count: 3
                yield t + 1; // count: 3
            }
            default -> throw new IllegalArgumentException(); // count: 3
        };
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 9; i++) {
            Shape s = i % 3 == 0 ? new Circle(i / 3) : i % 3 == 1 ? new Box(i, 2) : Unit.ONE;
            sum += area(s); // count: 9
            try {
                sum += kind(i); // count: 9
            } catch (IllegalArgumentException e) {
                sum--; // count: 3
            }
        }
        System.out.println(sum);
    }
}
