import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps {@link Server} busy from several threads. Arguments: the file with its port, threads, requests of each thread or 0, seconds if 0, and
 * how many milliseconds a thread pauses after each request (not at all by default).
 * Prints what was answered: successful requests, the sum of their sizes, failed ones, and how many of the first had a class of their own.
 */
public class Client {
    static final AtomicLong GOOD = new AtomicLong();
    static final AtomicLong SIZES = new AtomicLong();
    static final AtomicLong BAD = new AtomicLong();
    static final AtomicLong FRESH = new AtomicLong();

    static int get(int port, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL("http://127.0.0.1:" + port + path).openConnection();
        int status = connection.getResponseCode();
        int size = 0;
        try (InputStream in = status == 200 ? connection.getInputStream() : connection.getErrorStream()) {
            while (in != null && in.read() >= 0) {
                size++;
            }
        }
        return status == 200 ? size : -1;
    }

    static void request(int port, int number) {
        try {
            boolean fresh = number % 50 == 0;
            String work = (fresh ? "/fresh?n=" : "/work?n=") + number % 100;
            int size = get(port, number % 10 == 9 ? "/fail" : work);
            if (fresh && size >= 0) {
                FRESH.incrementAndGet();
            }
            if (size < 0) {
                BAD.incrementAndGet();
            } else {
                GOOD.incrementAndGet();
                SIZES.addAndGet(size);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void rest(long milliseconds) {
        try {
            if (milliseconds > 0) {
                Thread.sleep(milliseconds);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(new String(Files.readAllBytes(Paths.get(args[0]))));
        long requests = Long.parseLong(args[2]);
        long pause = args.length > 4 ? Long.parseLong(args[4]) : 0;
        long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000_000L;
        Thread[] all = new Thread[Integer.parseInt(args[1])];
        for (int t = 0; t < all.length; t++) {
            all[t] = new Thread(() -> {
                for (int i = 0; requests > 0 ? i < requests : System.nanoTime() < end; i++) {
                    request(port, i);
                    rest(pause);
                }
            });
            all[t].start();
        }
        for (Thread t : all) {
            t.join();
        }
        System.out.println(GOOD + " " + SIZES + " " + BAD + " " + FRESH);
        get(port, "/stop");
    }
}
