import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Programs that predictions are moved with: `Programs NAME ROUNDS` calls one with sizes in turn. Each call of `work` is an observation. */
public class Programs {
    static long sink;
    static final String[] WORDS = new String[500];
    static final byte[] BYTES = new byte[1 << 17];

    public static void main(String[] args) throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < WORDS.length; i++) WORDS[i] = "w" + Integer.toString(random.nextInt(1 << 20), 36);
        for (int i = 0; i < BYTES.length; i++) BYTES[i] = (byte) "the quick brown fox".charAt(random.nextInt(19));
        int[] sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14};
        for (int round = 0; round < Integer.parseInt(args[1]); round++)
            for (int size : sizes) sink += work(args[0], size);
        System.out.println(sink);
    }

    static long work(String name, int size) throws Exception {
        switch (name) {
            case "matrix": return matrix(24 + 8 * size);
            case "words": return words(2000 * size);
            case "bytes": return bytes(8000 * size);
            case "queens": return queens(size + 60, 6 + size % 2);
            case "logs": return logs(150 * size);
            case "objects": return objects(3000 * size);
            default: throw new IllegalArgumentException(name);
        }
    }

    static long matrix(int n) {
        double[][] a = new double[n][n], b = new double[n][n], c = new double[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a[i][j] = i * 0.5 + j;
                b[i][j] = i - j * 0.25;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
        return (long) c[n / 2][n / 3];
    }

    static long words(int n) {
        Map<String, Integer> counts = new HashMap<>();
        StringBuilder text = new StringBuilder();
        int seed = n;
        for (int i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            String word = WORDS[(seed >>> 8) % WORDS.length];
            counts.merge(word, 1, Integer::sum);
            if ((seed & 255) == 0) text.append(word).append(',');
        }
        List<String> keys = new ArrayList<>(counts.keySet());
        java.util.Collections.sort(keys);
        long hash = text.length();
        for (String key : keys) hash = hash * 31 + key.length() * counts.get(key);
        return hash;
    }

    static long bytes(int n) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(BYTES, 0, n);
        CRC32 crc = new CRC32();
        crc.update(BYTES, 0, n);
        Deflater deflater = new Deflater();
        deflater.setInput(BYTES, 0, n);
        deflater.finish();
        byte[] out = new byte[n];
        int length = deflater.deflate(out);
        deflater.end();
        int run = 0;
        for (int i = 1; i < n; i++) if (BYTES[i] == BYTES[i - 1]) run++;
        return digest.digest()[0] + crc.getValue() + length + run;
    }

    static long queens(int times, int n) {
        long found = 0;
        for (int i = 0; i < times; i++) found += place(n, 0, 0, 0, 0);
        return found;
    }

    static int place(int n, int row, int columns, int left, int right) {
        if (row == n) return 1;
        int found = 0;
        for (int c = 0; c < n; c++) {
            int bit = 1 << c;
            if ((columns & bit) != 0 || (left & bit) != 0 || (right & bit) != 0) continue;
            found += place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >>> 1);
        }
        return found;
    }

    static final Pattern LINE = Pattern.compile("(\\w+)=(\\d+) (\\w+)");

    static long logs(int n) {
        TreeMap<String, Long> sums = new TreeMap<>();
        for (int i = 0; i < n; i++) {
            String line = WORDS[i % 50] + "=" + (i * 7919) % 10007 + " " + WORDS[(i * 31) % WORDS.length];
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) continue;
            long value = Long.parseLong(matcher.group(2));
            String key = matcher.group(1);
            Long before = sums.get(key);
            sums.put(key, before == null ? value : before + value);
        }
        long hash = 0;
        for (Map.Entry<String, Long> entry : sums.entrySet()) hash = hash * 17 + entry.getValue();
        return hash;
    }

    abstract static class Shape {
        double x, y;
        abstract double area();
    }

    static class Circle extends Shape {
        double area() { return 3 * x * x; }
    }

    static class Box extends Shape {
        double area() { return x * y; }
    }

    static class Line extends Shape {
        double area() { return 0; }
    }

    static long objects(int n) {
        Shape[] shapes = new Shape[n];
        int seed = n;
        for (int i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            Shape shape = (seed & 0x600) == 0 ? new Circle() : (seed & 0x200) == 0 ? new Box() : new Line();
            shape.x = seed & 15;
            shape.y = (seed >> 4) & 15;
            shapes[i] = shape;
        }
        double sum = 0;
        for (int pass = 0; pass < 5; pass++) for (Shape shape : shapes) sum += shape.area();
        double[] areas = new double[n];
        for (int i = 0; i < n; i++) areas[i] = shapes[i].area();
        Arrays.sort(areas);
        return (long) (sum + areas[n / 2]);
    }
}
