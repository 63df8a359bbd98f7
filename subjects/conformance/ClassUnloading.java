/** Classes that are unloaded with their loaders while the program runs (breakpoints keep them alive): what they counted stays. */
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.function.IntUnaryOperator;

public class ClassUnloading {
    public static class Worker implements IntUnaryOperator {
        int calls;

        @Override
        public int applyAsInt(int n) {
            int s = 0; // count: 60
            for (int i = 0; i < n; i++) {
                s += i; // count: 270
            }
            return s + ++calls; // count: 60
        }
    }

    static class Own extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("ClassUnloading$Worker")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = ClassUnloading.class.getResourceAsStream("ClassUnloading$Worker.class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    out.write(b);
                }
                return defineClass(name, out.toByteArray(), 0, out.size()); // count: 6
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e); // count: 0
            }
        }
    }

    static int use(WeakReference<?>[] seen, int round) throws Exception {
        Class<?> c = new Own().loadClass("ClassUnloading$Worker"); // count: 6
        seen[round] = new WeakReference<>(c);
        IntUnaryOperator f = (IntUnaryOperator) c.getDeclaredConstructor().newInstance();
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += f.applyAsInt(i); // count: 60
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        WeakReference<?>[] seen = new WeakReference<?>[6];
        int sum = 0;
        for (int round = 0; round < 6; round++) {
            sum += use(seen, round); // count: 6
            System.gc();
        }
        await(seen);
        System.out.println(sum);
    }

    // varies: await
    static void await(WeakReference<?>[] seen) throws InterruptedException {
        int gone = 0;
        for (int tries = 0; tries < 100 && gone == 0; tries++) {
            System.gc();
            gone = 0;
            for (WeakReference<?> w : seen) {
                gone += w.get() == null ? 1 : 0;
            }
            Thread.sleep(2);
        }
    }
}
