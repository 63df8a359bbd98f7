import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.queryparser.classic.ParseException;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

/**
 * A search program with the parameters of Mantis' Lucene experiment (Chun et al. 2010, section 6.1), for Lucene 7 to 9. One call of
 * {@link #search} is one observation. What the paper's threads did side by side happens in turn on the calling thread, one processor
 * with a searcher and a parser of its own after the other, or with {@code -Dthreads=side-by-side} on threads of their own. The same thread takes the
 * same share each time, so that what Lucene keeps for a thread is there or not in every run alike.
 */
public final class Search {
    /** Hits that a repeated query asks for, as in Lucene's demonstration program. */
    private static final int REPEATED = 100;
    /** Pages collected at once, as in Lucene's demonstration program. */
    private static final int PAGES = 5;

    private final DirectoryReader reader;
    private final boolean sideBySide = "side-by-side".equals(System.getProperty("threads"));
    private final List<ExecutorService> workers = new ArrayList<>();

    Search(DirectoryReader reader) {
        this.reader = reader;
    }

    /** One observation: {@code totalQueries} queries of a query file, shared out among {@code threads} processors. */
    public int search(int raw, int threads, int totalQueries, int hitsPerPage, int repeat, String queryFile) throws Exception {
        return work(raw != 0, threads, totalQueries, hitsPerPage, repeat, queryFile);
    }

    private int work(boolean raw, int threads, int totalQueries, int hitsPerPage, int repeat, String queryFile) throws Exception {
        int check = 17;
        List<Future<Integer>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int share = totalQueries / threads + (thread < totalQueries % threads ? 1 : 0);
            Processor processor = new Processor(reader, raw, hitsPerPage, repeat);
            if (sideBySide) {
                int first = thread;
                shares.add(worker(thread).submit(() -> processor.run(queryFile, first, share)));
            } else {
                check = 31 * check + processor.run(queryFile, thread, share);
            }
        }
        for (Future<Integer> share : shares) {
            check = 31 * check + share.get();
        }
        return check;
    }

    /** The thread with this number, which waits between its shares. */
    private ExecutorService worker(int number) {
        while (workers.size() <= number) {
            workers.add(Executors.newSingleThreadExecutor(work -> {
                Thread thread = new Thread(work);
                thread.setDaemon(true);
                return thread;
            }));
        }
        return workers.get(number);
    }

    /** What one thread of the search program does. */
    private static final class Processor {
        private final IndexSearcher searcher;
        private final QueryParser parser = new QueryParser("contents", new StandardAnalyzer());
        private final boolean raw;
        private final int hitsPerPage;
        private final int repeat;
        private final StringBuilder page = new StringBuilder();

        Processor(DirectoryReader reader, boolean raw, int hitsPerPage, int repeat) {
            searcher = new IndexSearcher(reader);
            searcher.setQueryCache(null);
            this.raw = raw;
            this.hitsPerPage = hitsPerPage;
            this.repeat = repeat;
        }

        int run(String queryFile, int first, int count) throws IOException, ParseException {
            List<String> keywords = keywords(queryFile);
            int check = 1;
            for (int i = 0; i < count; i++) {
                Query query = parser.parse(keywords.get((first + i) % keywords.size()));
                for (int again = 0; again < repeat; again++) {
                    check = 31 * check + searcher.search(query, REPEATED).scoreDocs.length;
                }
                check = 31 * check + show(query);
            }
            return check;
        }

        private static List<String> keywords(String queryFile) throws IOException {
            List<String> keywords = new ArrayList<>();
            BufferedReader lines = new BufferedReader(new StringReader(queryFile));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.trim().isEmpty()) {
                    keywords.add(line.trim());
                }
            }
            return keywords;
        }

        private int show(Query query) throws IOException {
            ScoreDoc[] hits = searcher.search(query, PAGES * hitsPerPage).scoreDocs;
            int check = hits.length;
            for (int start = 0; start < hits.length; start += hitsPerPage) {
                page.setLength(0);
                for (int i = start; i < Math.min(hits.length, start + hitsPerPage); i++) {
                    if (raw) {
                        page.append("doc=").append(hits[i].doc).append(" score=").append(hits[i].score).append('\n');
                    } else {
                        Document document = searcher.doc(hits[i].doc);
                        page.append(i + 1).append(". ").append(document.get("path")).append('\n');
                        page.append("   Title: ").append(document.get("title")).append('\n');
                    }
                }
                check = 31 * check + page.length();
            }
            return check;
        }
    }

    /** Opens the index of a file of documents, one a line: path, title and contents with tabulators between. */
    private static DirectoryReader open(Path documents, Path index) throws IOException {
        Directory directory = FSDirectory.open(index);
        if (!DirectoryReader.indexExists(directory)) {
            IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
            config.setMergeScheduler(new SerialMergeScheduler());
            try (IndexWriter writer = new IndexWriter(directory, config)) {
                for (String line : Files.readAllLines(documents)) {
                    String[] parts = line.split("\t", 3);
                    Document document = new Document();
                    document.add(new StringField("path", parts[0], Field.Store.YES));
                    document.add(new StringField("title", parts[1], Field.Store.YES));
                    document.add(new TextField("contents", parts[2], Field.Store.NO));
                    writer.addDocument(document);
                }
                writer.forceMerge(1);
            }
        }
        return DirectoryReader.open(directory);
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            System.err.println("usage: Search WORKLOAD INDEX [OBSERVATIONS [WARM-UP CALLS]]");
            System.exit(2);
        }
        Path workload = Path.of(args[0]);
        List<String> rows = Files.readAllLines(workload.resolve("observations.csv"));
        rows = rows.subList(1, rows.size());
        int observations = args.length > 2 ? Math.min(Integer.parseInt(args[2]), rows.size()) : rows.size();
        int warmUp = args.length > 3 ? Integer.parseInt(args[3]) : 600;
        Search search = new Search(open(workload.resolve("documents.txt"), Path.of(args[1])));
        long check = 0;
        for (int i = 0; i < warmUp + observations; i++) {
            boolean warming = i < warmUp;
            // Warm-up calls are the same observations, by another method, last ones first.
            String[] row = rows.get(warming ? rows.size() - 1 - i % rows.size() : i - warmUp).split(",");
            int[] n = new int[5];
            for (int j = 0; j < n.length; j++) {
                n[j] = Integer.parseInt(row[j]);
            }
            String queries = new String(Files.readAllBytes(workload.resolve(row[5])), StandardCharsets.UTF_8);
            check += warming
                    ? search.work(n[0] != 0, n[1], n[2], n[3], n[4], queries)
                    : search.search(n[0], n[1], n[2], n[3], n[4], queries);
        }
        System.out.println(check);
    }
}
