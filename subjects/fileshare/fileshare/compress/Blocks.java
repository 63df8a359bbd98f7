package fileshare.compress;

/**
 * In the manner of the old Unix compressor: codes that grow from 9 to 16 bits, found by open addressing in a table of prime size; when the table is full and
 * compression gets worse, it begins anew.
 */
public final class Blocks implements Compression {
    private static final int SLOTS = 69001;
    private static final int FIRST = 257;
    private static final int CLEAR = 256;
    private static final int MOST = 1 << 16;
    private static final int CHECK = 10000;

    private final int[] keys = new int[SLOTS];
    private final int[] values = new int[SLOTS];
    private byte[] out;
    private int size;
    private long bits;
    private int held;

    @Override
    public byte[] compress(byte[] data) {
        out = new byte[data.length + data.length / 2 + 16];
        size = 0;
        bits = 0;
        held = 0;
        reset();
        int next = FIRST;
        int width = 9;
        int checked = CHECK;
        long ratio = 0;
        int prefix = data.length == 0 ? -1 : data[0] & 255;
        for (int i = 1; i < data.length; i++) {
            int symbol = data[i] & 255;
            int key = (symbol << 16) + prefix;
            int slot = (symbol << 8 ^ prefix) % SLOTS;
            int step = slot == 0 ? 1 : SLOTS - slot;
            while (keys[slot] != -1 && keys[slot] != key) {
                slot -= step;
                if (slot < 0) {
                    slot += SLOTS;
                }
            }
            if (keys[slot] == key) {
                prefix = values[slot];
                continue;
            }
            write(prefix, width);
            prefix = symbol;
            if (next < MOST) {
                if (next >= 1 << width) {
                    width++;
                }
                keys[slot] = key;
                values[slot] = next++;
            } else if (i >= checked) {
                checked = i + CHECK;
                long now = ((long) i << 8) / size;
                if (now > ratio) {
                    ratio = now;
                } else {
                    ratio = 0;
                    reset();
                    write(CLEAR, width);
                    next = FIRST;
                    width = 9;
                }
            }
        }
        if (prefix >= 0) {
            write(prefix, width);
        }
        while (held > 0) {
            out[size++] = (byte) bits;
            bits >>= 8;
            held -= 8;
        }
        byte[] result = new byte[size];
        System.arraycopy(out, 0, result, 0, size);
        return result;
    }

    private void reset() {
        for (int i = 0; i < SLOTS; i++) {
            keys[i] = -1;
        }
    }

    private void write(int code, int width) {
        bits |= (long) code << held;
        held += width;
        while (held >= 8) {
            out[size++] = (byte) bits;
            bits >>= 8;
            held -= 8;
        }
    }
}
