package fileshare.compress;

/** Makes files smaller. */
public interface Compression {
    byte[] compress(byte[] data);
}
