package fileshare.store;

/** Where files are kept. */
public interface Storage {
    void store(byte[] data);
}
