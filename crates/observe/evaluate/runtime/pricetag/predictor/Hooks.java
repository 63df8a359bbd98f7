package pricetag.predictor;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * What the rewritten classes of a program call: counting, the end of counting, code that no training run reached, and places where files are opened for writing.
 *
 * The program's main thread counts without synchronisation, all others under a lock; both are added up at the end.
 */
public final class Hooks {
    static final File NOWHERE = new File(File.separatorChar == '/' ? "/dev/null" : "NUL");

    static Thread owner;
    static long[] own = {};
    static long[] others = {};
    static boolean[] done = {};
    static long[] doneAt = {};
    /** Groups of counters that may still grow. */
    static int open;
    /** Whether the program goes on when none may. */
    static boolean goesOn;
    static long begun;
    /** Number of the first place reached that no training run had reached, or -1. */
    static volatile int unseen = -1;
    static volatile boolean redirected;
    private static FileDescriptor sink;

    private Hooks() {}

    /** Adds one to a counter. */
    public static void count(int counter) {
        if (Thread.currentThread() == owner) {
            own[counter]++;
        } else {
            synchronized (others) {
                others[counter]++;
            }
        }
    }

    /** The counters of a group are final. */
    public static void last(int group) {
        if (!done[group]) {
            finished(group);
        }
    }

    private static synchronized void finished(int group) {
        if (done[group]) {
            return;
        }
        done[group] = true;
        doneAt[group] = System.nanoTime() - begun;
        open--;
        if (open == 0 && !goesOn) {
            Main.finish(null, true);
        }
    }

    /** Code runs that no training run had reached. */
    public static void unseen(int place) {
        if (unseen < 0) {
            unseen = place;
        }
    }

    /** Where the program writes instead of to a file of this name. */
    public static String path(String name) {
        redirected = true;
        return name == null ? null : NOWHERE.getPath();
    }

    /** Where the program writes instead of to this file. */
    public static File file(File file) {
        redirected = true;
        return file == null ? null : NOWHERE;
    }

    /** What the program writes to instead of to a descriptor, such as that of standard output. */
    public static synchronized FileDescriptor descriptor(FileDescriptor given) throws IOException {
        redirected = true;
        if (sink == null) {
            sink = new FileOutputStream(NOWHERE).getFD();
        }
        return sink;
    }

    static synchronized boolean isOurs(FileDescriptor descriptor) {
        return descriptor == sink;
    }
}
