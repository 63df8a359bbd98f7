import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The JDK's own compiler: compiles 40 real source files of commons-math3 from and to memory. */
final class JavacProgram implements Bench.Program {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final List<JavaFileObject> sources = new ArrayList<>();
    private final String classPath = System.getProperty("bench.javac.classpath");

    JavacProgram(Path directory) throws Exception {
        for (Path file : Bench.files(directory.resolve("org/apache/commons/math3/linear"))) {
            if (sources.size() < 40) {
                sources.add(new Source(directory.relativize(file).toString(), Files.readString(file)));
            }
        }
    }

    @Override
    public long run() throws Exception {
        Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavaFileManager memory = new Memory(files, classes);
            List<String> options = List.of("-proc:none", "-nowarn", "-XDuseUnsharedTable=true", "-cp", classPath);
            if (!compiler.getTask(null, memory, diagnostic -> {}, options, null, sources).call()) {
                throw new IllegalStateException("the sources do not compile");
            }
        }
        long sum = classes.size();
        for (ByteArrayOutputStream bytes : classes.values()) {
            sum = 31 * sum + Bench.sum(bytes.toByteArray());
        }
        return sum;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Memory extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes;

        Memory(StandardJavaFileManager files, Map<String, ByteArrayOutputStream> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("string:///" + name + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(name, bytes);
                    return bytes;
                }
            };
        }
    }
}
