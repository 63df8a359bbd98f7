import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Makes the documents, query files and observations of the Lucene experiment; the same seed gives the same bytes.
 *
 * <p>Documents are passages of about ten lines of a text (the King James Bible, one verse a line) and of generated plays of about the same
 * length: words of syllables whose frequencies follow Zipf's law as modified by Mandelbrot (1953), p(r) ~ 1/(r + 2.7)^1.07, with speakers,
 * acts and scenes, and a few dozen words that each scene likes. Without a text there are twice as many plays.
 *
 * <p>Query files have 1 to 60 lines of words drawn log-uniformly by rank, so that rare and frequent words are alike likely, each file with
 * its own range of ranks and its own mixture of the parser's forms: a word, several (any, all, one excluded), a phrase, a prefix, a
 * wildcard, a fuzzy word. Parameters are drawn independently, counts log-uniformly.
 */
public final class Workload {
    private static final int WORDS_PER_DOCUMENT = 240;
    private static final int PLAYS = 37;
    private static final int QUERY_FILES = 400;
    private final Random random;
    private final List<String[]> documents = new ArrayList<>();
    private String[] byFrequency;

    Workload(long seed) {
        random = new Random(seed);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: Workload DIRECTORY OBSERVATIONS [TEXT [SEED]]");
            System.exit(2);
        }
        Path directory = Path.of(args[0]);
        Workload workload = new Workload(args.length > 3 ? Long.parseLong(args[3]) : 1);
        boolean text = args.length > 2 && !args[2].isEmpty();
        if (text) {
            workload.book(Files.readAllLines(Path.of(args[2])));
        }
        workload.plays(text ? PLAYS : 2 * PLAYS);
        Files.createDirectories(directory.resolve("queries"));
        workload.writeDocuments(directory.resolve("documents.txt"));
        workload.rank();
        for (int i = 0; i < QUERY_FILES; i++) {
            Files.write(directory.resolve(String.format("queries/%03d.txt", i)), workload.queryFile());
        }
        workload.writeObservations(directory.resolve("observations.csv"), Integer.parseInt(args[1]));
    }

    private void book(List<String> lines) {
        StringBuilder passage = new StringBuilder();
        String first = "";
        int words = 0;
        for (String line : lines) {
            int space = line.indexOf(' ');
            if (space < 0) {
                continue;
            }
            if (words == 0) {
                first = line.substring(0, space);
            }
            passage.append(line, space, line.length());
            words += line.split(" ").length;
            if (words >= WORDS_PER_DOCUMENT) {
                documents.add(new String[] {"bible/" + documents.size(), first, passage.toString().trim()});
                passage.setLength(0);
                words = 0;
            }
        }
    }

    private void plays(int count) {
        String[] vocabulary = vocabulary(18_000);
        double[] cumulated = new double[vocabulary.length];
        double sum = 0;
        for (int r = 0; r < vocabulary.length; r++) {
            sum += 1 / Math.pow(r + 2.7, 1.07);
            cumulated[r] = sum;
        }
        for (int play = 0; play < count; play++) {
            String[] speakers = new String[8 + random.nextInt(16)];
            for (int i = 0; i < speakers.length; i++) {
                speakers[i] = vocabulary[300 + random.nextInt(3_000)].toUpperCase();
            }
            for (int scene = 0; scene < 20; scene++) {
                scene(play, scene, speakers, vocabulary, cumulated);
            }
        }
    }

    private void scene(int play, int scene, String[] speakers, String[] vocabulary, double[] cumulated) {
        String[] liked = new String[20 + random.nextInt(40)];
        for (int i = 0; i < liked.length; i++) {
            liked[i] = vocabulary[(int) logUniform(30, vocabulary.length - 1)];
        }
        int length = (int) logUniform(400, 2_500);
        StringBuilder passage = new StringBuilder();
        int written = 0;
        int part = 0;
        while (written < length) {
            passage.append(speakers[random.nextInt(Math.min(speakers.length, 4 + scene))]).append(". ");
            int speech = (int) logUniform(4, 120);
            for (int i = 0; i < speech; i++) {
                boolean topic = random.nextInt(8) == 0;
                passage.append(topic ? liked[random.nextInt(liked.length)] : vocabulary[draw(cumulated)]);
                passage.append(random.nextInt(9) == 0 ? ", " : random.nextInt(14) == 0 ? ". " : " ");
            }
            written += speech;
            if (written - part * WORDS_PER_DOCUMENT >= WORDS_PER_DOCUMENT || written >= length) {
                String title = "Play " + (play + 1) + ", act " + (scene / 4 + 1) + ", scene " + (scene % 4 + 1);
                documents.add(new String[] {"plays/" + documents.size(), title, passage.toString().trim()});
                passage.setLength(0);
                part++;
            }
        }
    }

    private String[] vocabulary(int size) {
        String[] onsets = {"b", "br", "c", "ch", "d", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pr", "r", "s", "sh", "st", "t", "th", "tr", "v", "w", ""};
        String[] nuclei = {"a", "e", "i", "o", "u", "ea", "ou", "ai", "ie", "oo"};
        String[] codas = {"", "", "", "n", "r", "s", "t", "l", "nd", "st", "ng", "m", "ck"};
        Map<String, Boolean> seen = new HashMap<>();
        List<String> words = new ArrayList<>();
        while (words.size() < size) {
            // Frequent words are short.
            int syllables = 1 + (words.size() < 150 ? 0 : random.nextInt(words.size() < 2_000 ? 2 : 4));
            StringBuilder word = new StringBuilder();
            for (int i = 0; i < syllables; i++) {
                word.append(onsets[random.nextInt(onsets.length)]).append(nuclei[random.nextInt(nuclei.length)]);
                word.append(codas[random.nextInt(codas.length)]);
            }
            if (seen.put(word.toString(), true) == null) {
                words.add(word.toString());
            }
        }
        return words.toArray(new String[0]);
    }

    private int draw(double[] cumulated) {
        int at = Arrays.binarySearch(cumulated, random.nextDouble() * cumulated[cumulated.length - 1]);
        return Math.min(at < 0 ? -at - 1 : at, cumulated.length - 1);
    }

    private double logUniform(double low, double high) {
        return low * Math.pow(high / low, random.nextDouble());
    }

    private void writeDocuments(Path file) throws IOException {
        try (PrintWriter out = new PrintWriter(file.toFile(), "UTF-8")) {
            for (String[] document : documents) {
                out.print(String.join("\t", document) + "\n");
            }
        }
    }

    /** Words by falling frequency over all documents, equally frequent ones in alphabetical order. */
    private void rank() {
        Map<String, Integer> counts = new HashMap<>();
        for (String[] document : documents) {
            for (String word : words(document)) {
                if (word.length() > 1) {
                    counts.merge(word, 1, Integer::sum);
                }
            }
        }
        List<String> order = new ArrayList<>(counts.keySet());
        Collections.sort(order);
        order.sort(Comparator.comparing(word -> -counts.get(word)));
        byFrequency = order.toArray(new String[0]);
    }

    private static String[] words(String[] document) {
        return document[2].toLowerCase().split("[^a-z]+");
    }

    private List<String> queryFile() {
        double low = logUniform(1, 1_000);
        double high = Math.min(byFrequency.length - 1, low * logUniform(10, 3_000));
        double[] forms = new double[8];
        double sum = 0;
        for (int i = 0; i < forms.length; i++) {
            // Expensive forms are rarer.
            sum += Math.pow(random.nextDouble(), 2) * (i < 5 ? 1 : 0.2);
            forms[i] = sum;
        }
        List<String> lines = new ArrayList<>();
        int count = (int) logUniform(1, 60);
        for (int i = 0; i < count; i++) {
            lines.add(query(draw(forms), low, high));
        }
        return lines;
    }

    private String query(int form, double low, double high) {
        String word = word(low, high);
        switch (form) {
            case 0:
                return word;
            case 1:
                return several("", low, high);
            case 2:
                return several("+", low, high);
            case 3:
                return several("", low, high) + " -" + word;
            case 4:
                String[] words = words(documents.get(random.nextInt(documents.size())));
                int at = random.nextInt(Math.max(1, words.length - 3));
                return "\"" + words[at] + " " + words[Math.min(words.length - 1, at + 1)] + "\"" + (random.nextBoolean() ? "~2" : "");
            case 5:
                return word.substring(0, Math.min(word.length(), 2 + random.nextInt(3))) + "*";
            case 6:
                return word.charAt(0) + "*" + word.substring(Math.max(1, word.length() - 2));
            default:
                return word + "~" + (1 + random.nextInt(2));
        }
    }

    private String several(String mark, double low, double high) {
        StringBuilder out = new StringBuilder();
        int count = 2 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            out.append(i > 0 ? " " : "").append(mark).append(word(low, high));
        }
        return out.toString();
    }

    private String word(double low, double high) {
        String word = byFrequency[(int) logUniform(low, high)];
        // The parser's operators are words in capitals only, so lower-case words are always words.
        return word;
    }

    private void writeObservations(Path file, int count) throws IOException {
        try (PrintWriter out = new PrintWriter(file.toFile(), "UTF-8")) {
            out.print("raw,threads,totalQueries,hitsPerPage,repeat,queryFile\n");
            for (int i = 0; i < count; i++) {
                int raw = random.nextInt(2);
                int threads = 1 + random.nextInt(8);
                int total = Math.max(threads, (int) logUniform(1, 60));
                int hits = (int) logUniform(1, 100);
                int repeat = random.nextInt(3) == 0 ? 0 : (int) logUniform(1, 12);
                out.printf("%d,%d,%d,%d,%d,queries/%03d.txt%n", raw, threads, total, hits, repeat, random.nextInt(QUERY_FILES));
            }
        }
    }
}
