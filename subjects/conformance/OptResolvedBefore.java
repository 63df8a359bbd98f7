/** Constants resolved before on one way and not on another; accesses that fail at first and are tried again. */
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

public class OptResolvedBefore {
    static class Missing {
        static int field = 1;
    }

    static class Fails {
        static int field = compute();

        static int compute() {
            int[] none = new int[0];
            return none[0]; // count: 1
        }
    }

    static class Works {
        static int field = OptResolvedBefore.initialising();
        static int later = 5;
    }

    static int initialising() {
        int s = Works.later; // count: 1
        Works.later = s + 1; // count: 1
        s += Works.later; // count: 1
        return s; // count: 1
    }

    static int again() {
        int s = 0; // count: 3
        for (int i = 0; i < 3; i++) { // count: 3
            try {
                s += Fails.field; // count: 9
                s += Fails.field; // count: 0
            } catch (LinkageError e) {
                s++; // count: 9
            }
        }
        try {
            s += Fails.field; // count: 3
        } finally {
            s++;
        }
        return s; // count: 0
    }

    static int twice() {
        int s = Works.field; // count: 2
        s += Works.field; // count: 2
        Works.field = s; // count: 2
        Works.field = 1; // count: 2
        return s + Works.field; // count: 2
    }

    public static class Uses implements IntUnaryOperator {
        static int oneWay(int n) {
            int s = n; // count: 4
            if (n > 2) { // count: 4
                s += Missing.field; // count: 2
                s += Missing.field; // count: 0
            }
            s++; // count: 2
            s += Missing.field; // count: 2
            return s; // count: 0
        }

        static int nullIsCast(Object o) {
            Missing m = (Missing) o; // count: 4
            Missing again = (Missing) o; // count: 2
            return again == m ? 1 : 0; // count: 2
        }

        static int thenLoaded(Object o) {
            int s = (Missing) o == null ? 1 : 2; // count: 4
            s += Missing.class.hashCode(); // count: 2
            return s; // count: 0
        }

        static int thenAsked(Object o, Object p) {
            boolean a = o instanceof Missing; // count: 4
            boolean b = p instanceof Missing; // count: 2
            return a == b ? 1 : 0; // count: 0
        }

        @Override
        public int applyAsInt(int n) {
            int s = 0;
            try {
                s += oneWay(n); // count: 4
            } catch (NoClassDefFoundError e) {
                s += 1; // count: 4
            }
            Object o = n % 2 == 0 ? null : this; // count: 4
            try {
                s += nullIsCast(o); // count: 4
            } catch (NoClassDefFoundError e) {
                s += 10; // count: 2
            }
            try {
                s += thenLoaded(o); // count: 4
            } catch (NoClassDefFoundError e) {
                s += 100; // count: 4
            }
            try {
                s += thenAsked(o, this); // count: 4
            } catch (NoClassDefFoundError e) {
                s += 1000; // count: 4
            }
            return s;
        }
    }

    static class Hides extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("OptResolvedBefore$Missing")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals("OptResolvedBefore$Uses")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = OptResolvedBefore.class.getResourceAsStream("OptResolvedBefore$Uses.class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    out.write(b);
                }
                return defineClass(name, out.toByteArray(), 0, out.size());
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int sum = twice() + twice();
        for (int i = 0; i < 3; i++) {
            try {
                sum += again(); // count: 3
            } catch (LinkageError e) {
                sum++; // count: 3
            }
        }
        Class<?> c = new Hides().loadClass("OptResolvedBefore$Uses");
        IntUnaryOperator f = (IntUnaryOperator) c.getDeclaredConstructor().newInstance();
        for (int i = 1; i < 5; i++) {
            sum += f.applyAsInt(i); // count: 4
        }
        System.out.println(sum);
    }
}
