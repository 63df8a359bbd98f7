package fileshare.store;

/** For small files. */
public class SmallStorage implements Storage {
    private long bytes;

    @Override
    public void store(byte[] data) {
        bytes += data.length;
    }

    public long bytes() {
        return bytes;
    }
}
