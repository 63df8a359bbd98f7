// vm: -da
/** Assertions switched off. */
public class AssertOff {
    static int checks;

    static boolean positive(int n) {
        checks++; // count: 0
        return n > 0; // count: 0
    }

    static int use(int n) {
        assert positive(n) : "not positive: " + n;
        return n * 2; // count: 4
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            try {
                sum += use(i); // count: 4
            } catch (AssertionError e) {
                sum += 1000; // count: 0
            }
        }
        System.out.println(sum + " " + checks);
    }
}
