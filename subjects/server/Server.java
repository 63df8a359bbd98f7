import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;

/**
 * An embedded HTTP server on loopback. Arguments: a file for its port, and how many threads serve, or 0 for a new thread for each request.
 * {@code /work?n=7} computes something of size n, {@code /fresh?n=7} does so by a class that is loaded for this request alone, {@code /fail}
 * throws in the handler, {@code /stop} ends the server.
 */
public class Server {
    static final CountDownLatch STOP = new CountDownLatch(1);

    /** Loaded anew by each {@link Throwaway}. */
    public static class Disposable implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            int turns = 0;
            while (turns < n) {
                turns++;
            }
            return turns;
        }
    }

    static class Throwaway extends ClassLoader {
        static final byte[] CODE = code();

        Throwaway() {
            super(Server.class.getClassLoader());
        }

        static byte[] code() {
            try (InputStream in = Server.class.getResourceAsStream("Server$Disposable.class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals("Server$Disposable") ? defineClass(name, CODE, 0, CODE.length) : super.loadClass(name, resolve);
        }
    }

    static int size(HttpExchange exchange) {
        return Integer.parseInt(exchange.getRequestURI().getQuery().substring(2));
    }

    static void handle(HttpExchange exchange) throws IOException {
        answer(exchange, work(size(exchange)));
    }

    static void fresh(HttpExchange exchange) throws IOException {
        try {
            Class<?> disposable = new Throwaway().loadClass("Server$Disposable");
            Object operator = disposable.getDeclaredConstructor().newInstance();
            answer(exchange, work(((IntUnaryOperator) operator).applyAsInt(size(exchange))));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void answer(HttpExchange exchange, String answer) throws IOException {
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    static String work(int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++) {
            text.append(digit(i));
        }
        return text.toString();
    }

    static char digit(int i) {
        return (char) ('0' + i % 10);
    }

    static void fail(HttpExchange exchange) throws IOException {
        try {
            work(-1).charAt(0);
        } catch (StringIndexOutOfBoundsException e) {
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        }
    }

    static void stop(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
        STOP.countDown();
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int threads = Integer.parseInt(args[1]);
        ExecutorService pool = Executors.newFixedThreadPool(Math.max(threads, 1));
        server.setExecutor(threads > 0 ? pool : request -> new Thread(request).start());
        server.createContext("/work", Server::handle);
        server.createContext("/fresh", Server::fresh);
        server.createContext("/fail", Server::fail);
        server.createContext("/stop", Server::stop);
        server.start();
        Path port = Paths.get(args[0]);
        Path part = Paths.get(args[0] + ".part");
        Files.write(part, Integer.toString(server.getAddress().getPort()).getBytes(StandardCharsets.US_ASCII));
        Files.move(part, port, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        STOP.await();
        server.stop(1);
        pool.shutdown();
    }
}
