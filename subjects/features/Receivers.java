/** Methods of a class, an abstract class, an interface and a class of the JDK's, on objects of their subclasses. What is invoked in order: the object's class, then the method. */
//> Receivers Receivers.main
//> Receivers$List Receivers$List.<init>
//> Receivers$Square Receivers$Square.<init>
//> Receivers$Base Receivers$Base.<init>
//> Receivers$Tall Receivers$Tall.<init>
//> Receivers$Square Receivers$Square.<init>
//> Receivers$Base Receivers$Base.<init>
//> Receivers$List Receivers$List.total
//> Receivers$Square Receivers$Shape.twice
//> Receivers$Square Receivers$Square.area
//> Receivers$Tall Receivers$Shape.twice
//> Receivers$Tall Receivers$Tall.area
//> Receivers$Tall Receivers$Square.area
public class Receivers {
    interface Shape {
        int area();

        default int twice() { return 2 * area(); }
    }

    static abstract class Base implements Shape {
        final int side;

        Base(int side) { this.side = side; }
    }

    static class Square extends Base {
        Square(int side) { super(side); }

        @Override public int area() { return side * side; }
    }

    static class Tall extends Square {
        Tall(int side) { super(side); }

        @Override public int area() { return super.area() + 1; }
    }

    static class List extends java.util.ArrayList<Shape> {
        List() { super(); }

        int total() {
            int total = 0;
            for (Shape shape : this) total += shape.twice();
            return total;
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        List list = new List();
        list.add(new Square(n));
        list.add(new Tall(n));
        System.out.println(list.total());
    }
}
