import java.io.File;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that works before and after it is observed: it makes the file {@code ready}, waits for {@code go}, has sixteen threads and, where there are any, 500 virtual
 * ones work, makes {@code done} and waits for {@code end}. With an argument some threads empty their thread locals meanwhile, which needs
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
public class Late {
    static int sum;

    static int hammer(int i) {
        return i % 3 == 0 ? i + 1 : i - 1;
    }

    static synchronized void add(int n) {
        sum += n;
    }

    static int fall(int n) {
        try {
            if (n % 2 == 0) {
                throw new IllegalStateException();
            }
            return n;
        } catch (IllegalStateException e) {
            return -n;
        }
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static void wipe() throws Exception {
        Field locals = Thread.class.getDeclaredField("threadLocals");
        locals.setAccessible(true);
        locals.set(Thread.currentThread(), null);
    }

    static void phase(boolean wipes, int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += hammer(i);
            if (wipes && i % 1000 == 0) {
                try {
                    wipe();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        for (int i = 0; i < 100; i++) {
            s += fall(i);
        }
        add(s + deep(50));
    }

    static void await(String file) throws Exception {
        while (!new File(file).exists()) {
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        phase(false, 20_000);
        sum = 0;
        new File("ready").createNewFile();
        await("go");
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 16; t++) {
            boolean wipes = t % 4 == 0 && args.length > 0;
            threads.add(new Thread(() -> phase(wipes, 200_000)));
        }
        if (Runtime.version().feature() >= 21) {
            for (int t = 0; t < 500; t++) {
                Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
                Runnable run = () -> { phase(false, 100); Thread.yield(); phase(false, 100); };
                threads.add((Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class).invoke(builder, run));
            }
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        new Later().run();
        new File("done").createNewFile();
        await("end");
        System.out.println(sum);
    }
}

class Later implements Runnable {
    public void run() {
        for (int i = 0; i < 1000; i++) {
            Late.hammer(i);
        }
    }
}
