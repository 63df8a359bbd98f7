import ij.Prefs;
import ij.plugin.filter.MaximumFinder;
import ij.plugin.filter.UnsharpMask;
import ij.process.ByteProcessor;
import ij.process.FHT;
import ij.process.FloatProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Five operations of ImageJ, after Mantis' experiment (Chun et al. 2010, section 6.2), on a folder of images. One call of {@link #operate} is
 * one observation; what is known before it are the number of pixels, the width, the height and the operation's parameter.
 */
public final class Operate {
    private final String operation;

    Operate(String operation) {
        this.operation = operation;
    }

    /** One observation. The parameter is the tolerance of maxima or the radius of the unsharp mask. */
    public double operate(byte[] pixels, int width, int height, double parameter) {
        return work(pixels, width, height, parameter);
    }

    private double work(byte[] pixels, int width, int height, double parameter) {
        ByteProcessor image = new ByteProcessor(width, height, pixels);
        switch (operation) {
            case "maxima":
                ByteProcessor found = new MaximumFinder().findMaxima(image, parameter, MaximumFinder.SINGLE_POINTS, false);
                return found.getHistogram()[255];
            case "smooth":
                image.smooth();
                return image.get(width / 2, height / 2);
            case "edges":
                image.findEdges();
                return image.get(width / 2, height / 2);
            case "fft":
                return transform(image);
            case "unsharp":
                FloatProcessor floats = image.convertToFloatProcessor();
                floats.snapshot();
                new UnsharpMask().sharpenFloat(floats, parameter, 0.6f);
                return floats.getf(width / 2, height / 2);
            default:
                throw new IllegalArgumentException("no operation " + operation);
        }
    }

    /** As ImageJ's FFT command does: padded to a square whose side is a power of two, transformed, power spectrum. */
    private static double transform(ByteProcessor image) {
        int side = 2;
        while (side < Math.max(image.getWidth(), image.getHeight())) {
            side *= 2;
        }
        ByteProcessor padded = new ByteProcessor(side, side);
        padded.setValue(image.getStats().mean);
        padded.fill();
        padded.insert(image, 0, 0);
        FHT transform = new FHT(padded);
        transform.transform();
        return transform.getPowerSpectrum().get(side / 3, side / 3);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: Operate maxima|smooth|edges|fft|unsharp FOLDER [IMAGES [WARM-UP CALLS]]");
            System.exit(2);
        }
        Prefs.setThreads(1);
        Operate operate = new Operate(args[0]);
        List<Path> files = new ArrayList<>();
        try (java.util.stream.Stream<Path> found = Files.list(Path.of(args[1]))) {
            found.filter(f -> f.toString().endsWith(".pgm")).sorted().forEach(files::add);
        }
        int images = args.length > 2 ? Math.min(Integer.parseInt(args[2]), files.size()) : files.size();
        int warmUp = args.length > 3 ? Integer.parseInt(args[3]) : 600;
        double check = 0;
        for (int i = 0; i < warmUp + images; i++) {
            boolean warming = i < warmUp;
            // Warm-up calls take the last images, by another method.
            int number = warming ? files.size() - 1 - i % files.size() : i - warmUp;
            byte[] file = Files.readAllBytes(files.get(number));
            String[] header = new String(file, 0, Math.min(32, file.length), "US-ASCII").split("\\s", 5);
            int width = Integer.parseInt(header[1]);
            int height = Integer.parseInt(header[2]);
            byte[] pixels = Arrays.copyOfRange(file, file.length - width * height, file.length);
            double parameter = operate.parameter(new SplittableRandom(number));
            check += warming ? operate.work(pixels, width, height, parameter) : operate.operate(pixels, width, height, parameter);
        }
        System.out.println(check);
    }

    private double parameter(SplittableRandom random) {
        switch (operation) {
            case "maxima":
                return 10;
            case "unsharp":
                return Math.rint(10 * Math.pow(16, random.nextDouble())) / 20;
            default:
                return 0;
        }
    }
}
