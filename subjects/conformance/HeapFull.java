// vm: -Xmx96m -Xlog:disable
// varies: fill, hoard
/** A heap that is full, again and again: whatever was asked for when memory ran out, everything before and behind it is counted. */
public class HeapFull {
    static int asked;
    static int given;
    static int full;

    static int fill(int length) {
        Object[] last = null;
        try {
            for (;;) {
                asked++; // count: =asked
                Object[] next = new Object[length]; // count: =asked
                next[0] = last; // count: =given
                last = next;
                given++;
            }
        } catch (OutOfMemoryError e) {
            full++; // count: 4
        }
        return length; // count: 4
    }

    /** Nobody catches it where it is thrown. */
    static int hoard(Object[] all, int length) {
        for (int i = 0; i < all.length; i++) {
            all[i] = new Object[length];
        }
        return all.length; // count: 0
    }

    public static void main(String[] args) {
        int kept = 0;
        for (int i = 0; i < 4; i++) {
            if (fill(10_000 << i) > 0) {
                kept++; // count: 4
            }
            try {
                kept += hoard(new Object[1_000], 1_000_000); // count: 4
            } catch (OutOfMemoryError e) {
                kept += 10; // count: 4
            }
        }
        System.out.println(kept + " " + full); // count: 1
        System.err.println("asked=" + asked);
        System.err.println("given=" + given);
    }
}
