import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An embedded HTTP server on loopback. Arguments: a file for its port, and how many threads serve. {@code /work?n=7} computes something of
 * size n, {@code /fail} throws in the handler, {@code /stop} ends the server.
 */
public class Server {
    static final CountDownLatch STOP = new CountDownLatch(1);

    static void handle(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        String answer = work(Integer.parseInt(query.substring(2)));
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
        ExecutorService pool = Executors.newFixedThreadPool(Integer.parseInt(args[1]));
        server.setExecutor(pool);
        server.createContext("/work", Server::handle);
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
