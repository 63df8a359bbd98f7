/** Instance initialisers are copied into every constructor that calls super(), not into those that call this(). */
public class InstanceInitialiser {
    static int log;
    int a = 5; // total: 6

    {
        for (int i = 0; i < 2; i++) { // total: 18
            log += a; // total: 12
        }
    }

    InstanceInitialiser() {
        log++; // count: 4
    }

    InstanceInitialiser(int n) {
        log += n; // count: 2
    }

    InstanceInitialiser(String s) {
        this(s.length()); // count: 2
        log += 100; // count: 1
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            new InstanceInitialiser(); // count: 4
        }
        new InstanceInitialiser(7); // count: 1
        for (String s : new String[] {"abc", null}) {
            try {
                new InstanceInitialiser(s); // count: 2
            } catch (NullPointerException e) {
                log += 1000; // count: 1
            }
        }
        System.out.println(log);
    }
}
