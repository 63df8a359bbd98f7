// exit: 6
/** System.exit inside a static initialiser, inside a constructor, before super() returns. */
public class ExitInClinit {
    static int n;

    static class Base {
        Base(int x) {
            n += x; // count: 1
            new Trigger(); // count: 1
            n = 0; // count: 0
        }
    }

    static class Trigger {
        static {
            n += 100; // count: 1
            System.exit(6); // count: 1
        }
    }

    static class Derived extends Base {
        Derived(int x) {
            super(x * 2); // count: 1
            n = -1; // count: 0
        }
    }

    public static void main(String[] args) {
        new Derived(4); // count: 1
        n = -2; // count: 0
    }
}
