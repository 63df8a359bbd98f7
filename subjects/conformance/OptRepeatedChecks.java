/** Checks that succeeded before and succeed again, beside ones that look the same and fail: reassigned, on another way, in a loop. */
public class OptRepeatedChecks {
    int f;
    OptRepeatedChecks next;

    OptRepeatedChecks(int f, OptRepeatedChecks next) {
        this.f = f;
        this.next = next;
    }

    static int reassigned(OptRepeatedChecks a) {
        int s = a.f; // count: 6
        s += a.f; // count: 6
        a = a.next; // count: 6
        s += a.f; // count: 6
        return s + a.f; // count: 3
    }

    static int otherWay(OptRepeatedChecks a, boolean first) {
        int s = 1; // count: 8
        if (first) { // count: 8
            s += a.f; // count: 4
        }
        s += a.f; // count: 6
        s += a.f; // count: 4
        return s; // count: 4
    }

    static int chain(OptRepeatedChecks a) {
        int s = 0; // count: 2
        while (true) {
            OptRepeatedChecks b = a.next; // count: 8
            s += a.f; // count: 8
            s += b.f; // count: 8
            s += b.f; // count: 6
            a = b; // count: 6
        }
    }

    static int tested(OptRepeatedChecks a) {
        int s = 0; // count: 4
        if (a != null) { // count: 4
            s += a.f; // count: 2
        }
        s += 2; // count: 4
        if (a == null) { // count: 4
            s += 4; // count: 2
        }
        s += a.f; // count: 4
        return s; // count: 2
    }

    static int index(int[] a, int i) {
        int s = a[i]; // count: 6
        a[i] += s; // count: 4
        i++; // count: 4
        s += a[i]; // count: 4
        a[i]++; // count: 2
        a = new int[i]; // count: 2
        s += a[i]; // count: 2
        return s; // count: 0
    }

    static int constants(int[] a) {
        int s = a[2]; // count: 3
        s += a[1] + a[0]; // count: 2
        s += a[2]; // count: 2
        s += a[3]; // count: 2
        return s + a[3]; // count: 1
    }

    static int divided(int a, int b) {
        int s = a / b; // count: 4
        s += a % b; // count: 2
        b--; // count: 2
        s += a / b; // count: 2
        return s + a % b; // count: 1
    }

    static int compared(int a, int b) {
        if (b != 0) { // count: 4
            a += a / b; // count: 2
        }
        a += 1; // count: 4
        return a / b; // count: 4
    }

    static int cast(Object o, Object p) {
        int s = ((String) o).length(); // count: 6
        s += ((String) o).length(); // count: 4
        o = p; // count: 4
        s += ((String) o).length(); // count: 4
        return s; // count: 2
    }

    static int stored(Object[] a, Object x) {
        a[0] = "text"; // count: 4
        a[0] = x; // count: 4
        return a.length; // count: 2
    }

    static int caught(OptRepeatedChecks a, OptRepeatedChecks b) {
        int s = 0; // count: 6
        try {
            s += a.f; // count: 6
            s += b.f; // count: 4
        } catch (NullPointerException e) { // count: 4
            s += e.getStackTrace().length > 0 ? 1 : 1; // count: 4
            s += a.f; // count: 4
        }
        s += a.f; // count: 4
        s += b.f; // count: 4
        return s; // count: 2
    }

    static int locked(Object a, OptRepeatedChecks b) {
        int s = 0; // count: 4
        synchronized (a) { // count: 4
            s += b.f; // count: 4
            s += b.f; // count: 2
        }
        return s + b.f; // count: 2
    }

    static int fails;

    interface Body {
        int run();
    }

    static int attempt(Body body) {
        try {
            return body.run();
        } catch (NullPointerException | IndexOutOfBoundsException | ArithmeticException | ClassCastException
                | ArrayStoreException e) {
            fails++; // count: 36
            return 0;
        }
    }

    public static void main(String[] args) {
        OptRepeatedChecks one = new OptRepeatedChecks(1, null);
        OptRepeatedChecks two = new OptRepeatedChecks(2, one);
        OptRepeatedChecks four = new OptRepeatedChecks(3, new OptRepeatedChecks(4, two));
        int sum = 0;
        for (int round = 0; round < 2; round++) {
            int r = round;
            sum += attempt(() -> reassigned(two));
            sum += attempt(() -> reassigned(r == 0 ? four : one));
            sum += attempt(() -> reassigned(one));
            sum += attempt(() -> otherWay(two, true));
            sum += attempt(() -> otherWay(null, true));
            sum += attempt(() -> otherWay(two, false));
            sum += attempt(() -> otherWay(null, false));
            sum += attempt(() -> chain(four));
            sum += attempt(() -> tested(two));
            sum += attempt(() -> tested(null));
            sum += attempt(() -> index(new int[] {1, 2}, 0));
            sum += attempt(() -> index(new int[] {1, 2}, 1));
            sum += attempt(() -> index(new int[] {1, 2}, 2));
            sum += attempt(() -> divided(7, 1 + r));
            sum += attempt(() -> divided(7, 0));
            sum += attempt(() -> compared(7, 1 + r));
            sum += attempt(() -> compared(7, 0));
            sum += attempt(() -> cast("a", "b"));
            sum += attempt(() -> cast("a", 1));
            sum += attempt(() -> cast(1, "b"));
            sum += attempt(() -> stored(new Object[1], 1));
            sum += attempt(() -> stored(new String[1], 1));
            sum += attempt(() -> caught(one, two));
            sum += attempt(() -> caught(one, null));
            sum += attempt(() -> caught(null, one));
            sum += attempt(() -> locked(one, two));
            sum += attempt(() -> locked(one, null));
        }
        sum += attempt(() -> constants(new int[4]));
        sum += attempt(() -> constants(new int[3]));
        sum += attempt(() -> constants(new int[2]));
        System.out.println(sum + " " + fails);
    }
}
