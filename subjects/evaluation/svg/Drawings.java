import java.util.Random;

/**
 * Makes SVG drawings of different sizes and contents; the same seed gives the same text. A drawing has one to four layers of bar charts,
 * scattered circles, curved maps, nested and rotated groups, writing or gradients, each with a log-uniform number of parts.
 */
final class Drawings {
    private final Random random;
    private final StringBuilder out = new StringBuilder();
    private int width;
    private int height;

    Drawings(long seed) {
        random = new Random(seed);
    }

    String drawing() {
        width = (int) logUniform(60, 500);
        height = (int) logUniform(60, 500);
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"").append(width).append("\" height=\"").append(height).append("\">\n");
        for (int layers = 1 + random.nextInt(4); layers > 0; layers--) {
            layer(random.nextInt(6));
        }
        return out.append("</svg>\n").toString();
    }

    private double logUniform(double low, double high) {
        return low * Math.pow(high / low, random.nextDouble());
    }

    private void layer(int kind) {
        switch (kind) {
            case 0:
                bars((int) logUniform(3, 60));
                break;
            case 1:
                circles((int) logUniform(5, 150));
                break;
            case 2:
                curves((int) logUniform(1, 20));
                break;
            case 3:
                nested((int) logUniform(2, 12));
                break;
            case 4:
                writing((int) logUniform(1, 10));
                break;
            default:
                gradient();
        }
    }

    private String colour() {
        return String.format("#%06x", random.nextInt(1 << 24));
    }

    private String style() {
        String stroke = random.nextInt(3) == 0 ? "" : " stroke=\"" + colour() + "\" stroke-width=\"" + number(0.5, 6) + "\"";
        String dash = random.nextInt(8) == 0 ? " stroke-dasharray=\"4 3\"" : "";
        String opacity = random.nextInt(4) == 0 ? " opacity=\"0.6\"" : "";
        return " fill=\"" + (random.nextInt(4) == 0 ? "none" : colour()) + "\"" + stroke + dash + opacity;
    }

    private String number(double low, double high) {
        return String.format(java.util.Locale.ROOT, "%.1f", low + (high - low) * random.nextDouble());
    }

    private void bars(int count) {
        String style = style();
        for (int i = 0; i < count; i++) {
            out.append("<rect x=\"").append(i * width / count).append("\" y=\"").append(number(0, height)).append("\" width=\"");
            out.append(number(1, 1 + (double) width / count)).append("\" height=\"").append(number(1, height)).append('"').append(style).append("/>\n");
        }
    }

    private void circles(int count) {
        double largest = logUniform(3, 60);
        for (int i = 0; i < count; i++) {
            out.append("<circle cx=\"").append(number(0, width)).append("\" cy=\"").append(number(0, height)).append("\" r=\"");
            out.append(number(1, largest)).append('"').append(style()).append("/>\n");
        }
    }

    private void curves(int count) {
        for (int i = 0; i < count; i++) {
            out.append("<path d=\"M").append(point());
            for (int part = (int) logUniform(2, 60); part > 0; part--) {
                out.append(random.nextBoolean() ? "C" + point() + " " + point() + " " + point() : "L" + point());
            }
            out.append(random.nextBoolean() ? "Z" : "").append('"').append(style()).append("/>\n");
        }
    }

    private String point() {
        return number(0, width) + "," + number(0, height);
    }

    private void nested(int depth) {
        for (int i = 0; i < depth; i++) {
            out.append("<g transform=\"translate(").append(number(0, 20)).append(' ').append(number(0, 20)).append(") rotate(");
            out.append(number(-20, 20)).append(")\"").append(random.nextInt(5) == 0 ? " opacity=\"0.8\"" : "").append(">\n");
            bars(1 + random.nextInt(4));
            circles(1 + random.nextInt(4));
        }
        out.append("</g>\n".repeat(depth));
    }

    private void writing(int lines) {
        for (int i = 0; i < lines; i++) {
            out.append("<text x=\"").append(number(0, width / 2.0)).append("\" y=\"").append(number(10, height)).append("\" font-size=\"");
            out.append(number(8, 30)).append("\" fill=\"").append(colour()).append("\">");
            for (int letters = (int) logUniform(3, 60); letters > 0; letters--) {
                out.append(random.nextInt(6) == 0 ? ' ' : (char) ('a' + random.nextInt(26)));
            }
            out.append("</text>\n");
        }
    }

    private void gradient() {
        String name = "g" + random.nextInt(1_000_000);
        boolean round = random.nextBoolean();
        String kind = round ? "radialGradient" : "linearGradient";
        out.append("<defs><").append(kind).append(" id=\"").append(name).append("\">");
        int stops = 2 + random.nextInt(4);
        for (int i = 0; i < stops; i++) {
            out.append("<stop offset=\"").append(100 * i / (stops - 1)).append("%\" stop-color=\"").append(colour()).append("\"/>");
        }
        out.append("</").append(kind).append("></defs>\n<rect x=\"").append(number(0, width / 2.0)).append("\" y=\"").append(number(0, height / 2.0));
        out.append("\" width=\"").append(number(10, width)).append("\" height=\"").append(number(10, height));
        out.append("\" fill=\"url(#").append(name).append(")\"/>\n");
    }
}
