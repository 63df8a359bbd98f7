import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes ledgers of growing length: {@code java Entries.java DIRECTORY}. */
public class Entries {
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        Files.createDirectories(directory);
        for (int lines = 250; lines <= 4000; lines *= 2) {
            Random random = new Random(lines);
            StringBuilder out = new StringBuilder();
            for (int line = 0; line < lines; line++) {
                out.append("account").append(random.nextInt(lines / 5)).append(' ').append(random.nextInt(1000)).append('\n');
            }
            Files.writeString(directory.resolve("%04d.txt".formatted(lines)), out);
        }
    }
}
