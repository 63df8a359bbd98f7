import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs one benchmark program in one virtual machine: {@code Bench PROGRAM SOURCES WARM-UP TIMED}.
 *
 * <p>{@code SOURCES} is a directory of real source files, from which programs take their texts. Prints a line per timed
 * iteration: CPU time of the threads that did the work, CPU time of the process, wall time (all ns), and a checksum of
 * what was computed, which must be the same in every iteration of every run.
 */
public final class Bench {
    /** A program under measurement. */
    interface Program extends AutoCloseable {
        /** One iteration: the same work each time; returns a checksum of its result. */
        long run() throws Exception;

        /** CPU time so far of the threads that do the work, in ns. */
        default long cpu() {
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }

        @Override
        default void close() {}
    }

    private Bench() {}

    private static Program make(String name, Path sources) throws Exception {
        switch (name) {
            case "bzip2":
                return new BzipProgram(sources);
            case "xz":
                return new XzProgram(sources);
            case "lzw":
                return new LzwProgram(sources);
            case "h2":
                return new H2Program();
            case "lucene-index":
                return new LuceneIndexProgram(sources);
            case "lucene-search":
                return new LuceneSearchProgram(sources);
            case "javac":
                return new JavacProgram(sources);
            case "imagej":
                return new ImageProgram();
            case "rhino":
                return new RhinoProgram();
            case "json":
                return new JsonProgram();
            case "http":
                return new HttpProgram();
            default:
                throw new IllegalArgumentException("no program named " + name);
        }
    }

    /** The source files below a directory, in the order of their names. */
    static List<Path> files(Path directory) throws Exception {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(path -> path.toString().endsWith(".java")).sorted().collect(Collectors.toList());
        }
    }

    /** The first so many bytes of all files one after the other. */
    static byte[] text(Path directory, int length) throws Exception {
        byte[] text = new byte[length];
        int done = 0;
        for (Path file : files(directory)) {
            byte[] bytes = Files.readAllBytes(file);
            int taken = Math.min(bytes.length, length - done);
            System.arraycopy(bytes, 0, text, done, taken);
            done += taken;
            if (done == length) {
                return text;
            }
        }
        return Arrays.copyOf(text, done);
    }

    /** A checksum of bytes. */
    static long sum(byte[] bytes) {
        return 1_000_003L * bytes.length + Arrays.hashCode(bytes);
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 4) {
            System.err.println("usage: Bench PROGRAM SOURCES WARM-UP TIMED");
            System.exit(2);
        }
        int warm = Integer.parseInt(args[2]);
        int timed = Integer.parseInt(args[3]);
        com.sun.management.OperatingSystemMXBean system =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (Program program = make(args[0], Path.of(args[1]))) {
            for (int i = 0; i < warm + timed; i++) {
                long cpu = program.cpu();
                long process = system.getProcessCpuTime();
                long wall = System.nanoTime();
                long sum = program.run();
                wall = System.nanoTime() - wall;
                process = system.getProcessCpuTime() - process;
                cpu = program.cpu() - cpu;
                if (i >= warm) {
                    System.out.println(cpu + " " + process + " " + wall + " " + sum);
                }
            }
        }
    }
}
