/** Bridge methods: covariant results and generic parameters make the compiler add methods that pass a call on. */
import java.util.Comparator;
import java.util.function.Function;

public class BridgeMethods {
    static abstract class Base<T> {
        abstract T make(T seed);

        Object self() {
            return this; // count: 0
        }
    }

    static class Words extends Base<String> {
        @Override
        String make(String seed) {
            return seed + seed.length(); // count: 4
        }

        @Override
        Words self() {
            return this; // count: 6
        }
    }

    static class ByLength implements Comparator<String>, Function<String, Integer> {
        @Override
        public int compare(String a, String b) {
            return apply(a) - apply(b); // count: 5
        }

        @Override
        public Integer apply(String s) {
            if (s.isEmpty()) { // count: 11
                throw new IllegalArgumentException(); // count: 1
            }
            return s.length(); // count: 10
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        Base<String> b = new Words();
        String s = "a";
        for (int i = 0; i < 4; i++) {
            s = b.make(s); // count: 4
        }
        Base raw = b;
        Object o = raw.self(); // count: 1
        for (int i = 0; i < 5; i++) {
            o = ((Base<String>) o).self(); // count: 5
        }
        try {
            raw.make(Integer.valueOf(3)); // count: 1
            s = "unreachable"; // count: 0
        } catch (ClassCastException e) {
            s += "!"; // count: 1
        }
        Comparator c = new ByLength();
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += c.compare(s, i == 3 ? (Object) 1 : "xy") > 0 ? 1 : 0; // count: 4
            if (i == 2) {
                try {
                    sum += c.compare(s, 7); // count: 1
                } catch (ClassCastException e) {
                    sum += 100; // count: 1
                    i++;
                }
            }
        }
        try {
            sum += c.compare("", "z"); // count: 1
        } catch (IllegalArgumentException e) {
            sum += 1000; // count: 1
        }
        Function f = (Function) c;
        sum += (Integer) f.apply("four") + (Integer) f.apply("fiver"); // count: 1
        System.out.println(s + sum);
    }
}
