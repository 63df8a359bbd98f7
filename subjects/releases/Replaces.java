import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.lang3.StringUtils;

/** Replaces a syllable in each word of a file (commons-lang). */
public class Replaces {
    public static void main(String[] arguments) throws Exception {
        long all = 0;
        for (String word : Files.readString(Path.of(arguments[0])).split("\\s+")) {
            all += StringUtils.replace(word, "an", "ain").length();
            all += StringUtils.replaceIgnoreCase(word, "ER", "e").length();
        }
        System.out.println(all);
    }
}
