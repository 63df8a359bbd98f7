import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Five methods, one with a branch: function2 sleeps 5 ms and calls function4 (100 ms) when its argument is above 6. */
public class ControlFlow {
    static void function1() {
        Exactly.sleep(20);
    }

    static void function2(int n) {
        Exactly.sleep(5);
        if (n > 6) {
            Exactly.sleep(100); // what function4 does, but on a path of this method
        }
    }

    static void function3() {
        Exactly.sleep(500);
    }

    static void function4() {
        Exactly.sleep(100);
    }

    static void function5() {
    }

    /** Calls each function as often as the workload says. */
    static void run(int n, int calls1, int calls2, int calls3, int calls4, int calls5) {
        for (int i = 0; i < calls1; i++) {
            function1();
        }
        for (int i = 0; i < calls2; i++) {
            function2(n);
        }
        for (int i = 0; i < calls3; i++) {
            function3();
        }
        for (int i = 0; i < calls4; i++) {
            function4();
        }
        for (int i = 0; i < calls5; i++) {
            function5();
        }
    }

    public static void main(String[] args) throws IOException {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] w = line.trim().split(" ");
            run(Integer.parseInt(w[0]), Integer.parseInt(w[1]), Integer.parseInt(w[2]), Integer.parseInt(w[3]),
                    Integer.parseInt(w[4]), Integer.parseInt(w[5]));
        }
    }
}
