/** Constructors, fields, monitors, lambdas. */
class Objects extends java.util.ArrayList<String> {
    static int created;
    static final int[] TABLE = {1, 2, 3};
    private int mine;
    private final Object lock;

    Objects(String text) {
        super(text == null ? 1 : text.length());
        lock = new Object();
        mine = 3;
        created++;
    }

    Objects() {
        this("");
    }

    int own(Objects other) {
        mine += other.mine;
        return mine / created;
    }

    static int table(int i) {
        return TABLE[i] % created;
    }

    int locked() {
        synchronized (lock) {
            return size();
        }
    }

    java.util.function.IntSupplier later() {
        return () -> mine + hashCode();
    }

    class Inner {
        int sum() { return mine + created; }
    }
}
