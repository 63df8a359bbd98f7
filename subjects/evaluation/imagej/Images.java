import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Makes grey-scale images (PGM, 8 bit) of different sizes, textures and contents; the same seed gives the same bytes.
 *
 * <p>Width and height are log-uniform between 64 and 512 with aspect ratios up to 3. Each image has one of ten contents, most of them with a
 * random degree of contrast, blur and noise on top, so that images of one size differ as photographs of the paper's collections do: smooth
 * ones with few maxima, cells, stars, textures, drawings, flat areas, noise.
 */
public final class Images {
    private final Random random;
    private int width;
    private int height;
    private double[] image;

    Images(Random random) {
        this.random = random;
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: Images DIRECTORY COUNT [SEED]");
            System.exit(2);
        }
        Path directory = Path.of(args[0]);
        Files.createDirectories(directory);
        long seed = args.length > 2 ? Long.parseLong(args[2]) : 1;
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            // Random's first numbers from neighbouring seeds are neighbours themselves.
            long mixed = new SplittableRandom(seed * 1_000_003 + i).nextLong();
            new Images(new Random(mixed)).write(directory.resolve(String.format("%05d.pgm", i)));
        }
    }

    private void write(Path file) throws IOException {
        do {
            width = (int) logUniform(64, 512);
            height = (int) logUniform(64, 512);
        } while (width > 3 * height || height > 3 * width);
        image = new double[width * height];
        content(random.nextInt(10));
        finish();
        byte[] bytes = new byte[image.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Math.max(0, Math.min(255, Math.round(255 * image[i])));
        }
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            out.write(("P5\n" + width + " " + height + "\n255\n").getBytes(StandardCharsets.US_ASCII));
            out.write(bytes);
        }
    }

    private void content(int kind) {
        switch (kind) {
            case 0:
                clouds(1 + random.nextInt(6), 0.3 + 0.6 * random.nextDouble());
                break;
            case 1: // cells: soft blobs
                blobs((int) logUniform(5, 400), 2, 20);
                break;
            case 2: // stars: small blobs
                blobs((int) logUniform(20, 1_500), 0.6, 2);
                break;
            case 3:
                shapes((int) logUniform(3, 120));
                break;
            case 4: // a scene: clouds behind shapes
                clouds(4, 0.5);
                shapes((int) logUniform(3, 40));
                break;
            case 5:
                waves();
                break;
            case 6:
                mosaic((int) logUniform(4, 200));
                break;
            case 7:
                strokes((int) logUniform(10, 300));
                break;
            case 8:
                ramp();
                break;
            default:
                ramp();
                blobs((int) logUniform(2, 100), 1, 30);
        }
    }

    /** Contrast, blur and noise. */
    private void finish() {
        if (random.nextInt(3) == 0) {
            blur(1 + random.nextInt(4));
        }
        double contrast = random.nextInt(2) == 0 ? 1 : 0.1 + 0.9 * random.nextDouble();
        double noise = random.nextInt(3) == 0 ? 0 : logUniform(0.002, 0.15);
        double salt = random.nextInt(6) == 0 ? logUniform(0.001, 0.05) : 0;
        for (int i = 0; i < image.length; i++) {
            image[i] = 0.5 + contrast * (image[i] - 0.5) + noise * random.nextGaussian();
            if (random.nextDouble() < salt) {
                image[i] = random.nextInt(2);
            }
        }
    }

    private double logUniform(double low, double high) {
        return low * Math.pow(high / low, random.nextDouble());
    }

    /** Sums of smoothed lattices of random values, each octave finer and weaker than the one before. */
    private void clouds(int octaves, double persistence) {
        double sum = 0;
        double weight = 1;
        double cell = Math.max(width, height) / logUniform(1.5, 6);
        for (int octave = 0; octave < octaves && cell >= 1.5; octave++) {
            lattice(cell, weight);
            sum += weight;
            weight *= persistence;
            cell /= 2;
        }
        for (int i = 0; i < image.length; i++) {
            image[i] /= sum;
        }
    }

    private void lattice(double cell, double weight) {
        int columns = (int) (width / cell) + 3;
        int rows = (int) (height / cell) + 3;
        double[] values = new double[columns * rows];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextDouble();
        }
        for (int y = 0; y < height; y++) {
            int row = (int) (y / cell);
            double v = smooth(y / cell - row);
            for (int x = 0; x < width; x++) {
                int column = (int) (x / cell);
                double u = smooth(x / cell - column);
                int at = row * columns + column;
                double top = values[at] + u * (values[at + 1] - values[at]);
                double bottom = values[at + columns] + u * (values[at + columns + 1] - values[at + columns]);
                image[y * width + x] += weight * (top + v * (bottom - top));
            }
        }
    }

    private static double smooth(double t) {
        return t * t * (3 - 2 * t);
    }

    private void blobs(int count, double least, double largest) {
        for (int i = 0; i < count; i++) {
            double radius = logUniform(least, largest);
            double cx = random.nextDouble() * width;
            double cy = random.nextDouble() * height;
            double light = 0.2 + 0.8 * random.nextDouble();
            int reach = (int) (3 * radius) + 1;
            for (int y = Math.max(0, (int) cy - reach); y < Math.min(height, cy + reach); y++) {
                for (int x = Math.max(0, (int) cx - reach); x < Math.min(width, cx + reach); x++) {
                    double square = ((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (radius * radius);
                    image[y * width + x] += light * Math.exp(-square / 2);
                }
            }
        }
    }

    private void shapes(int count) {
        for (int i = 0; i < count; i++) {
            double a = logUniform(3, width / 2.0);
            double b = logUniform(3, height / 2.0);
            double cx = random.nextDouble() * width;
            double cy = random.nextDouble() * height;
            boolean round = random.nextBoolean();
            double light = random.nextDouble();
            double slope = random.nextInt(3) == 0 ? random.nextDouble() / Math.max(a, b) : 0;
            for (int y = Math.max(0, (int) (cy - b)); y < Math.min(height, cy + b); y++) {
                for (int x = Math.max(0, (int) (cx - a)); x < Math.min(width, cx + a); x++) {
                    double u = (x - cx) / a;
                    double v = (y - cy) / b;
                    if (!round || u * u + v * v < 1) {
                        image[y * width + x] = light + slope * (x - cx);
                    }
                }
            }
        }
    }

    private void waves() {
        int waves = 1 + random.nextInt(3);
        for (int wave = 0; wave < waves; wave++) {
            double length = logUniform(3, 80);
            double angle = random.nextDouble() * Math.PI;
            double dx = Math.cos(angle) / length;
            double dy = Math.sin(angle) / length;
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    image[y * width + x] += (0.5 + 0.5 * Math.sin(2 * Math.PI * (dx * x + dy * y))) / waves;
                }
            }
        }
    }

    /** Flat cells around random points. */
    private void mosaic(int cells) {
        double[] cx = random.doubles(cells, 0, width).toArray();
        double[] cy = random.doubles(cells, 0, height).toArray();
        double[] light = random.doubles(cells).toArray();
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int nearest = 0;
                double best = Double.MAX_VALUE;
                for (int i = 0; i < cells; i++) {
                    double distance = (x - cx[i]) * (x - cx[i]) + (y - cy[i]) * (y - cy[i]);
                    if (distance < best) {
                        best = distance;
                        nearest = i;
                    }
                }
                image[y * width + x] = light[nearest];
            }
        }
    }

    /** Dark strokes on light ground, in lines as writing is. */
    private void strokes(int count) {
        java.util.Arrays.fill(image, 0.9);
        int pitch = 6 + random.nextInt(14);
        for (int i = 0; i < count; i++) {
            double x = random.nextDouble() * width;
            double y = (random.nextInt(Math.max(1, height / pitch)) + random.nextDouble() * 0.6) * pitch;
            double angle = random.nextDouble() * 2 * Math.PI;
            for (int step = 0; step < pitch; step++) {
                int at = Math.max(0, Math.min(height - 1, (int) y)) * width + Math.max(0, Math.min(width - 1, (int) x));
                image[at] = 0.1;
                x += Math.cos(angle);
                y += Math.sin(angle);
                angle += 0.3 * random.nextGaussian();
            }
        }
    }

    private void ramp() {
        double dx = random.nextDouble() / width;
        double dy = random.nextDouble() / height;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                image[y * width + x] += (dx * x + dy * y) / 2;
            }
        }
    }

    private void blur(int radius) {
        double[] line = new double[Math.max(width, height)];
        for (int y = 0; y < height; y++) {
            blurLine(y * width, 1, width, radius, line);
        }
        for (int x = 0; x < width; x++) {
            blurLine(x, width, height, radius, line);
        }
    }

    private void blurLine(int start, int stride, int length, int radius, double[] line) {
        for (int i = 0; i < length; i++) {
            line[i] = image[start + i * stride];
        }
        for (int i = 0; i < length; i++) {
            double sum = 0;
            for (int j = i - radius; j <= i + radius; j++) {
                sum += line[Math.max(0, Math.min(length - 1, j))];
            }
            image[start + i * stride] = sum / (2 * radius + 1);
        }
    }
}
