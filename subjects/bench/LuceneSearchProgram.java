import java.nio.file.Path;
import java.util.Random;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;

/** Lucene: 600 queries of six kinds over 3,000 documents, in one thread, without a query cache. */
final class LuceneSearchProgram implements Bench.Program {
    private final DirectoryReader reader;
    private final IndexSearcher searcher;
    private final List<Query> queries = new ArrayList<>();

    LuceneSearchProgram(Path sources) throws Exception {
        List<String> documents = LuceneIndexProgram.documents(sources, 3_000);
        reader = DirectoryReader.open(LuceneIndexProgram.index(documents));
        searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        Random random = new Random(7);
        while (queries.size() < 600) {
            String[] words = documents.get(random.nextInt(documents.size())).toLowerCase().split("[^a-z]+");
            if (words.length < 12) {
                continue;
            }
            int at = random.nextInt(words.length - 4) + 1;
            queries.add(query(queries.size() % 6, words, at, random));
        }
    }

    private static Query query(int kind, String[] words, int at, Random random) {
        String word = words[at].isEmpty() ? "public" : words[at];
        switch (kind) {
            case 0:
                return new TermQuery(new Term("text", word));
            case 1:
                return new PhraseQuery(1, "text", word, words[at + 1]);
            case 2:
                return new PrefixQuery(new Term("text", word.substring(0, Math.min(3, word.length()))));
            case 3:
                return new FuzzyQuery(new Term("text", word), 1, 2);
            default:
                BooleanQuery.Builder builder = new BooleanQuery.Builder();
                for (int i = 0; i < 3; i++) {
                    builder.add(
                            new TermQuery(new Term("text", words[random.nextInt(words.length - 1) + 1])),
                            kind == 4 ? BooleanClause.Occur.SHOULD : BooleanClause.Occur.MUST);
                }
                return builder.build();
        }
    }

    @Override
    public long run() throws Exception {
        Sort byLength = new Sort(new SortField("length", SortField.Type.LONG), SortField.FIELD_DOC);
        long sum = 1;
        int number = 0;
        for (Query query : queries) {
            TopDocs found = number++ % 2 == 0 ? searcher.search(query, 20) : searcher.search(query, 20, byLength);
            for (ScoreDoc hit : found.scoreDocs) {
                sum = 31 * sum + hit.doc;
            }
        }
        return sum;
    }

    @Override
    public void close() {
        try {
            reader.close();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
