package fileshare.store;

/** For large files. */
public class LargeStorage implements Storage {
    private long bytes;

    @Override
    public void store(byte[] data) {
        bytes += data.length;
    }

    public long bytes() {
        return bytes;
    }
}
