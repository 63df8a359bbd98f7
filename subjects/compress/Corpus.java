import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Makes files of many kinds and sizes to compress; see README.md. Same seed, same archives, same bytes. */
public class Corpus {
    static final int SMALLEST = 2_000;
    static final int LARGEST = 600_000;

    private final Path directory;
    private final Random random;
    private final List<String> written = new ArrayList<>();

    Corpus(Path directory, long seed) {
        this.directory = directory;
        this.random = new Random(seed);
    }

    interface Kind {
        byte[] make(int size) throws IOException;
    }

    public static void main(String[] args) throws IOException {
        Corpus corpus = new Corpus(Path.of(args[0]), args.length > 3 ? Long.parseLong(args[3]) : 7);
        Files.createDirectories(corpus.directory);
        List<Path> sources = list(Path.of(args[1]), ".java");
        List<Path> jars = list(Path.of(args[2]), ".jar");
        byte[] text = corpus.joined(sources);
        byte[] classes = corpus.classes(jars);
        List<String> words = words(text);

        corpus.add("java", 90, size -> corpus.slice(text, size));
        corpus.add("class", 60, size -> corpus.slice(classes, size));
        corpus.add("jar", 40, size -> corpus.slice(Files.readAllBytes(corpus.any(jars)), size));
        corpus.add("words", 40, size -> corpus.sentences(words, size));
        corpus.singles(sources, 60);
        corpus.add("random", 25, corpus::noise);
        corpus.add("repeat", 25, corpus::repeated);
        corpus.add("sparse", 25, corpus::sparse);
        corpus.add("runs", 25, corpus::runs);
        corpus.add("dna", 25, corpus::dna);
        corpus.add("base64", 25, size -> Arrays.copyOf(Base64.getMimeEncoder().encode(corpus.noise(size)), size));
        corpus.add("log", 25, size -> corpus.lines(size, corpus::logLine));
        corpus.add("json", 25, size -> corpus.lines(size, corpus::jsonLine));
        corpus.add("csv", 25, size -> corpus.lines(size, corpus::csvLine));
        corpus.add("xml", 25, size -> corpus.lines(size, corpus::xmlLine));
        corpus.add("image", 20, corpus::image);
        corpus.add("audio", 20, corpus::audio);
        corpus.add("ints", 20, corpus::sortedInts);
        corpus.add("floats", 20, corpus::floats);

        // The order of observations says nothing about kind or size.
        Collections.shuffle(corpus.written, corpus.random);
        Files.write(corpus.directory.resolve("list.txt"), corpus.written);
        System.out.println(corpus.written.size() + " files in " + corpus.directory);
    }

    static List<Path> list(Path root, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(p -> p.toString().endsWith(suffix) && !p.toString().endsWith("-sources.jar")).sorted()
                    .collect(Collectors.toList());
        }
    }

    void add(String kind, int count, Kind maker) throws IOException {
        for (int i = 0; i < count; i++) {
            double share = (i + random.nextDouble()) / count;
            int size = (int) (SMALLEST * Math.pow((double) LARGEST / SMALLEST, share));
            write(String.format("%s-%03d", kind, i), maker.make(size));
        }
    }

    void write(String name, byte[] data) throws IOException {
        Path file = directory.resolve(name);
        Files.write(file, data);
        written.add(file.toString());
    }

    <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    byte[] joined(List<Path> files) throws IOException {
        List<Path> order = new ArrayList<>(files);
        Collections.shuffle(order, random);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Path file : order) {
            out.write(Files.readAllBytes(file));
        }
        return out.toByteArray();
    }

    byte[] classes(List<Path> jars) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Path jar : jars) {
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                List<? extends ZipEntry> entries = zip.stream().filter(e -> e.getName().endsWith(".class"))
                        .sorted((a, b) -> a.getName().compareTo(b.getName())).collect(Collectors.toList());
                for (ZipEntry entry : entries) {
                    out.write(zip.getInputStream(entry).readAllBytes());
                }
            }
        }
        return out.toByteArray();
    }

    void singles(List<Path> sources, int count) throws IOException {
        List<Path> large = new ArrayList<>();
        for (Path source : sources) {
            if (Files.size(source) >= SMALLEST) {
                large.add(source);
            }
        }
        for (int i = 0; i < count; i++) {
            write(String.format("single-%03d", i), Files.readAllBytes(any(large)));
        }
    }

    byte[] slice(byte[] from, int size) {
        int start = random.nextInt(Math.max(1, from.length - size));
        return Arrays.copyOfRange(from, start, Math.min(from.length, start + size));
    }

    static List<String> words(byte[] text) {
        String head = new String(text, 0, Math.min(text.length, 400_000), StandardCharsets.ISO_8859_1);
        return Stream.of(head.split("[^A-Za-z]+")).filter(w -> w.length() > 1).collect(Collectors.toList());
    }

    byte[] sentences(List<String> words, int size) {
        StringBuilder out = new StringBuilder(size + 20);
        int vocabulary = 50 + random.nextInt(words.size() - 50);
        while (out.length() < size) {
            out.append(words.get(random.nextInt(vocabulary))).append(random.nextInt(12) == 0 ? ".\n" : " ");
        }
        return bytes(out, size);
    }

    static byte[] bytes(StringBuilder text, int size) {
        return text.substring(0, Math.min(size, text.length())).getBytes(StandardCharsets.ISO_8859_1);
    }

    byte[] noise(int size) {
        byte[] data = new byte[size];
        random.nextBytes(data);
        return data;
    }

    byte[] repeated(int size) {
        byte[] pattern = noise(1 + random.nextInt(300));
        byte[] data = new byte[size];
        for (int i = 0; i < size; i++) {
            data[i] = pattern[i % pattern.length];
            if (random.nextInt(2000) == 0) {
                data[i]++;
            }
        }
        return data;
    }

    byte[] sparse(int size) {
        byte[] data = new byte[size];
        for (int i = 0; i < size; i += 1 + random.nextInt(200)) {
            data[i] = (byte) random.nextInt();
        }
        return data;
    }

    byte[] runs(int size) {
        byte[] data = new byte[size];
        for (int i = 0; i < size;) {
            int end = Math.min(size, i + 1 + random.nextInt(40));
            Arrays.fill(data, i, end, (byte) random.nextInt(16));
            i = end;
        }
        return data;
    }

    byte[] dna(int size) {
        byte[] data = new byte[size];
        for (int i = 0; i < size; i++) {
            data[i] = (byte) "ACGT".charAt(random.nextInt(4));
            if (i > 200 && random.nextInt(150) == 0) {
                int length = Math.min(size - i, 20 + random.nextInt(60));
                System.arraycopy(data, random.nextInt(i - 100), data, i, Math.min(length, 100));
                i += length - 1;
            }
        }
        return data;
    }

    interface Line {
        void append(StringBuilder out, int number);
    }

    byte[] lines(int size, Line line) {
        StringBuilder out = new StringBuilder(size + 200);
        for (int n = 0; out.length() < size; n++) {
            line.append(out, n);
        }
        return bytes(out, size);
    }

    int skewed(int n) {
        return (int) (n * Math.pow(random.nextDouble(), 3));
    }

    void logLine(StringBuilder out, int n) {
        out.append("2026-03-").append(10 + n / 5000 % 20).append(' ').append(String.format("%02d:%02d:%02d.%03d",
                n / 3600 % 24, n / 60 % 60, n % 60, random.nextInt(1000)))
                .append(random.nextInt(9) == 0 ? " WARN " : " INFO ").append("worker-").append(random.nextInt(8))
                .append(" request ").append(Integer.toHexString(random.nextInt())).append(" took ").append(skewed(900))
                .append(" ms, path /api/v1/items/").append(skewed(5000)).append('\n');
    }

    void jsonLine(StringBuilder out, int n) {
        out.append("{\"id\":").append(n).append(",\"name\":\"user").append(skewed(3000)).append("\",\"score\":")
                .append(random.nextInt(10_000) / 100.0).append(",\"active\":").append(random.nextBoolean())
                .append(",\"tags\":[\"t").append(skewed(30)).append("\",\"t").append(skewed(30)).append("\"]}\n");
    }

    void csvLine(StringBuilder out, int n) {
        out.append(n);
        for (int c = 0; c < 8; c++) {
            out.append(',').append(c % 3 == 0 ? String.valueOf(skewed(100)) : String.valueOf(random.nextInt(1_000_000)));
        }
        out.append('\n');
    }

    void xmlLine(StringBuilder out, int n) {
        out.append("  <entry key=\"").append(n).append("\" class=\"c").append(skewed(12)).append("\"><value>")
                .append(random.nextInt(1000)).append("</value><note>item ").append(skewed(400))
                .append("</note></entry>\n");
    }

    byte[] image(int size) {
        int width = (int) Math.sqrt(size / 3.0);
        int noise = random.nextInt(12);
        byte[] data = new byte[size];
        for (int i = 0; i < size; i++) {
            int x = i / 3 % width;
            int y = i / 3 / width;
            data[i] = (byte) (x * (i % 3 + 1) / 4 + y / 2 + (noise == 0 ? 0 : random.nextInt(noise)));
        }
        return data;
    }

    byte[] audio(int size) {
        double[] pitch = {random.nextDouble() * 0.1, random.nextDouble() * 0.03, random.nextDouble() * 0.3};
        byte[] data = new byte[size];
        for (int i = 0; i + 1 < size; i += 2) {
            double v = 9000 * Math.sin(i * pitch[0]) + 6000 * Math.sin(i * pitch[1]) + 1500 * Math.sin(i * pitch[2]);
            int sample = (int) (v + random.nextGaussian() * 40);
            data[i] = (byte) sample;
            data[i + 1] = (byte) (sample >> 8);
        }
        return data;
    }

    byte[] sortedInts(int size) {
        byte[] data = new byte[size];
        int value = 0;
        int step = 1 + random.nextInt(5000);
        for (int i = 0; i + 3 < size; i += 4) {
            value += random.nextInt(step);
            for (int b = 0; b < 4; b++) {
                data[i + b] = (byte) (value >> (24 - 8 * b));
            }
        }
        return data;
    }

    byte[] floats(int size) {
        byte[] data = new byte[size];
        double level = 100;
        for (int i = 0; i + 7 < size; i += 8) {
            level += random.nextGaussian();
            long bits = Double.doubleToLongBits(Math.rint(level * 100) / 100);
            for (int b = 0; b < 8; b++) {
                data[i + b] = (byte) (bits >> (56 - 8 * b));
            }
        }
        return data;
    }
}
