import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the sources of a wide program: {@code Generate DIRECTORY CLASSES METHODS BRANCHES}. Its main class is {@code Wide}. */
public final class Generate {
    private Generate() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        int classes = Integer.parseInt(args[1]);
        int methods = Integer.parseInt(args[2]);
        int branches = Integer.parseInt(args[3]);
        Files.createDirectories(directory);
        for (int c = 0; c < classes; c++) {
            try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(directory.resolve("Part" + c + ".java")))) {
                out.println("final class Part" + c + " {");
                for (int m = 0; m < methods; m++) {
                    out.println("    static int m" + m + "(int x) {");
                    for (int b = 0; b < branches; b++) {
                        out.println("        if ((x & " + (1 << b % 20) + ") != 0) x += " + (b + c) + ";");
                    }
                    out.println("        return x;\n    }");
                }
                out.println("    static int all(int x) {");
                for (int m = 0; m < methods; m++) {
                    out.println("        x = m" + m + "(x);");
                }
                out.println("        return x;\n    }\n}");
            }
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(directory.resolve("Parts.java")))) {
            out.println("final class Parts {\n    static int all(int x) {");
            for (int c = 0; c < classes; c++) {
                out.println("        x = Part" + c + ".all(x);");
            }
            out.println("        return x;\n    }\n}");
        }
    }
}
