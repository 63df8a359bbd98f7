import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;

/** bzip2 of commons-compress: compresses 600 kB of source text and decompresses it again. */
final class BzipProgram implements Bench.Program {
    private final byte[] text;

    BzipProgram(Path sources) throws Exception {
        text = Bench.text(sources, 600_000);
    }

    @Override
    public long run() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(text.length);
        try (OutputStream out = new BZip2CompressorOutputStream(packed)) {
            out.write(text);
        }
        byte[] unpacked;
        try (InputStream in = new BZip2CompressorInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
            unpacked = in.readAllBytes();
        }
        return Bench.sum(packed.toByteArray()) ^ Bench.sum(unpacked);
    }
}
