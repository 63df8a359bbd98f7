/** Instructions that throw because a class, field or method is not there: in the middle of a block, once and again. */
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

public class LinkageErrors {
    static class Missing {
        static int field = 1;

        int own = 2;

        static int call() {
            return 3;
        }
    }

    static class Gone extends Exception {
    }

    public static class Uses implements IntUnaryOperator {
        int news(int n) {
            int a = n + 1; // count: 3
            Object o = new Missing(); // count: 3
            return a + o.hashCode(); // count: 0
        }

        int gets(int n) {
            int a = n + 1; // count: 3
            a += Missing.field; // count: 3
            return a; // count: 0
        }

        int calls(int n) {
            int a = n + 1; // count: 3
            a += Missing.call(); // count: 3
            return a; // count: 0
        }

        int literals(int n) {
            int a = n + 1; // count: 3
            a += Missing.class.hashCode(); // count: 3
            return a; // count: 0
        }

        int arrays(int n) {
            int a = n + 1; // count: 3
            Object o = new Missing[n][2]; // count: 3
            return a + o.hashCode(); // count: 0
        }

        int casts(Object o) {
            int a = 5; // count: 3
            boolean b = o instanceof Missing; // count: 3
            return b ? a : -a; // count: 0
        }

        @Override
        public int applyAsInt(int n) {
            int sum = 0; // count: 3
            try {
                sum += news(n); // count: 3
            } catch (NoClassDefFoundError e) {
                sum += 1; // count: 3
            }
            try {
                sum += gets(n); // count: 3
            } catch (NoClassDefFoundError e) {
                sum += 10; // count: 3
            }
            try {
                sum += calls(n); // count: 3
            } catch (NoClassDefFoundError e) {
                sum += 100; // count: 3
            }
            try {
                sum += literals(n); // count: 3
            } catch (NoClassDefFoundError e) {
                sum += 1000; // count: 3
            }
            try {
                sum += arrays(n); // count: 3
            } catch (NoClassDefFoundError e) {
                sum += 10000; // count: 3
            }
            try {
                sum += casts(this); // count: 3
            } catch (NoClassDefFoundError e) {
                sum += 100000; // count: 3
            }
            return sum;
        }
    }

    static class Hides extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("LinkageErrors$Missing")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals("LinkageErrors$Uses")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = LinkageErrors.class.getResourceAsStream("LinkageErrors$Uses.class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    out.write(b);
                }
                return defineClass(name, out.toByteArray(), 0, out.size()); // count: 1
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e); // count: 0
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Class<?> c = new Hides().loadClass("LinkageErrors$Uses");
        IntUnaryOperator f = (IntUnaryOperator) c.getDeclaredConstructor().newInstance();
        int sum = 0;
        for (int i = 1; i < 4; i++) {
            sum += f.applyAsInt(i); // count: 3
        }
        System.out.println(sum);
    }
}
