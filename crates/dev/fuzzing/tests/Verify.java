import java.io.*;
import java.nio.file.*;
import java.util.*;

/**
 * Which mutated classes does the JVM's verifier accept as they were, but not instrumented?
 *
 * <p>{@code java -Xverify:all Verify.java PAIRS CLASSES}: the pairs that the example `mutants` wrote, and the folder of class
 * files they were made of, from which each mutant's companions are loaded. Every class is defined twice, in loaders of
 * its own, and linked, never initialised: no code of a mutant runs.
 */
public class Verify {
    /** Loads one class from given bytes, all others of the folder as they are. */
    static final class Loader extends ClassLoader {
        final Map<String, byte[]> folder;
        final byte[] bytes;
        final String name;

        Loader(Map<String, byte[]> folder, String name, byte[] bytes) {
            super(Verify.class.getClassLoader());
            this.folder = folder;
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(wanted)) {
                Class<?> known = findLoadedClass(wanted);
                byte[] found = wanted.equals(name) ? bytes : folder.get(wanted);
                if (known != null || found == null) {
                    return known != null ? known : super.loadClass(wanted, resolve);
                }
                return defineClass(wanted, found, 0, found.length);
            }
        }
    }

    /** None if the class links; what is thrown otherwise. */
    static Throwable link(Map<String, byte[]> folder, String name, byte[] bytes) {
        try {
            // HotSpot links, and thereby verifies, a class before it lists its constructors.
            new Loader(folder, name, bytes).loadClass(name).getDeclaredConstructors();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    /** The name a class file gives itself. */
    static String nameOf(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipBytes(8);
        int count = in.readUnsignedShort();
        Object[] pool = new Object[count];
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> pool[i] = in.readUTF();
                case 7 -> pool[i] = in.readUnsignedShort();
                case 8, 16, 19, 20 -> in.skipBytes(2);
                case 15 -> in.skipBytes(3);
                case 5, 6 -> { in.skipBytes(8); i++; }
                default -> in.skipBytes(4);
            }
        }
        in.skipBytes(2);
        return ((String) pool[(Integer) pool[in.readUnsignedShort()]]).replace('/', '.');
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, byte[]> folder = new TreeMap<>();
        try (var paths = Files.walk(Path.of(arguments[1]))) {
            for (Path path : (Iterable<Path>) paths.filter(p -> p.toString().endsWith(".class"))::iterator) {
                byte[] bytes = Files.readAllBytes(path);
                folder.put(nameOf(bytes), bytes);
            }
        }
        int pairs = 0, accepted = 0, broken = 0;
        Map<String, Integer> refusals = new TreeMap<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(arguments[0])))) {
            for (;; pairs++) {
                byte[] original, instrumented;
                try {
                    in.readInt();
                    original = in.readNBytes(in.readInt());
                    instrumented = in.readNBytes(in.readInt());
                } catch (EOFException end) {
                    break;
                }
                String name;
                try {
                    name = nameOf(original);
                } catch (RuntimeException unreadable) {
                    continue;
                }
                Throwable before = link(folder, name, original);
                if (before != null) {
                    refusals.merge(before.getClass().getSimpleName(), 1, Integer::sum);
                    continue;
                }
                accepted++;
                Throwable after = link(folder, name, instrumented);
                if (after != null) {
                    broken++;
                    Path file = Path.of("broken-" + pairs + ".class");
                    Files.write(file, original);
                    Files.write(Path.of("broken-" + pairs + "-instrumented.class"), instrumented);
                    System.out.println(file + " " + name + ": " + after.toString().lines().findFirst().orElse(""));
                }
            }
        }
        System.out.println(pairs + " pairs, " + accepted + " verified before, " + broken + " of them not after; refused: " + refusals);
        System.exit(broken == 0 ? 0 : 1);
    }
}
