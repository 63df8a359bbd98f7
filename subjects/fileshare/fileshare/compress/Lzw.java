package fileshare.compress;

import java.io.ByteArrayOutputStream;

/** Lempel, Ziv and Welch: codes of 12 bits, the table as a tree of first child and next sibling, emptied when it is full. */
public final class Lzw implements Compression {
    private static final int CODES = 4096;

    private final int[] child = new int[CODES];
    private final int[] sibling = new int[CODES];
    private final byte[] last = new byte[CODES];
    private int next;
    private int half = -1;

    @Override
    public byte[] compress(byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        clear();
        half = -1;
        int code = -1;
        for (byte b : data) {
            if (code < 0) {
                code = b & 255;
                continue;
            }
            int found = child[code];
            while (found != 0 && last[found] != b) {
                found = sibling[found];
            }
            if (found != 0) {
                code = found;
                continue;
            }
            put(code, out);
            if (next < CODES) {
                last[next] = b;
                sibling[next] = child[code];
                child[code] = next++;
            } else {
                clear();
            }
            code = b & 255;
        }
        if (code >= 0) {
            put(code, out);
        }
        if (half >= 0) {
            out.write(half << 4);
        }
        return out.toByteArray();
    }

    private void clear() {
        for (int i = 0; i < CODES; i++) {
            child[i] = 0;
        }
        next = 256;
    }

    private void put(int code, ByteArrayOutputStream out) {
        if (half < 0) {
            out.write(code >> 4);
            half = code & 15;
        } else {
            out.write(half << 4 | code >> 8);
            out.write(code);
            half = -1;
        }
    }
}
