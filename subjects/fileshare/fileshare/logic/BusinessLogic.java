package fileshare.logic;

import fileshare.compress.Compression;
import fileshare.hash.Hashing;
import fileshare.store.KnownFiles;
import fileshare.store.ProtectedFiles;
import fileshare.store.Storage;

/**
 * Takes files: compresses those that are not yet, leaves out what it has or must not have, and stores the rest by size.
 *
 * What it requires, per file: Compression.compress(file) if its type is TEXT; Hashing.hash of the outcome; KnownFiles.contains(hash);
 * ProtectedFiles.contains(hash) if it is not known; then, if it is not protected, the large storage if the outcome has more than 200,000 bytes, else the small one.
 */
public final class BusinessLogic {
    public static final int TEXT = 0;
    public static final int COMPRESSED = 1;
    private static final int LARGE = 200_000;

    private final Compression compression;
    private final Hashing hashing;
    private final KnownFiles known;
    private final ProtectedFiles forbidden;
    private final Storage large;
    private final Storage small;

    public BusinessLogic(Compression compression, Hashing hashing, KnownFiles known, ProtectedFiles forbidden, Storage large, Storage small) {
        this.compression = compression;
        this.hashing = hashing;
        this.known = known;
        this.forbidden = forbidden;
        this.large = large;
        this.small = small;
    }

    public void uploadFiles(byte[][] inputFiles, int[] fileTypes) {
        for (int i = 0; i < inputFiles.length; i++) {
            upload(inputFiles[i], fileTypes[i]);
        }
    }

    private void upload(byte[] file, int type) {
        byte[] data = type == TEXT ? compression.compress(file) : file;
        long hash = hashing.hash(data);
        if (known.contains(hash) || forbidden.contains(hash)) {
            return;
        }
        if (data.length > LARGE) {
            large.store(data);
        } else {
            small.store(data);
        }
    }
}
