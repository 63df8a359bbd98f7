import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads and links every class of a jar on the class path, or of all modules of the running JDK: {@code Link OUT [JAR]}.
 *
 * <p>Linking verifies the class; nothing is initialised. Writes a line per class: its name and {@code linked}, or the error.
 */
public final class Link {
    private Link() {}

    public static void main(String[] args) throws Exception {
        List<String> names = new ArrayList<>();
        if (args.length > 1) {
            try (FileSystem jar = FileSystems.newFileSystem(Path.of(args[1]), (ClassLoader) null)) {
                collect(jar.getPath("/"), names);
            }
        } else {
            Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
            List<Path> roots;
            try (Stream<Path> list = Files.list(modules)) {
                roots = list.sorted().toList();
            }
            for (Path root : roots) {
                collect(root, names);
            }
        }
        try (PrintStream out = new PrintStream(Files.newOutputStream(Path.of(args[0])), false, "UTF-8")) {
            for (String name : names) {
                out.println(name + " " + link(name));
            }
        }
    }

    private static void collect(Path root, List<String> names) throws IOException {
        try (Stream<Path> walk = Files.walk(root)) {
            walk.map(path -> root.relativize(path).toString())
                    .filter(path -> path.endsWith(".class") && !path.startsWith("META-INF") && !path.endsWith("-info.class"))
                    .map(path -> path.substring(0, path.length() - 6).replace('/', '.'))
                    .sorted()
                    .forEach(names::add);
        }
    }

    /** What became of a class. */
    private static String link(String name) {
        try {
            // Asking for the constructors links the class; only then their parameters are looked up.
            Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredConstructors();
            return "linked";
        } catch (VerifyError e) {
            return "VerifyError " + String.valueOf(e.getMessage()).replace('\n', ' ');
        } catch (Throwable e) {
            return e.getClass().getSimpleName();
        }
    }
}
