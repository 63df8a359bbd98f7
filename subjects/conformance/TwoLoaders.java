/** The same class bytes defined by two further class loaders: one plan, counts added up. */
// since: 11
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

public class TwoLoaders {
    public static class Worker implements IntUnaryOperator {
        static int calls;

        @Override
        public int applyAsInt(int n) {
            calls++; // count: 9
            return calls * 10 + n; // count: 9
        }
    }

    static class Own extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("TwoLoaders$Worker")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = TwoLoaders.class.getResourceAsStream("TwoLoaders$Worker.class")) {
                byte[] b = in.readAllBytes(); // count: 2
                return defineClass(name, b, 0, b.length); // count: 2
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e); // count: 0
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        IntUnaryOperator[] all = new IntUnaryOperator[3];
        all[0] = new Worker();
        for (int i = 1; i < 3; i++) {
            all[i] = (IntUnaryOperator) new Own().loadClass("TwoLoaders$Worker").getDeclaredConstructor().newInstance();
        }
        for (int i = 0; i < 3; i++) {
            for (IntUnaryOperator f : all) {
                sum += f.applyAsInt(i); // count: 9
            }
        }
        System.out.println(sum);
    }
}
