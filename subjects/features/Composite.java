/**
 * Recursion through a superclass and through an interface: the depth of each override is counted by itself. After `java Composite 5`, with
 * values recorded:
 */
public class Composite {
    interface Shape {
        int area();
    }

    abstract static class Node {
        abstract int sum();
    }

    static final class Leaf extends Node {
        @Override
        int sum() {
            return 1;
        }
    }

    static final class Pair extends Node {
        final Node left;
        final Node right;

        Pair(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        @Override
        int sum() {
            return left.sum() + right.sum();
        }
    }

    static final class Nest implements Shape {
        final Shape inner;

        Nest(Shape inner) {
            this.inner = inner;
        }

        @Override
        public int area() {
            return inner == null ? 1 : 1 + inner.area();
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Node node = new Leaf();
        Shape shape = null;
        for (int i = 0; i < n; i++) {
            node = new Pair(new Leaf(), node);
            shape = new Nest(shape);
        }
        System.out.println(node.sum() + shape.area());
    }
}
//= Composite$Pair.sum() depth = 5
//= Composite$Nest.area() depth = 5
//= Composite$Leaf.sum() depth = missing
//= Composite$Leaf.sum() invocations = 6
