import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Reads lines, then works long on them; the second argument says what else it does. */
public class Phased {
    static List<String> lines = new ArrayList<>();
    static long work;

    public static void main(String[] args) throws Exception {
        String mode = args.length > 1 ? args[1] : "";
        if (mode.equals("early-exit")) {
            System.exit(0);
        }
        if (mode.equals("opens-output")) {
            try (PrintWriter out = new PrintWriter(new FileOutputStream(args[0] + ".out", true))) {
                out.println("begun");
            }
        }
        before(mode, args[0]);
        try {
            read(args[0]);
            if (mode.equals("reads-twice")) {
                read(args[0]);
            }
        } catch (Throwable e) {
            work = -1;
        }
        if (mode.equals("endless")) {
            while (work >= 0) {
                again();
            }
        }
        compute();
        System.out.println(lines.size() + " " + work);
        after(args[0]);
    }

    static void before(String mode, String input) throws Exception {
        switch (mode) {
            case "deletes":
                new File(input).delete();
                break;
            case "deletes-and-catches":
                try {
                    Files.delete(Paths.get(input));
                } catch (Throwable e) {
                    work = 1;
                }
                break;
            case "sends":
                new Socket("localhost", 1).close();
                break;
            case "starts":
                new ProcessBuilder("true").start();
                break;
            case "ends-processes":
                ProcessHandle.of(1).ifPresent(ProcessHandle::destroy);
                break;
            case "listens-to-a-file":
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(input + ".socket"));
                break;
            case "exits":
                System.exit(3);
                break;
            case "fails":
                throw new IllegalStateException("as asked");
            default:
                break;
        }
    }

    static void read(String input) throws Exception {
        try (BufferedReader reader = new BufferedReader(new FileReader(input))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        }
    }

    static void again() {
        for (int i = 0; i < 10; i++) {
            work += i;
        }
    }

    static void compute() {
        for (int i = 0; i < 300; i++) {
            for (String line : lines) {
                score(line);
            }
        }
    }

    static void score(String line) {
        for (int k = 0; k < 1000; k++) {
            work += line.length() ^ k;
        }
    }

    static void after(String input) {
        new File(input).delete();
    }

    /** Called by nobody that the code shows. */
    static int compare(String a, String b) {
        int sum = 0;
        for (int i = 0; i < a.length(); i++) {
            sum += i;
        }
        return sum;
    }

    static void sort() {
        lines.sort(Phased::compare);
    }
}
