package pricetag.runtime;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Counters of a program that was instrumented offline: one {@code long[]} per class and thread, so that no two threads share one; added up
 * when a thread has ended, and written by a shutdown hook.
 *
 * <p>The rewriter gives each archive its own copy under a name of its own, with the numbers of counters and the archive's digest in
 * place of the texts between at signs. One file, no inner classes, no lambdas, nothing newer than Java 8.
 *
 * <p>Nothing here may call code of the program while a lock is held or the class is initialised: that code is counted and ends up here again.
 */
public final class Counters implements Runnable {
    private static final String[] SIZES = {"@0@", "@1@", "@2@", "@3@", "@4@", "@5@", "@6@", "@7@"};
    private static final String DIGEST = "@digest@";
    private static final String NAME = "pricetag counters";
    private static final byte[] MAGIC = {'P', 'T', 'C', 'O', 'U', 'N', 'T', 2};
    /** How long an exit waits for threads that may be other shutdown hooks, ms. */
    private static final long PATIENCE = 500;
    /** How long the end of all other threads waits for those without frames, which may be hooks that were just started, ms. */
    private static final long LONG_PATIENCE = 10000;

    private static final int[] LENGTHS = lengths();
    private static final ThreadLocal<long[][]> LOCAL = new ThreadLocal<long[][]>();
    private static final Object LOCK = new Object();
    /** Counters of threads that may be alive. */
    private static ArrayList<Counters> live = new ArrayList<Counters>();
    /** At how many of them to look for ended ones. */
    private static int sweepAt = 64;
    /** Counters of ended threads, by class. */
    private static final long[][] TOTALS = new long[LENGTHS.length][];
    private static boolean started;
    private static boolean closed;
    private static boolean late;
    private static volatile boolean starved;
    private static volatile long[] spare = new long[0];
    private static File file;

    /** The thread that counts here; none for the hook. */
    private final WeakReference<Thread> thread;
    private final long[][] chunks;

    private Counters(Thread thread, long[][] chunks) {
        this.thread = new WeakReference<Thread>(thread);
        this.chunks = chunks;
    }

    /** The current thread's counters of a class. */
    public static long[] chunk(int index) {
        long[][] mine = LOCAL.get();
        if (mine != null) {
            long[] chunk = mine[index];
            if (chunk != null) {
                return chunk;
            }
        }
        return slow(index);
    }

    /** The same, for classes of high index. */
    public static long[] others(int index) {
        return chunk(index);
    }

    private static long[] slow(int index) {
        try {
            long[][] mine = LOCAL.get();
            if (mine == null) {
                mine = new long[LENGTHS.length][];
                register(new Counters(Thread.currentThread(), mine));
                LOCAL.set(mine);
                start();
            }
            long[] chunk = mine[index];
            if (chunk == null) {
                chunk = new long[LENGTHS[index]];
                mine[index] = chunk;
            }
            return chunk;
        } catch (OutOfMemoryError error) {
            starved = true;
            long[] stand = spare;
            if (stand.length >= LENGTHS[index]) {
                return stand;
            }
            throw error;
        }
    }

    private static void register(Counters counters) {
        synchronized (LOCK) {
            if (closed) {
                late();
            }
            if (live.size() >= sweepAt) {
                sweep();
                sweepAt = Math.max(64, 2 * live.size());
            }
            live.add(counters);
        }
    }

    /** Adds the counters of ended threads to the totals. Nobody but an ended thread's registration holds its counters. */
    private static void sweep() {
        ArrayList<Counters> still = new ArrayList<Counters>(live.size() + 1);
        for (int i = 0; i < live.size(); i++) {
            Counters counters = live.get(i);
            Thread thread = counters.thread.get();
            if (thread != null && thread.isAlive()) {
                still.add(counters);
            } else {
                add(TOTALS, counters.chunks);
            }
        }
        live = still;
    }

    /** Moves counters; calls nothing, so that no stack overflow can strike in the middle, and leaves nothing to be added twice. */
    private static void add(long[][] totals, long[][] chunks) {
        for (int k = 0; k < chunks.length; k++) {
            long[] chunk = chunks[k];
            if (chunk == null) {
                continue;
            }
            long[] total = totals[k];
            if (total == null) {
                totals[k] = chunk;
            } else {
                for (int i = 0; i < chunk.length; i++) {
                    total[i] += chunk[i];
                }
            }
            chunks[k] = null;
        }
    }

    /** Creates the file and registers the hook, once. */
    private static void start() {
        synchronized (LOCK) {
            if (started) {
                return;
            }
            started = true;
        }
        int longest = 0;
        for (int length : LENGTHS) {
            longest = Math.max(longest, length);
        }
        spare = new long[longest];
        try {
            String own = Long.toString(System.currentTimeMillis()) + '-' + System.nanoTime();
            String run;
            synchronized (System.getProperties()) {
                if (System.getProperty("pricetag.run") == null) {
                    System.setProperty("pricetag.run", own);
                }
                run = System.getProperty("pricetag.run");
            }
            create(System.getProperty("pricetag.counts", "pricetag.counts"));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.write(MAGIC);
            out.writeUTF(DIGEST);
            out.writeUTF(run);
            out.writeUTF(own);
            append(bytes);
            Runtime.getRuntime().addShutdownHook(new Thread(new Counters(null, null), NAME));
        } catch (Exception failure) {
            System.err.println("pricetag: counts are lost: " + failure);
        }
    }

    /** Never writes over a file: another run, process, archive or class loader may have made it. */
    private static void create(String path) throws IOException {
        File wanted = new File(path);
        if (wanted.isDirectory()) {
            wanted = new File(wanted, "pricetag.counts");
        }
        wanted = wanted.getAbsoluteFile();
        File candidate = wanted;
        for (int number = 1; !candidate.createNewFile(); number++) {
            candidate = new File(wanted.getPath() + '.' + number);
        }
        file = candidate;
    }

    private static void append(ByteArrayOutputStream bytes) throws IOException {
        FileOutputStream out = new FileOutputStream(file, true);
        try {
            bytes.writeTo(out);
        } finally {
            out.close();
        }
    }

    /** Says in the file that a thread began to count after the counters were written. */
    private static void late() {
        if (late || file == null) {
            return;
        }
        late = true;
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            note(out, "thread " + Thread.currentThread().getName() + " began to count after the counters were written");
            append(bytes);
        } catch (Exception failure) {
            System.err.println("pricetag: counts are not exact: a thread counted after they were written");
        }
    }

    /** The hook. */
    @Override
    public void run() {
        if (thread.get() != null || chunks != null) {
            return;
        }
        try {
            await();
            write();
        } catch (Throwable failure) {
            System.err.println("pricetag: counts are lost: " + failure);
        }
    }

    /** Waits until the other hooks have ended: without limit if only hooks are left, else for a while. */
    private static void await() throws InterruptedException {
        long start = System.nanoTime();
        for (;;) {
            boolean normal = false;
            boolean starting = false;
            boolean others = false;
            boolean young = false;
            for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
                Thread other = entry.getKey();
                StackTraceElement[] stack = entry.getValue();
                if (exits(stack)) {
                    normal |= "DestroyJavaVM".equals(other.getName());
                    starting |= !joins(stack);
                } else if (!other.isDaemon() && !other.getName().equals(NAME)) {
                    // A hook that was just started has no frames yet; one that waits for the end of all others never has.
                    others |= stack.length > 0;
                    young |= stack.length == 0 && !"DestroyJavaVM".equals(other.getName());
                }
            }
            long waited = (System.nanoTime() - start) / 1000000L;
            boolean done = !starting && !others && (!young || waited > LONG_PATIENCE);
            if (done || waited > PATIENCE && !normal) {
                return;
            }
            Thread.sleep(2);
        }
    }

    /** Whether a thread runs the hooks. */
    private static boolean exits(StackTraceElement[] stack) {
        for (StackTraceElement element : stack) {
            if (element.getClassName().equals("java.lang.ApplicationShutdownHooks")) {
                return true;
            }
        }
        return false;
    }

    /** Whether it has started all of them and waits. */
    private static boolean joins(StackTraceElement[] stack) {
        for (StackTraceElement element : stack) {
            if (element.getMethodName().equals("join")) {
                return true;
            }
        }
        return false;
    }

    private static void write() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        synchronized (LOCK) {
            closed = true;
            sweep();
            // A thread has several registrations if somebody took away its thread locals.
            IdentityHashMap<Thread, Boolean> seen = new IdentityHashMap<Thread, Boolean>();
            for (int i = 0; i < live.size(); i++) {
                Thread owner = live.get(i).thread.get();
                if (owner != null && owner != Thread.currentThread() && seen.put(owner, Boolean.TRUE) == null) {
                    frames(out, owner);
                }
            }
            for (int k = 0; k < LENGTHS.length; k++) {
                counters(out, k);
            }
        }
        if (starved) {
            note(out, "a thread found no memory for its counters");
        }
        byte[] body = bytes.toByteArray();
        CRC32 sum = new CRC32();
        sum.update(body, 0, body.length);
        out.writeByte('E');
        out.writeInt((int) sum.getValue());
        append(bytes);
    }

    /** The active frames of a thread, the innermost first. */
    private static void frames(DataOutputStream out, Thread owner) throws IOException {
        Thread.State state = owner.getState();
        StackTraceElement[] stack = owner.getStackTrace();
        boolean inside = stack.length > 0 && (stack[0].isNativeMethod() || state != Thread.State.RUNNABLE);
        for (StackTraceElement element : stack) {
            inside &= !element.getClassName().equals(Counters.class.getName());
        }
        out.writeByte('T');
        out.writeUTF(owner.getName().length() > 200 ? owner.getName().substring(0, 200) : owner.getName());
        out.writeBoolean(!inside);
        out.writeInt(stack.length);
        for (StackTraceElement element : stack) {
            out.writeUTF(element.getClassName());
            out.writeUTF(element.getMethodName());
            out.writeInt(element.getLineNumber());
        }
    }

    private static void counters(DataOutputStream out, int k) throws IOException {
        long[] sum = new long[LENGTHS[k]];
        boolean loaded = TOTALS[k] != null;
        for (int i = 0; loaded && i < sum.length; i++) {
            sum[i] = TOTALS[k][i];
        }
        for (int t = 0; t < live.size(); t++) {
            long[] chunk = live.get(t).chunks[k];
            loaded |= chunk != null;
            for (int i = 0; chunk != null && i < sum.length; i++) {
                sum[i] += chunk[i];
            }
        }
        if (!loaded) {
            return;
        }
        int present = 0;
        for (long count : sum) {
            present += count == 0 ? 0 : 1;
        }
        out.writeByte('C');
        out.writeInt(k);
        out.writeInt(present);
        for (int i = 0; i < sum.length; i++) {
            if (sum[i] != 0) {
                out.writeInt(i);
                out.writeLong(sum[i]);
            }
        }
    }

    private static void note(DataOutputStream out, String text) throws IOException {
        out.writeByte('N');
        out.writeUTF(text.length() > 1000 ? text.substring(0, 1000) : text);
    }

    /** Five bits per character, the lowest first: 64 to 95 for the last of a number, 32 to 63 for the others. */
    private static int[] lengths() {
        int count = 0;
        for (String sizes : SIZES) {
            for (int i = 0; i < sizes.length(); i++) {
                count += sizes.charAt(i) >= 64 ? 1 : 0;
            }
        }
        int[] lengths = new int[count];
        int at = 0;
        int value = 0;
        int shift = 0;
        for (String sizes : SIZES) {
            for (int i = 0; i < sizes.length(); i++) {
                char c = sizes.charAt(i);
                if (c >= 64) {
                    lengths[at++] = value | (c & 31) << shift;
                    value = 0;
                    shift = 0;
                } else {
                    value |= (c & 31) << shift;
                    shift += 5;
                }
            }
        }
        return lengths;
    }
}
