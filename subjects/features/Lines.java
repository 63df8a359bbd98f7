/** Lines behind exceptions, copied by compilers, and broken over several. Argument: how often. */
public class Lines {
    static int done;

    static void maybe(int i) {
        if (i % 4 != 0) throw new IllegalStateException();
    }

    static void work(int i) {
        int a = i * 3;
        maybe(i);
        done += a;
        done ^= 1;
    }

    static void always(int i) {
        try {
            maybe(i);
            done += 2;
        } finally {
            done += 3;
        }
    }

    static boolean broken(StringBuilder text, int i) {
        text.append(i)
            .append(Math.abs(
                i - 7))
            .append(' ');
        return i > 10 && i < 30 && i != 20;
    }

    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]), caught = 0;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++) {
            try {
                work(i);
            } catch (IllegalStateException e) {
                caught++;
            }
            try { always(i); } catch (IllegalStateException e) { caught++; }
            if (broken(text, i)) text.setLength(0);
        }
        System.out.println(done + " " + caught);
    }
}
//= Lines.work(int) line 10 (Lines.java:10) = 100
//= Lines.work(int) line 11 (Lines.java:11) = 100
//= Lines.work(int) line 12 (Lines.java:12) = 25
//= Lines.work(int) line 13 (Lines.java:13) = 25
//= Lines.work(int) line 14 (Lines.java:14) = 25
//= Lines.maybe(int) line 6 (Lines.java:6) = 200
//= Lines.always(int) line 18 (Lines.java:18) = 100
//= Lines.always(int) line 19 (Lines.java:19) = 25
//= Lines.always(int) line 21 (Lines.java:21) = 100
//= Lines.broken(StringBuilder, int) line 26 (Lines.java:26) = 100
//= Lines.broken(StringBuilder, int) line 27 (Lines.java:27) = 100
//= Lines.broken(StringBuilder, int) line 30 (Lines.java:30) = 100
//= Lines.main(String[]) line 36 (Lines.java:36) = 101
//= Lines.main(String[]) line 38 (Lines.java:38) = 100
//= Lines.main(String[]) line 40 (Lines.java:40) = 75
//= Lines.main(String[]) line 42 (Lines.java:42) = 100
//= Lines.main(String[]) line 45 (Lines.java:45) = 1
