package fileshare;

import fileshare.compress.Blocks;
import fileshare.compress.Compression;
import fileshare.compress.Lzw;
import fileshare.hash.Hashing;
import fileshare.logic.BusinessLogic;
import fileshare.store.KnownFiles;
import fileshare.store.LargeStorage;
import fileshare.store.ProtectedFiles;
import fileshare.store.SmallStorage;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Uploads made-up files: {@code Main lzw|blocks WHAT}.
 *
 * {@code single}: eleven uploads of one file each. {@code many}: 19 uploads of several. {@code near}: as single, with files of 200,000 bytes and one more.
 * {@code repeated}: eleven times eleven uploads of one file, one in eleven a file that was uploaded before. {@code compress}: 33 files are compressed, no more; a third argument says how often.
 * No file but those of {@code near} has a size from 150,000 to 260,000 when it is stored.
 */
public final class Main {
    private static final String[] WORDS = {"upload", "file", "the", "a", "of", "share", "music", "holiday", "report", "and", "is", "large", "store", "hash", "2010"};

    private final Random random = new Random(7);
    private final Compression compression;
    private final Hashing hashing = new Hashing();
    private final LargeStorage large = new LargeStorage();
    private final SmallStorage small = new SmallStorage();
    private final Set<Long> hashes = new HashSet<>();
    private final BusinessLogic logic;

    private Main(Compression compression) {
        this.compression = compression;
        logic = new BusinessLogic(compression, hashing, new KnownFiles(), new ProtectedFiles(hashes), large, small);
    }

    private byte[] text(int size) {
        StringBuilder text = new StringBuilder(size + 16);
        while (text.length() < size) {
            double u = random.nextDouble();
            text.append(WORDS[(int) (u * u * WORDS.length)]);
            text.append(random.nextInt(12) == 0 ? ".\n" : " ");
            if (random.nextInt(9) == 0) {
                text.append(random.nextInt(100000)).append(' ');
            }
        }
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) text.charAt(i);
        }
        return bytes;
    }

    private byte[] noise(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private void one(byte[] file, int type) {
        logic.uploadFiles(new byte[][] {file}, new int[] {type});
    }

    private void forbid(byte[] file, int type) {
        hashes.add(hashing.hash(type == BusinessLogic.TEXT ? compression.compress(file) : file));
    }

    private void single() {
        int[] texts = {1500, 40_000, 330_000, 1_400_000, 2_000_000};
        int[] others = {900, 30_000, 140_000, 270_000, 700_000};
        for (int i = 0; i < 5; i++) {
            one(text(texts[i]), BusinessLogic.TEXT);
            byte[] file = noise(others[i]);
            if (i == 1) {
                forbid(file, BusinessLogic.COMPRESSED);
            }
            one(file, BusinessLogic.COMPRESSED);
            if (i == 3) {
                one(file, BusinessLogic.COMPRESSED);
            }
        }
    }

    private void many() {
        int[] sizes = {700, 5_000, 22_000, 90_000, 130_000, 280_000, 420_000};
        byte[] before = noise(3000);
        for (int run = 0; run < 19; run++) {
            int count = (run * 5 + 1) % 7;
            byte[][] files = new byte[count][];
            int[] types = new int[count];
            for (int i = 0; i < count; i++) {
                types[i] = random.nextInt(2);
                int size = sizes[random.nextInt(sizes.length)] + random.nextInt(500);
                boolean isText = types[i] == BusinessLogic.TEXT;
                files[i] = isText ? text(size * 3) : noise(size);
                int fate = random.nextInt(8);
                if (fate == 0) {
                    forbid(files[i], types[i]);
                } else if (fate == 1 && !isText) {
                    files[i] = before;
                }
                if (!isText) {
                    before = files[i];
                }
            }
            logic.uploadFiles(files, types);
        }
    }

    private void near() {
        for (int size : new int[] {199_000, 199_999, 200_000, 200_001, 201_000}) {
            one(noise(size), BusinessLogic.COMPRESSED);
        }
        single();
    }

    private void repeated() {
        byte[] before = noise(10);
        for (int i = 0; i < 121; i++) {
            if (i % 11 != 10) {
                int size = random.nextInt(150_000) + (random.nextBoolean() ? 260_000 : 0);
                before = noise(size);
            }
            one(before, BusinessLogic.COMPRESSED);
        }
    }

    private void compress() {
        long sum = 0;
        for (int i = 0; i < 33; i++) {
            int size = 500 + i * i * 230;
            sum += compression.compress(i % 3 == 2 ? noise(size) : text(size)).length;
        }
        System.out.println(sum);
    }

    public static void main(String[] args) {
        Main main = new Main(args[0].equals("lzw") ? new Lzw() : new Blocks());
        switch (args[1]) {
            case "single":
                main.single();
                break;
            case "many":
                main.many();
                break;
            case "near":
                main.near();
                break;
            case "repeated":
                main.repeated();
                break;
            default:
                for (int round = args.length > 2 ? Integer.parseInt(args[2]) : 1; round > 0; round--) {
                    main.compress();
                }
        }
        System.out.println(main.large.bytes() + " " + main.small.bytes());
    }
}
