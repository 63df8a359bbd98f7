import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.TreeMap;

/** Tells how many different words a text has, and which are the most frequent: {@code java Words FILE}. */
public class Words {
    private final Collection<String> seen = new ArrayList<>();
    private final TreeMap<String, Integer> counts = new TreeMap<>();

    void read(String line) {
        for (String word : line.split(" ")) {
            remember(word);
            count(word);
        }
    }

    void remember(String word) {
        if (!seen.contains(word)) {
            seen.add(word);
        }
    }

    void count(String word) {
        counts.merge(word, 1, Integer::sum);
    }

    String frequent() {
        String best = "";
        int most = 0;
        for (var entry : counts.entrySet()) {
            if (entry.getValue() > most) {
                most = entry.getValue();
                best = entry.getKey();
            }
        }
        return best;
    }

    public static void main(String[] args) throws IOException {
        Words words = new Words();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            words.read(line);
        }
        System.out.println(words.seen.size() + " words, most frequent: " + words.frequent());
    }
}
