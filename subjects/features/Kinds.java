/**
 * One feature of every kind that comes from the first values of variables: eight types, fields and locals.
 *
 * Lines `//= NAME = VALUE` say what the dataset has after `java Kinds 6` with five values per variable; `missing` for a version that
 * does not exist. The program prints its own values, as `value NAME VALUE`, which are compared as well.
 */
public class Kinds {
    static boolean flag;
    static byte tiny;
    static char letter;
    static short small;
    int count;
    long total;
    float half;
    double ratio;

    /** Assigns a field that its superclass declares, under a name of its own class. */
    static class Sub extends Kinds {
        void raise() {
            count = 40;
        }
    }

    static void say(String name, double value) {
        System.out.println("value " + name + " " + value);
    }

    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    static double wide(long n) {
        long big = n * 10_000_000_000L;
        double third = n / 3.0;
        float quarter = n / 4f;
        say("Kinds.wide(long).big#1", big);
        say("Kinds.wide(long).third#1", third);
        say("Kinds.wide(long).quarter#1", quarter);
        return big + third + quarter;
    }

    static double strange() {
        double none = 0.0 / 0.0;
        double much = 1 / 0.0;
        float lower = -1 / 0f;
        return none + much + lower;
    }

    static int lengths(int n) {
        int[] numbers = new int[n];
        String text = "ab".repeat(n);
        Object[] nothing = null;
        nothing = new Object[3];
        return numbers.length + text.length() + nothing.length;
    }

    static int never(boolean yes) {
        if (yes) {
            int hidden = 5;
            return hidden;
        }
        return 0;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        flag = n > 3;
        tiny = (byte) (200 + n);
        letter = (char) ('a' + n);
        small = (short) -n;
        Kinds kinds = new Kinds();
        kinds.count = n;
        kinds.count = n * 2;
        kinds.total = 1L << 40;
        kinds.half = n / 2f;
        kinds.ratio = 1.0 / n;
        new Sub().raise();
        say("Kinds.flag#1", flag ? 1 : 0);
        say("Kinds.tiny#1", tiny);
        say("Kinds.letter#1", letter);
        say("Kinds.small#1", small);
        say("Kinds.total#1", kinds.total);
        say("Kinds.half#1", kinds.half);
        say("Kinds.ratio#1", kinds.ratio);
        loop(n);
        wide(n);
        strange();
        lengths(n);
        never(n < 0);
    }
}
//= Kinds.flag#1 = 1
//= Kinds.flag#2 = missing
//= Kinds.tiny#1 = -50
//= Kinds.letter#1 = 103
//= Kinds.small#1 = -6
//= Kinds.count#1 = 6
//= Kinds.count#2 = 12
//= Kinds.count#3 = 40
//= Kinds.total#1 = 1099511627776
//= Kinds.half#1 = 3
//= Kinds.loop(int).sum#1 = 0
//= Kinds.loop(int).sum#2 = 0
//= Kinds.loop(int).sum#3 = 1
//= Kinds.loop(int).sum#4 = 3
//= Kinds.loop(int).sum#5 = 6
//= Kinds.loop(int).sum#6 = missing
//= Kinds.loop(int).i#1 = 0
//= Kinds.loop(int).i#5 = 4
//= Kinds.strange().none#1 = missing
//= Kinds.strange().much#1 = missing
//= Kinds.strange().lower#1 = missing
//= Kinds.never(boolean).hidden#1 = missing
//= Kinds.lengths(int).numbers.length#1 = 6
//= Kinds.lengths(int).text.length#1 = 12
//= Kinds.lengths(int).nothing.length#1 = 3
//= Kinds.lengths(int).nothing.length#2 = missing
//= Kinds.main(String[]).n#1 = 6
