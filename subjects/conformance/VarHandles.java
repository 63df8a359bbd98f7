/** Variable handles and method handle combinators: signature-polymorphic calls, guards, loops and filters. */
// since: 11
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;

public class VarHandles {
    volatile int value;
    static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(VarHandles.class, "value", int.class); // count: 1
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e); // count: 0
        }
    }

    static boolean small(int n) {
        return n < 3; // count: 6
    }

    static int low(int n) {
        return n * 10; // count: 3
    }

    static int high(int n) {
        if (n == 5) { // count: 3
            throw new IllegalArgumentException(); // count: 1
        }
        return n * 100; // count: 2
    }

    static int caught(IllegalArgumentException e, int n) {
        return -n; // count: 1
    }

    static int add(int a, int b) {
        return a + b; // count: 4
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        VarHandles v = new VarHandles();
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += (int) VALUE.getAndAdd(v, i); // count: 4
            if (VALUE.compareAndSet(v, 3, 7)) { // count: 4
                sum += 1000; // count: 1
            }
        }
        MethodType unary = MethodType.methodType(int.class, int.class);
        MethodHandle guarded = MethodHandles.guardWithTest(
            lookup.findStatic(VarHandles.class, "small", MethodType.methodType(boolean.class, int.class)),
            lookup.findStatic(VarHandles.class, "low", unary),
            lookup.findStatic(VarHandles.class, "high", unary));
        MethodHandle safe = MethodHandles.catchException(guarded, IllegalArgumentException.class, lookup.findStatic(VarHandles.class, "caught",
            MethodType.methodType(int.class, IllegalArgumentException.class, int.class)));
        for (int i = 0; i < 6; i++) {
            sum += (int) safe.invokeExact(i); // count: 6
        }
        MethodHandle add = lookup.findStatic(VarHandles.class, "add", MethodType.methodType(int.class, int.class, int.class));
        MethodHandle counted = MethodHandles.countedLoop(MethodHandles.constant(int.class, 4), MethodHandles.constant(int.class, 0), add);
        sum += (int) counted.invokeExact(); // count: 1
        System.out.println(sum);
    }
}
