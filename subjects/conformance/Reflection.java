/** Method.invoke, constructors and fields by reflection, and the exceptions they wrap. */
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

public class Reflection {
    static int n;

    static int half(int x) {
        n++; // count: 20
        if (x % 5 == 0) { // count: 20
            throw new IllegalArgumentException("fifth"); // count: 4
        }
        return x / 2; // count: 16
    }

    Reflection(boolean fail) {
        n += 100; // count: 2
        if (fail) { // count: 2
            throw new IllegalStateException(); // count: 1
        }
    }

    public static void main(String[] args) throws Exception {
        Method m = Reflection.class.getDeclaredMethod("half", int.class);
        int sum = 0;
        for (int i = 0; i < 20; i++) {
            try {
                sum += (Integer) m.invoke(null, i); // count: 20
            } catch (InvocationTargetException e) {
                sum += 1000; // count: 4
            }
        }
        Constructor<Reflection> c = Reflection.class.getDeclaredConstructor(boolean.class);
        for (boolean fail : new boolean[] {false, true}) {
            try {
                c.newInstance(fail); // count: 2
            } catch (InvocationTargetException e) {
                sum += 5; // count: 1
            }
        }
        System.out.println(sum + " " + n);
    }
}
