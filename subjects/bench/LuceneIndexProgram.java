import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/** Lucene: indexes 800 documents, pieces of real source files, in memory, merging in the same thread. */
final class LuceneIndexProgram implements Bench.Program {
    private final List<String> documents;

    LuceneIndexProgram(Path sources) throws Exception {
        documents = documents(sources, 800);
    }

    /** Pieces of at most 40 lines of the files below a directory. */
    static List<String> documents(Path sources, int count) throws Exception {
        List<String> documents = new ArrayList<>();
        for (Path file : Bench.files(sources)) {
            List<String> lines = Files.readAllLines(file);
            for (int from = 0; from < lines.size(); from += 40) {
                if (documents.size() == count) {
                    return documents;
                }
                documents.add(String.join("\n", lines.subList(from, Math.min(from + 40, lines.size()))));
            }
        }
        return documents;
    }

    /** An index of documents. */
    static Directory index(List<String> documents) throws Exception {
        Directory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergeScheduler(new SerialMergeScheduler());
        config.setUseCompoundFile(false);
        config.setMaxBufferedDocs(100);
        config.setRAMBufferSizeMB(IndexWriterConfig.DISABLE_AUTO_FLUSH);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            int number = 0;
            for (String text : documents) {
                Document document = new Document();
                document.add(new StringField("id", Integer.toString(number), Field.Store.YES));
                document.add(new TextField("text", text, Field.Store.NO));
                document.add(new NumericDocValuesField("length", text.length()));
                writer.addDocument(document);
                number++;
            }
            writer.forceMerge(1);
        }
        return directory;
    }

    @Override
    public long run() throws Exception {
        try (Directory directory = index(documents);
                DirectoryReader reader = DirectoryReader.open(directory)) {
            long sum = reader.numDocs();
            for (LeafReaderContext leaf : reader.leaves()) {
                sum = 31 * sum + leaf.reader().terms("text").size();
                sum = 31 * sum + leaf.reader().getSumTotalTermFreq("text");
            }
            return sum;
        }
    }
}
