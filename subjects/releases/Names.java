import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.codec.language.bm.BeiderMorseEncoder;

/** Encodes each word of a file by its sound (commons-codec). */
public class Names {
    public static void main(String[] arguments) throws Exception {
        BeiderMorseEncoder encoder = new BeiderMorseEncoder();
        long all = 0;
        for (String word : Files.readString(Path.of(arguments[0])).split("\\s+")) {
            all += encoder.encode(word).length();
        }
        System.out.println(all);
    }
}
