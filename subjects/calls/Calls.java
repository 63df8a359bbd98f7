/** Next to nothing but calls: of a static method that calls itself, and of methods by interface on objects of three classes. */
public class Calls {
    interface Shape { int area(int by); }

    static class Square implements Shape { public int area(int by) { return by * by; } }

    static class Line implements Shape { public int area(int by) { return by; } }

    static class Point implements Shape { public int area(int by) { return 0; } }

    static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

    static int sum(Shape[] shapes, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) sum += shapes[i % shapes.length].area(i);
        return sum;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Shape[] shapes = {new Square(), new Line(), new Point(), new Line()};
        long sum = 0;
        for (int i = 0; i < n; i++) sum += fibonacci(24) + sum(shapes, 150_000);
        System.out.println(sum);
    }
}
