package fileshare.store;

import java.util.Set;

/** Files that must not be shared. */
public class ProtectedFiles {
    private final Set<Long> hashes;

    public ProtectedFiles(Set<Long> hashes) {
        this.hashes = hashes;
    }

    public boolean contains(long hash) {
        return hashes.contains(hash);
    }
}
