/** An iterator of our own, for-each over it, removal that throws, and an Iterable as a lambda. */
// since: 11
import java.util.Iterator;
import java.util.NoSuchElementException;

public class Iterators implements Iterable<Integer> {
    final int end;

    Iterators(int end) {
        this.end = end; // count: 5
    }

    @Override
    public Iterator<Integer> iterator() {
        return new Iterator<>() { // count iterator: 5
            int next;

            @Override
            public boolean hasNext() {
                return next < end; // count: 10
            }

            @Override
            public Integer next() {
                if (next == end) { // count: 7
                    throw new NoSuchElementException(); // count: 1
                }
                return next++; // count: 6
            }
        };
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            Iterators it = new Iterators(i); // count: 4
            for (int x : it) { // count: 4
                sum += x + 1; // count: 6
            }
        }
        try {
            new Iterators2().iterator().next(); // count: 1
        } catch (NoSuchElementException e) {
            sum += 100; // count: 1
        }
        Iterable<Integer> none = () -> new Iterators(2).iterator();
        System.out.println(sum + (none == null ? 1 : 0));
    }

    static class Iterators2 extends Iterators {
        Iterators2() {
            super(0);
        }
    }
}
