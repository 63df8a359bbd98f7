import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sums up what each account of a ledger has: {@code java Ledger FILE}. */
public class Ledger {
    private String[] accounts = new String[16];
    private long[] sums = new long[16];
    private int size;

    void book(String line) {
        int blank = line.indexOf(' ');
        String account = line.substring(0, blank);
        int place = find(account);
        if (place < 0) {
            place = insert(account, -place - 1);
        }
        sums[place] += Long.parseLong(line.substring(blank + 1));
    }

    /** The account's place, or where it belongs. */
    int find(String account) {
        int low = 0;
        while (low < size) {
            int order = accounts[low].compareTo(account);
            if (order == 0) {
                return low;
            } else if (order > 0) {
                break;
            }
            low++;
        }
        return -low - 1;
    }

    int insert(String account, int place) {
        if (size == accounts.length) {
            accounts = java.util.Arrays.copyOf(accounts, 2 * size);
            sums = java.util.Arrays.copyOf(sums, 2 * size);
        }
        for (int i = size; i > place; i--) {
            accounts[i] = accounts[i - 1];
            sums[i] = sums[i - 1];
        }
        accounts[place] = account;
        sums[place] = 0;
        size++;
        return place;
    }

    long total() {
        long total = 0;
        for (int i = 0; i < size; i++) {
            total += sums[i];
        }
        return total;
    }

    public static void main(String[] args) throws IOException {
        Ledger ledger = new Ledger();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            ledger.book(line);
        }
        System.out.println(ledger.size + " accounts, " + ledger.total());
    }
}
