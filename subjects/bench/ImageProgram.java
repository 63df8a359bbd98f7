import ij.plugin.filter.EDM;
import ij.plugin.filter.GaussianBlur;
import ij.plugin.filter.MaximumFinder;
import ij.plugin.filter.RankFilters;
import ij.process.ByteProcessor;
import ij.process.FHT;
import ij.process.FloatProcessor;
import ij.process.ImageProcessor;
import java.util.Random;

/** ImageJ: filters, transforms, thresholds, distance maps and maxima of a synthetic image of 320 × 320 pixels. */
final class ImageProgram implements Bench.Program {
    private static final int SIZE = 320;
    private final FloatProcessor image = new FloatProcessor(SIZE, SIZE);

    ImageProgram() {
        ij.Prefs.setThreads(1);
        Random random = new Random(3);
        for (int blob = 0; blob < 60; blob++) {
            double cx = random.nextDouble() * SIZE;
            double cy = random.nextDouble() * SIZE;
            double radius = 4 + random.nextDouble() * 14;
            double height = 40 + random.nextDouble() * 160;
            for (int y = 0; y < SIZE; y++) {
                for (int x = 0; x < SIZE; x++) {
                    double d = ((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (radius * radius);
                    image.setf(x, y, image.getf(x, y) + (float) (height / (1 + d * d)));
                }
            }
        }
        for (int i = 0; i < SIZE * SIZE; i++) {
            image.setf(i, image.getf(i) + random.nextInt(20));
        }
    }

    @Override
    public long run() {
        FloatProcessor blurred = (FloatProcessor) image.duplicate();
        new GaussianBlur().blurGaussian(blurred, 2.5, 2.5, 0.002);
        FloatProcessor median = (FloatProcessor) image.duplicate();
        new RankFilters().rank(median, 3, RankFilters.MEDIAN);
        ImageProcessor turned = blurred.duplicate();
        turned.setInterpolationMethod(ImageProcessor.BICUBIC);
        turned.rotate(17);
        ImageProcessor scaled = turned.resize(256, 256);
        ByteProcessor bytes = median.convertToByteProcessor();
        ImageProcessor edges = bytes.duplicate();
        edges.findEdges();
        ByteProcessor mask = (ByteProcessor) bytes.duplicate();
        mask.autoThreshold();
        FloatProcessor distances = new EDM().makeFloatEDM(mask, 0, false);
        ByteProcessor maxima = new MaximumFinder().findMaxima(blurred, 5, ImageProcessor.NO_THRESHOLD, MaximumFinder.SINGLE_POINTS, false, false);
        FHT spectrum = new FHT(scaled.duplicate());
        spectrum.transform();
        spectrum.inverseTransform();
        long sum = sum(median) + 3 * sum(edges) + 5 * sum(distances) + 7 * sum(maxima) + 11 * sum(blurred);
        return sum + 13 * sum(scaled) + 17 * sum(spectrum);
    }

    private static long sum(ImageProcessor image) {
        long sum = 0;
        for (int i = 0; i < image.getPixelCount(); i++) {
            sum = 31 * sum + Math.round(image.getf(i));
        }
        return sum;
    }
}
