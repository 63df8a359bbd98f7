import java.util.HashMap;
import java.util.Map;

/** A loop in a method that is inlined into another, which does little itself: the time is the loop's. */
public class Inlined {
    static long hot(long cents, long seed) {
        long x = seed | 1;
        for (int i = 0; i < 4000; i++) { x ^= x << 13; x ^= x >>> 7; x ^= x << 17; }
        return cents + (x & 1);
    }

    final Map<Integer, Long> balance = new HashMap<>();

    void around(String kind, int account, long id) {
        long cents = id;
        switch (kind) {
            case "FX": cents = hot(cents, id); break;
            case "NONE": cents = 0; break;
            default:
        }
        balance.merge(account, cents, Long::sum);
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(java.nio.file.Files.readString(java.nio.file.Path.of(args[0])).trim());
        Inlined inlined = new Inlined();
        String[] kinds = {"FX", "OTHER", "NONE", "OTHER"};
        for (int i = 0; i < 3000 * n; i++) inlined.around(kinds[i % kinds.length], i % 700, i);
        System.out.println(inlined.balance.hashCode());
    }
}
