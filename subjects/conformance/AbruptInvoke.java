/** Calls that fail before the callee begins: null receiver, abstract method at run time, missing class. */
public class AbruptInvoke {
    static int n;

    static class Gone {
        int value() {
            return 1; // count: 0
        }
    }

    static int call(Gone g) {
        n++; // count: 3
        int v = g.value(); // count: 3
        n += 10; // count: 0
        return v; // count: 0
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            try {
                call(null); // count: 3
            } catch (NullPointerException e) {
                n += 100; // count: 3
            }
        }
        try {
            Class.forName("DoesNotExist"); // count: 1
            n = 0; // count: 0
        } catch (ClassNotFoundException e) {
            n += 1000; // count: 1
        }
        System.out.println(n);
    }
}
