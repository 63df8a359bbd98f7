/** Switches over types, with guards, record patterns, enums and null, and one that no case takes. */
// since: 21
public class PatternSwitches {
    sealed interface Shape permits Circle, Box, Pair {
    }

    record Circle(int r) implements Shape {
    }

    record Box(int w, int h) implements Shape {
        public int h() {
            if (h == 13) { // count: 10
                throw new IllegalStateException(); // count: 1
            }
            return h; // count: 9
        }
    }

    record Pair(Shape a, Shape b) implements Shape {
    }

    enum Level {
        LOW, HIGH
    }

    static int area(Shape s) {
        return switch (s) { // count: 14
            case null -> -1;
            case Circle(int r) when r > 2 -> 3 * r * r;
            case Circle c -> c.r();
            case Box(int w, int h) when w == h -> w * w;
            case Box(int w, var h) -> w * h;
            case Pair(Circle(var r), Box(var w, var h)) -> r * w * h;
            case Pair(Shape a, Shape b) -> area(a) + area(b);
        };
    }

    static String kind(Object o) {
        return switch (o) { // count: 9
            case Integer i when i > 100 -> "large";
            case Integer i -> "int" + i;
            case String s when s.isEmpty() -> "empty";
            case String s -> s;
            case Level.LOW -> "low";
            case Level l -> "level" + l.ordinal();
            case int[] a -> "array" + a.length;
            default -> "other";
        };
    }

    public static void main(String[] args) {
        int sum = 0;
        Shape[] shapes = {null, new Circle(1), new Circle(3), new Box(2, 2), new Box(2, 5), new Pair(new Circle(2), new Box(3, 4)),
            new Pair(new Box(1, 1), new Circle(4)), new Pair(new Box(1, 9), new Circle(0)), new Box(13, 12)};
        for (Shape s : shapes) {
            sum += area(s); // count: 9
        }
        try {
            sum += area(new Pair(new Circle(1), new Box(1, 13))); // count: 1
        } catch (RuntimeException e) {
            sum += 5000; // count: 1
        }
        String text = "";
        Object[] objects = {1, 2, 101, "", "word", Level.LOW, Level.HIGH, new int[3], 2.5};
        for (Object o : objects) {
            text += kind(o); // count: 9
        }
        System.out.println(sum + text);
    }
}
