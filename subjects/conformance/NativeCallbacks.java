/** Methods called back from native and runtime code: sort, privileged action, hashing, toString. */
// since: 17
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public class NativeCallbacks {
    static int hashed;

    static class Key implements Comparable<Key> {
        final int n;

        Key(int n) {
            this.n = n; // count: 8
        }

        @Override
        public int hashCode() {
            hashed++; // count: 8
            return 7; // count: 8
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Key k && k.n == n;
        }

        @Override
        public int compareTo(Key o) {
            return Integer.compare(n, o.n);
        }
    }

    public static void main(String[] args) {
        Map<Key, Integer> map = new HashMap<>();
        for (int i = 0; i < 8; i++) {
            map.merge(new Key(i % 4), 1, Integer::sum); // count: 8
        }
        Integer[] numbers = {4, 1, 3};
        Arrays.sort(numbers, (a, b) -> a - b);
        System.out.println(map.size() + " " + hashed + Arrays.toString(numbers));
    }
}
