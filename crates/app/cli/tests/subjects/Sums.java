import java.io.*;
import java.nio.file.*;

/** Obeys the word on the first line of its input; otherwise works as long as the number there says. */
public class Sums {
    static long sum(int n) {
        long total = 0;
        for (int i = 0; i < n; i++) {
            total += i % 7 * 3L;
        }
        return total;
    }

    static long product(int n) {
        long total = 1;
        for (int i = 1; i < n; i++) {
            total = total * i + (total >> 3);
        }
        return total;
    }

    static byte[] sink;

    /** Ends the JVM in the way a word says. */
    static void end(String word) throws Exception {
        switch (word) {
            case "throw": throw new IllegalStateException("told to");
            case "exit": System.exit(7);
            case "halt": Runtime.getRuntime().halt(9);
            case "hang": Thread.sleep(600_000);
            case "crash":
                var field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
                field.setAccessible(true);
                var put = field.getType().getMethod("putAddress", long.class, long.class);
                put.invoke(field.get(null), 0L, 0L);
        }
    }

    public static void main(String[] args) throws Exception {
        String[] words = (args.length > 0 ? Files.readString(Path.of(args[0])) : new String(System.in.readAllBytes())).trim().split(" ");
        switch (words[0]) {
            case "throw": case "exit": case "halt": case "hang": case "crash":
                end(words[0]);
                break;
            case "allocate":
                for (int i = 0; i < 600; i++) sink = new byte[1 << 16];
                break;
            case "nap":
                Thread.sleep(2_200);
                break;
            case "memory": byte[][] hog = new byte[1 << 20][]; for (int i = 0; ; i++) hog[i] = new byte[1 << 24];
            case "gigabyte":
                byte[] block = new byte[1 << 20];
                java.util.Arrays.fill(block, (byte) 'x');
                for (int i = 0; i < 1024; i++) System.out.write(block);
                System.out.flush();
                break;
            case "fork":
                new ProcessBuilder("sh", "-c", "sleep 300 & sleep 300").inheritIO().start();
                break;
            case "garbage":
                byte[] noise = new byte[300];
                for (int i = 0; i < noise.length; i++) noise[i] = (byte) (i * 37);
                noise[0] = (byte) 0xCA; noise[1] = (byte) 0xFE; noise[2] = (byte) 0xBA; noise[3] = (byte) 0xBE;
                try {
                    new ClassLoader() { Class<?> make() { return defineClass(null, noise, 0, noise.length); } }.make();
                } catch (LinkageError expected) {
                    System.out.println("refused: " + expected.getClass());
                }
                break;
            case "calls":
                for (int i = 0; i < 120; i++) {
                    sum(2000 + i % 30 * 400);
                    if (words.length > 1) Thread.sleep(3);
                }
                if (words.length > 1) end(words[1]);
                break;
            default:
                long result = 0;
                int n = Integer.parseInt(words[0]);
                for (int i = 0; i < n; i++) result += sum(1000);
                int m = words.length > 1 ? Integer.parseInt(words[1]) : 0;
                for (int i = 0; i < m; i++) result += product(1000);
                System.out.println(result);
        }
    }
}
