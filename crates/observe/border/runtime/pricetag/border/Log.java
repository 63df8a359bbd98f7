package pricetag.border;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The file of provided calls, one a line, in the order in which they ended. */
final class Log {
    private static final int FULL = 1 << 16;

    private static FileOutputStream file;
    private static byte[] buffer = new byte[FULL];
    private static int used;
    private static long flushed;

    private Log() {}

    static void open(String path) throws IOException {
        file = new FileOutputStream(path);
        Runtime.getRuntime().addShutdownHook(new Thread("pricetag border") {
            @Override
            public void run() {
                flush();
            }
        });
    }

    static synchronized void line(StringBuilder text) {
        if (file == null) {
            return;
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (used + bytes.length > FULL) {
            flush();
        }
        if (bytes.length > FULL) {
            write(bytes, bytes.length);
            return;
        }
        System.arraycopy(bytes, 0, buffer, used, bytes.length);
        used += bytes.length;
        // A JVM that is killed loses half a second, no more; one whose shutdown has begun, nothing.
        long now = System.nanoTime();
        if (now - flushed > 500_000_000L || flushed == Long.MIN_VALUE) {
            flush();
            flushed = flushed == Long.MIN_VALUE ? flushed : now;
        }
    }

    private static synchronized void flush() {
        write(buffer, used);
        used = 0;
        if (Thread.currentThread().getName().equals("pricetag border")) {
            flushed = Long.MIN_VALUE;
        }
    }

    private static void write(byte[] bytes, int length) {
        try {
            file.write(bytes, 0, length);
        } catch (IOException failure) {
            System.err.println("pricetag: cannot write calls down: " + failure);
            length = 0;
        }
    }
}
