// vm: -ea
/** Assertions switched on. */
public class AssertOn {
    static int checks;

    static boolean positive(int n) {
        checks++; // count: 4
        return n > 0; // count: 4
    }

    static int use(int n) {
        assert positive(n) : "not positive: " + n;
        return n * 2; // count: 3
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            try {
                sum += use(i); // count: 4
            } catch (AssertionError e) {
                sum += 1000; // count: 1
            }
        }
        System.out.println(sum + " " + checks);
    }
}
