/** Method handles and var handles; a handle that throws; invokeExact with a signature of its own. */
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class Handles {
    int value;

    int plus(int n) {
        value += n; // count: 6
        return value; // count: 6
    }

    static long inverse(long n) {
        return 1000 / n; // count: 4
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle plus = lookup.findVirtual(Handles.class, "plus", MethodType.methodType(int.class, int.class));
        MethodHandle inverse = lookup.findStatic(Handles.class, "inverse", MethodType.methodType(long.class, long.class));
        Handles h = new Handles();
        long sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += (int) plus.invokeExact(h, i); // count: 6
        }
        for (long i = 0; i < 4; i++) {
            try {
                sum += (long) inverse.invokeExact(i); // count: 4
            } catch (ArithmeticException e) {
                sum += 7; // count: 1
            }
        }
        System.out.println(sum);
    }
}
