import java.io.BufferedReader;
import java.io.FileReader;

/** The thread that reads is begun by one that is gone by then. */
public class Chain {
    static int lines;

    public static void main(String[] args) {
        Thread first = new Thread(() -> new Thread(() -> late(args[0])).start());
        first.start();
    }

    static void late(String input) {
        try {
            Thread.sleep(300);
            read(input);
        } catch (Exception e) {
            lines = -1;
        }
    }

    static void read(String input) throws Exception {
        try (BufferedReader reader = new BufferedReader(new FileReader(input))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines++;
            }
        }
    }
}
