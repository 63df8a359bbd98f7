// The object decides what runs: a call depends on its receiver and on every method it may reach.
// slice: Dispatch.main(String[]).area at line 42
import java.util.function.IntUnaryOperator;

abstract class Shape {
    int colour = 4;                                 // out

    abstract int area();
}

class Square extends Shape {
    int side;

    Square(int side) {
        this.side = side;                           // in
    }

    int area() {
        return side * side;                         // in
    }
}

class Dot extends Shape {
    int area() {
        return 0;                                   // in
    }
}

class Never extends Shape {
    int area() {
        return 100;                                 // out
    }
}

class Dispatch {
    public static void main(String[] args) {
        int scale = args.length + 2;                // in
        int unused = scale * 3;                     // out
        IntUnaryOperator twice = x -> x * scale;    // in
        Shape shape = args.length > 3 ? new Dot() : new Square(5); // in
        shape.colour = unused;                      // out
        int area = twice.applyAsInt(shape.area());  // in
        System.out.println(area);                   // out
        System.out.println(shape.colour);           // out
    }
}
