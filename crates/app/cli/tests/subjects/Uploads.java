/** Stores uploads: large ones in a buffer of their own. Decides by numbers of every type, most of which cost nothing. */
public class Uploads {
    static int used;

    /** Allocates size + 16 bytes above 203776, else 1016 bytes. */
    static int store(int size) {
        byte[] buffer;
        if (size > 203776) {
            buffer = new byte[size];
        } else {
            buffer = new byte[1000];
        }
        return buffer.length + marks(size, size * 0.001);
    }

    /** Compares with 40, 100000 (a long), 250.5 (a float) and 12.25 (a double); with 3 for equality only. */
    static int marks(long size, double thousands) {
        int marks = 0;
        for (int i = 0; i < 40; i++) {
            if (i % 7 == 3) marks++;
        }
        if (size >= 100000L) marks++;
        if (250.5f < (float) thousands) marks++;
        if (thousands <= 12.25) marks++;
        return marks;
    }

    /** Never called: 150000 is no comparison of what was recorded. */
    static boolean never(int size) {
        return size > 150000;
    }

    public static void main(String[] args) {
        store(8); // whatever a first call allocates
        for (int i = 1; i <= 46; i++) {
            used += store(i * 9000);
        }
        System.out.println(used);
    }
}
