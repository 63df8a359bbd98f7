import ij.plugin.filter.MaximumFinder;
import ij.process.ByteProcessor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Counts the maxima of a grey-scale image (PGM, 8 bit) with ImageJ: {@code java -cp ij.jar:. Maxima FILE}. */
public final class Maxima {
    private Maxima() {}

    public static void main(String[] args) throws IOException {
        byte[] file = Files.readAllBytes(Path.of(args[0]));
        int[] header = new int[3];
        int at = 2;
        for (int i = 0; i < header.length; i++) {
            while (file[at] <= ' ') {
                at++;
            }
            int start = at;
            while (file[at] > ' ') {
                at++;
            }
            header[i] = Integer.parseInt(new String(file, start, at - start, StandardCharsets.US_ASCII));
        }
        byte[] pixels = Arrays.copyOfRange(file, at + 1, at + 1 + header[0] * header[1]);
        ByteProcessor image = new ByteProcessor(header[0], header[1], pixels);
        ByteProcessor found = new MaximumFinder().findMaxima(image, 10, MaximumFinder.SINGLE_POINTS, false);
        System.out.println(found.getHistogram()[255]);
    }
}
