/** Calls by calling method: static, private, inherited and overridden methods, constructors, an interface. After `java Callers 5`: */
public class Callers {
    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    static int few(int n) {
        return work(n);
    }

    static int many(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += work(i);
        }
        return sum + (n > 3 ? work(1) : 0);
    }

    static int down(int n) {
        return n == 0 ? 0 : down(n - 1);
    }

    interface Shape {
        int area();

        default int twice() {
            return 2 * area();
        }
    }

    static class Square implements Shape {
        final int side;

        Square(int side) {
            this.side = side;
        }

        public int area() {
            return side * side;
        }

        private int hidden() {
            return side;
        }

        int shown() {
            return hidden();
        }
    }

    static class Sheet extends Square {
        Sheet(int side) {
            super(side);
        }

        public int area() {
            return 2 * super.area();
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        few(n);
        many(n);
        down(n);
        for (int i = 0; i < n; i++) {
            Square square = i % 2 == 0 ? new Square(i) : new Sheet(i);
            square.area();
            square.twice();
            square.shown();
        }
        Shape none = n > 100 ? new Square(1) : null;
        try {
            none.area(); // counts as made, although there is no receiver
        } catch (NullPointerException e) {
            few(1);
        }
        Runnable lambda = () -> few(2);
        lambda.run();
    }
}
//= Callers.work(int) called from Callers.few(int) = 3
//= Callers.work(int) called from Callers.many(int) = 6
//= Callers.work(int) invocations = 9
//= Callers.few(int) called from Callers.main(String[]) = 2
//= Callers.few(int) invocations = 3
//= Callers.down(int) called from Callers.main(String[]) = 1
//= Callers.down(int) called from Callers.down(int) = 5
//= Callers$Square.<init>(int) called from Callers.main(String[]) = 3
//= Callers$Square.<init>(int) called from Callers$Sheet.<init>(int) = 2
//= Callers$Sheet.<init>(int) called from Callers.main(String[]) = 2
//= Callers$Square.area() called from Callers.main(String[]) = 5
//= Callers$Square.area() called from Callers$Sheet.area() = 4
//= Callers$Shape.area() called from Callers$Shape.twice() = 5
//= Callers$Shape.area() called from Callers.main(String[]) = 1
//= Callers$Shape.twice() called from Callers.main(String[]) = 5
//= Callers$Square.shown() called from Callers.main(String[]) = 5
//= Callers$Square.hidden() called from Callers$Square.shown() = 5
