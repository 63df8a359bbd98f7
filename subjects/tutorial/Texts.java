import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes texts of growing length: {@code java Texts.java DIRECTORY [LONGEST]}. */
public class Texts {
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        int longest = args.length > 1 ? Integer.parseInt(args[1]) : 60_000;
        Files.createDirectories(directory);
        for (int text = 1; text <= 24; text++) {
            int words = longest * text / 24;
            // Some authors know more words than others.
            int known = 2_000 + 1_000 * (text * 7 % 12);
            Random random = new Random(text);
            StringBuilder out = new StringBuilder();
            for (int word = 0; word < words; word++) {
                int rank = (int) (known * Math.pow(random.nextDouble(), 3));
                out.append('w').append(Integer.toString(rank * 7919 % 1_000_003, 36)).append(word % 12 == 11 ? '\n' : ' ');
            }
            Files.writeString(directory.resolve("text%02d.txt".formatted(text)), out);
        }
    }
}
