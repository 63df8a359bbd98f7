import java.awt.image.BufferedImage;
import java.io.StringReader;
import org.apache.batik.transcoder.TranscoderException;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.ImageTranscoder;

/**
 * Batik draws SVG texts into images. One call of {@link #render} is one observation: parsing, building, drawing; what is known before it is
 * the length of the text.
 */
public final class Render {
    private static final class Painter extends ImageTranscoder {
        private BufferedImage image;

        @Override
        public BufferedImage createImage(int width, int height) {
            return new BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB);
        }

        @Override
        public void writeImage(BufferedImage drawn, TranscoderOutput output) {
            image = drawn;
        }
    }

    /** One observation. */
    public int render(String svg) throws TranscoderException {
        return work(svg);
    }

    private int work(String svg) throws TranscoderException {
        Painter painter = new Painter();
        painter.transcode(new TranscoderInput(new StringReader(svg)), null);
        BufferedImage image = painter.image;
        return 31 * image.getWidth() + image.getRGB(image.getWidth() / 2, image.getHeight() / 2);
    }

    public static void main(String[] args) throws TranscoderException {
        if (args.length < 1) {
            System.err.println("usage: Render OBSERVATIONS [WARM-UP CALLS]");
            System.exit(2);
        }
        int observations = Integer.parseInt(args[0]);
        int warmUp = args.length > 1 ? Integer.parseInt(args[1]) : 400;
        Render render = new Render();
        long check = 0;
        for (int i = -warmUp; i < observations; i++) {
            // Warm-up calls draw other texts, by another method.
            String svg = new Drawings(1_000_003L * i).drawing();
            check += i < 0 ? render.work(svg) : render.render(svg);
        }
        System.out.println(check);
    }
}
