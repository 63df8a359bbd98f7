import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Recursion that no class sees by itself: through two classes, a lambda in a field, a library, constructors, an exception on the way. After `java Again 5`, with values
 * recorded and `--depths`; every method also counts its own depth, which the program prints.
 */
public class Again {
    /** What a method knows of itself. */
    static class Own {
        int now;
        int most;

        void in() {
            now++;
            most = Math.max(most, now);
        }

        void out() {
            now--;
        }
    }

    static final Own EVEN = new Own();
    static final Own ODD = new Own();
    static final Own LAMBDA = new Own();
    static final Own LIST = new Own();
    static final Own NODE = new Own();
    static final Own FAIL = new Own();

    static boolean even(int n) {
        EVEN.in();
        boolean result = n == 0 || Other.odd(n - 1);
        EVEN.out();
        return result;
    }

    static class Other {
        static boolean odd(int n) {
            ODD.in();
            boolean result = n != 0 && even(n - 1);
            ODD.out();
            return result;
        }

        static int fail(int n) {
            return Again.fail(n);
        }
    }

    static IntUnaryOperator sum;

    static void lambda(int n) {
        sum = k -> {
            LAMBDA.in();
            int result = k == 0 ? 0 : k + sum.applyAsInt(k - 1);
            LAMBDA.out();
            return result;
        };
        sum.applyAsInt(n);
    }

    /** A list whose elements are lists of such: `ArrayList.forEach` stands between. */
    static class Tree {
        final List<Tree> below = new ArrayList<>();

        void visit() {
            LIST.in();
            below.forEach(Tree::visit);
            LIST.out();
        }
    }

    static class Node {
        final Node next;

        Node(int n) {
            NODE.in();
            next = n > 1 ? new Node(n - 1) : null;
            NODE.out();
        }
    }

    /** Leaves by an exception at every level. */
    static int fail(int n) {
        FAIL.in();
        try {
            if (n == 1) {
                throw new IllegalStateException();
            }
            return Other.fail(n - 1);
        } finally {
            FAIL.out();
        }
    }

    static void say(String name, Own own) {
        System.out.println("value " + name + " depth " + own.most);
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        even(2 * n);
        lambda(n);
        Tree tree = new Tree();
        for (int i = 0; i < n; i++) {
            Tree above = new Tree();
            above.below.add(tree);
            tree = above;
        }
        tree.visit();
        new Node(n);
        for (int i = 1; i <= n; i++) {
            try {
                fail(i);
            } catch (IllegalStateException e) {
                even(1);
            }
        }
        say("Again.even(int)", EVEN);
        say("Again$Other.odd(int)", ODD);
        say("Again.lambda$lambda$0(int)", LAMBDA);
        say("Again$Tree.visit()", LIST);
        say("Again$Node.<init>(int)", NODE);
        say("Again.fail(int)", FAIL);
    }
}
//= Again.even(int) depth = 6
//= Again$Other.odd(int) depth = 5
//= Again.lambda$lambda$0(int) depth = 6
//= Again$Tree.visit() depth = 6
//= Again$Node.<init>(int) depth = 5
//= Again.fail(int) depth = 5
//= Again.lambda(int) depth = 1
//= Again$Own.in() depth = missing
