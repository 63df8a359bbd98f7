import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The JDK's HTTP server with four threads, answering JSON documents that four clients post to it over loopback. Only the server's threads are timed. */
final class HttpProgram implements Bench.Program {
    private static final int THREADS = 4;
    private static final int REQUESTS = 300;
    private final ObjectMapper mapper = new ObjectMapper();
    private final List<Thread> workers = new CopyOnWriteArrayList<>();
    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS, this::worker);
    private final ExecutorService clients = Executors.newFixedThreadPool(THREADS);
    private final HttpServer server;
    private final byte[][] bodies = new byte[16][];

    HttpProgram() throws Exception {
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = mapper.writeValueAsBytes(JsonProgram.orders(12, i));
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/summary", this::answer);
        server.setExecutor(pool);
        server.start();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("HTTP-Dispatcher")) {
                workers.add(thread);
            }
        }
    }

    private Thread worker(Runnable task) {
        Thread thread = new Thread(task);
        workers.add(thread);
        return thread;
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] answer;
        try (InputStream in = exchange.getRequestBody()) {
            answer = summary(mapper.readTree(in));
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(answer);
        }
    }

    private byte[] summary(JsonNode orders) throws IOException {
        Map<String, Double> totals = new TreeMap<>();
        for (JsonNode order : orders) {
            double worth = 0;
            for (JsonNode item : order.get("items")) {
                worth += item.get("count").asInt() * item.get("price").asDouble();
            }
            totals.merge(order.get("customer").asText(), worth, Double::sum);
        }
        return mapper.writeValueAsBytes(totals);
    }

    @Override
    public long run() throws Exception {
        List<Future<Long>> sums = new ArrayList<>();
        for (int client = 0; client < THREADS; client++) {
            int number = client;
            sums.add(clients.submit(() -> load(number)));
        }
        long sum = 0;
        for (Future<Long> one : sums) {
            sum += one.get();
        }
        return sum;
    }

    /** One client: a connection, kept open, with one request after the other. */
    private long load(int client) throws IOException {
        long sum = 0;
        try (Socket socket = new Socket(server.getAddress().getAddress(), server.getAddress().getPort())) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (int i = 0; i < REQUESTS; i++) {
                byte[] body = bodies[(i + client) % bodies.length];
                ByteArrayOutputStream request = new ByteArrayOutputStream(body.length + 128);
                request.writeBytes(("POST /summary HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                request.writeBytes(body);
                request.writeTo(out);
                out.flush();
                sum += Bench.sum(response(in));
            }
        }
        return sum;
    }

    private static byte[] response(InputStream in) throws IOException {
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.toLowerCase().startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).trim());
            }
        }
        return in.readNBytes(length);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the server closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public long cpu() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Thread thread : workers) {
            sum += Math.max(0, threads.getThreadCpuTime(thread.getId()));
        }
        return sum;
    }

    @Override
    public void close() {
        clients.shutdown();
        server.stop(0);
        pool.shutdown();
    }
}
