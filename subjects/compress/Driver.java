import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.deflate.DeflateCompressorInputStream;
import org.apache.commons.compress.compressors.deflate.DeflateCompressorOutputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorInputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorOutputStream;

/** Compresses (or decompresses) files in memory, one call of {@link #compress} each, in one warm virtual machine. */
public class Driver {
    private final String codec;

    Driver(String codec) {
        this.codec = codec;
    }

    /** One observation. */
    public byte[] compress(byte[] data) throws IOException {
        return work(data);
    }

    private byte[] work(byte[] data) throws IOException {
        return codec.startsWith("un") ? unpack(codec.substring(2), data) : pack(codec, data);
    }

    static byte[] pack(String codec, byte[] data) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(data.length / 2 + 64);
        try (OutputStream out = compressor(codec, bytes, data.length)) {
            out.write(data, 0, data.length);
        }
        return bytes.toByteArray();
    }

    static byte[] unpack(String codec, byte[] data) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(data.length * 2 + 64);
        byte[] buffer = new byte[8192];
        try (InputStream in = decompressor(codec, new ByteArrayInputStream(data))) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                bytes.write(buffer, 0, n);
            }
        }
        return bytes.toByteArray();
    }

    private static OutputStream compressor(String codec, OutputStream out, int length) throws IOException {
        switch (codec) {
            case "bzip2":
                return new BZip2CompressorOutputStream(out);
            case "deflate":
                return new DeflateCompressorOutputStream(out);
            case "snappy":
                return new FramedSnappyCompressorOutputStream(out);
            default:
                throw new IllegalArgumentException("unknown codec " + codec);
        }
    }

    private static InputStream decompressor(String codec, InputStream in) throws IOException {
        switch (codec) {
            case "bzip2":
                return new BZip2CompressorInputStream(in);
            case "deflate":
                return new DeflateCompressorInputStream(in);
            case "snappy":
                return new FramedSnappyCompressorInputStream(in);
            default:
                throw new IllegalArgumentException("unknown codec " + codec);
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: Driver CODEC LIST [WARM-UP CALLS]");
            System.exit(2);
        }
        Driver driver = new Driver(args[0]);
        List<String> files = Files.readAllLines(Path.of(args[1]));
        int warmUp = args.length > 2 ? Integer.parseInt(args[2]) : 3 * files.size();
        long check = 0;
        for (int i = 0; i < warmUp; i++) {
            check += driver.work(driver.input(files.get(i % files.size()))).length;
        }
        for (String file : files) {
            check += driver.compress(driver.input(file)).length;
        }
        System.out.println(check);
    }

    private byte[] input(String file) throws IOException {
        byte[] data = Files.readAllBytes(Path.of(file));
        return codec.startsWith("un") ? pack(codec.substring(2), data) : data;
    }
}
