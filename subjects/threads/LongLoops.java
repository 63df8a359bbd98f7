/** Loops that turn as often as an `int` can step: args = where they start. */
public class LongLoops {
    static int up(int from) {
        int bits = 0;
        for (int i = from; i < Integer.MAX_VALUE; i++) {
            bits ^= i;
        }
        return bits;
    }

    static int around(int from) {
        int bits = 0;
        for (int i = from + 1; i != from; i++) {
            bits ^= i;
        }
        return bits;
    }

    public static void main(String[] args) {
        int from = Integer.parseInt(args[0]);
        System.out.println(up(from) ^ around(from));
    }
}
