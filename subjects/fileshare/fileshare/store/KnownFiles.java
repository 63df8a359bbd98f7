package fileshare.store;

import java.util.HashSet;
import java.util.Set;

/** What has been uploaded before; asking about a file makes it known. */
public class KnownFiles {
    private final Set<Long> known = new HashSet<>();

    public boolean contains(long hash) {
        return !known.add(hash);
    }
}
