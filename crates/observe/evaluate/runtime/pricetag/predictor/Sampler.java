package pricetag.predictor;

import java.util.Map;
import java.util.TreeMap;

/** Looks every millisecond at what the main thread is doing: which methods of the program are worth being left out. */
final class Sampler extends Thread {
    private static final Map<String, Integer> stacks = new TreeMap<>();

    private final Thread watched;

    Sampler(Thread watched) {
        super("pricetag sampler");
        this.watched = watched;
        setDaemon(true);
    }

    @Override
    public void run() {
        while (true) {
            StringBuilder stack = new StringBuilder();
            for (StackTraceElement frame : watched.getStackTrace()) {
                String name = frame.getClassName();
                if (!name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun.") && !name.startsWith("pricetag.")) {
                    stack.append(stack.length() == 0 ? "" : ";").append(name).append('.').append(frame.getMethodName());
                }
            }
            synchronized (stacks) {
                stacks.merge(stack.toString(), 1, Integer::sum);
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** The stacks seen, innermost method first, and how often. */
    static String seen() {
        StringBuilder list = new StringBuilder();
        synchronized (stacks) {
            for (Map.Entry<String, Integer> entry : stacks.entrySet()) {
                list.append(list.length() == 0 ? "" : ",").append('[').append(Main.quoted(entry.getKey())).append(',').append(entry.getValue()).append(']');
            }
        }
        return list.toString();
    }
}
