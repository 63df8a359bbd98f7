import java.nio.file.Path;
import java.util.Arrays;

/** LZW (Welch 1984) with codes of 9 to 16 bits and an open hash table: compresses 4 MB of source text and decompresses it again. */
final class LzwProgram implements Bench.Program {
    private static final int FIRST = 257;
    private static final int RESET = 256;
    private static final int LIMIT = 1 << 16;
    private static final int SLOTS = 69_001;

    private final byte[] text;
    private final int[] keys = new int[SLOTS];
    private final int[] codes = new int[SLOTS];
    private final int[] prefix = new int[LIMIT];
    private final byte[] last = new byte[LIMIT];
    private byte[] bits = new byte[1 << 16];
    private long pending;
    private int pendingBits;
    private int position;

    LzwProgram(Path sources) throws Exception {
        text = Bench.text(sources, 4_000_000);
    }

    @Override
    public long run() {
        int length = compress();
        byte[] unpacked = decompress(length);
        return Bench.sum(Arrays.copyOf(bits, length)) ^ Bench.sum(unpacked);
    }

    private int compress() {
        pending = 0;
        pendingBits = 0;
        position = 0;
        Arrays.fill(keys, -1);
        int free = FIRST;
        int width = 9;
        int current = text[0] & 0xff;
        for (int i = 1; i < text.length; i++) {
            int next = text[i] & 0xff;
            int key = current << 8 | next;
            int slot = find(key);
            if (keys[slot] == key) {
                current = codes[slot];
                continue;
            }
            put(current, width);
            keys[slot] = key;
            codes[slot] = free++;
            if (free > 1 << width) {
                width++;
            }
            if (free == LIMIT) {
                put(RESET, width);
                Arrays.fill(keys, -1);
                free = FIRST;
                width = 9;
            }
            current = next;
        }
        put(current, width);
        put(0, 16);
        return position;
    }

    private int find(int key) {
        int slot = (key * 0x9E3779B1 >>> 8) % SLOTS;
        while (keys[slot] != -1 && keys[slot] != key) {
            slot = slot == 0 ? SLOTS - 1 : slot - 1;
        }
        return slot;
    }

    private void put(int code, int width) {
        pending |= (long) code << pendingBits;
        pendingBits += width;
        while (pendingBits >= 8) {
            if (position == bits.length) {
                bits = Arrays.copyOf(bits, 2 * bits.length);
            }
            bits[position++] = (byte) pending;
            pending >>>= 8;
            pendingBits -= 8;
        }
    }

    private int take(int width) {
        while (pendingBits < width) {
            pending |= (bits[position++] & 0xffL) << pendingBits;
            pendingBits += 8;
        }
        int code = (int) (pending & (1L << width) - 1);
        pending >>>= width;
        pendingBits -= width;
        return code;
    }

    private byte[] decompress(int length) {
        pending = 0;
        pendingBits = 0;
        position = 0;
        byte[] out = new byte[text.length];
        int done = 0;
        int free = FIRST;
        int width = 9;
        int previous = take(width);
        out[done++] = (byte) previous;
        while (done < out.length) {
            if (free + 1 > 1 << width) {
                width++;
            }
            int code = free + 1 == LIMIT ? take(16) : take(width);
            if (code == RESET) {
                free = FIRST;
                width = 9;
                previous = take(width);
                out[done++] = (byte) previous;
                continue;
            }
            int start = done;
            if (code < free) {
                done = expand(code, out, done);
            } else {
                done = expand(previous, out, done);
                out[done++] = out[start];
            }
            prefix[free] = previous;
            last[free] = out[start];
            free++;
            previous = code;
        }
        return out;
    }

    private int expand(int code, byte[] out, int done) {
        int length = 1;
        for (int c = code; c >= FIRST; c = prefix[c]) {
            length++;
        }
        int at = done + length;
        int c = code;
        while (c >= FIRST) {
            out[--at] = last[c];
            c = prefix[c];
        }
        out[--at] = (byte) c;
        return done + length;
    }
}
