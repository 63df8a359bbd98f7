/** Stores that throw, and so assign nothing. After `java NullTarget 7`: */
public class NullTarget {
    static int failures;
    int narrow;
    long wide;
    String text;

    static void narrow(NullTarget target, int n) {
        try {
            target.narrow = n;
        } catch (NullPointerException e) {
            failures = failures + 1;
        }
    }

    static void wide(NullTarget target, long n) {
        try {
            target.wide = n;
        } catch (NullPointerException e) {
            failures = failures + 1;
        }
    }

    static void text(NullTarget target, String text) {
        try {
            target.text = text;
        } catch (NullPointerException e) {
            failures = failures + 1;
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        narrow(null, 1);
        wide(null, 2);
        text(null, "three");
        NullTarget target = new NullTarget();
        narrow(target, n);
        wide(target, n * 10_000_000_000L);
        text(target, args[0]);
        System.out.println(target.narrow + target.wide + target.text + failures);
    }
}
//= NullTarget.failures#1 = 1
//= NullTarget.failures#3 = 3
//= NullTarget.narrow#1 = 7
//= NullTarget.narrow#2 = missing
//= NullTarget.wide#1 = 70000000000
//= NullTarget.wide#2 = missing
//= NullTarget.text.length#1 = 1
//= NullTarget.text.length#2 = missing
