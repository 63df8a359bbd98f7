/** Varargs, generics with bridge methods, covariant returns. */
import java.util.Arrays;
import java.util.Comparator;

public class VarargsGenerics {
    static int compared;

    static class Node<T extends Comparable<T>> implements Comparable<Node<T>> {
        final T value;

        Node(T value) {
            this.value = value;
        }

        @Override
        public int compareTo(Node<T> other) {
            compared++; // count: 3
            return value.compareTo(other.value); // count: 3
        }

        Node<T> self() {
            return this;
        }
    }

    static class Special extends Node<Integer> {
        Special(int n) {
            super(n);
        }

        @Override
        Special self() {
            return this;
        }
    }

    static int sum(int... values) {
        int s = 0; // count: 3
        for (int v : values) { // count: 3
            s += v; // count: 4
        }
        return s; // count: 3
    }

    @SafeVarargs
    static <T> T last(T... values) {
        return values[values.length - 1]; // count: 3
    }

    public static void main(String[] args) {
        int total = sum() + sum(1) + sum(1, 2, 3);
        total += last(1, 2) + last("x", "y").length();
        try {
            last(); // count: 1
            total = 0; // count: 0
        } catch (ArrayIndexOutOfBoundsException e) {
            total += 10; // count: 1
        }
        Node<Integer> n = new Special(4);
        for (int i = 3; i < 6; i++) {
            Comparable<Node<Integer>> c = n.self();
            total += c.compareTo(new Special(i)); // count: 3
        }
        Integer[] sorted = {3, 1, 2};
        Arrays.sort(sorted, Comparator.reverseOrder());
        System.out.println(total + " " + sorted[0]);
    }
}
