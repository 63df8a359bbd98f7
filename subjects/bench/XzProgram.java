import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/** xz (LZMA2, preset 4) of XZ for Java: compresses 500 kB of source text and decompresses it again. */
final class XzProgram implements Bench.Program {
    private final byte[] text;

    XzProgram(Path sources) throws Exception {
        text = Bench.text(sources, 500_000);
    }

    @Override
    public long run() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(text.length);
        try (OutputStream out = new XZOutputStream(packed, new LZMA2Options(4))) {
            out.write(text);
        }
        byte[] unpacked;
        try (InputStream in = new XZInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
            unpacked = in.readAllBytes();
        }
        return Bench.sum(packed.toByteArray()) ^ Bench.sum(unpacked);
    }
}
