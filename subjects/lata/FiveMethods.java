import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Five methods that sleep 1, 10, 500, 100 and 0 ms, called in six combinations. */
public class FiveMethods {
    static void function1() {
        Exactly.sleep(1);
    }

    static void function2() {
        Exactly.sleep(10);
    }

    static void function3() {
        Exactly.sleep(500);
    }

    static void function4() {
        Exactly.sleep(100);
    }

    static void function5() {
    }

    static void run(int choice) {
        switch (choice) {
            case 1:
                function1();
                function3();
                function3();
                function5();
                function3();
                break;
            case 2:
                function5();
                function2();
                function2();
                function4();
                function4();
                break;
            case 3:
                function3();
                function4();
                function4();
                function5();
                function4();
                break;
            case 4:
                function1();
                function1();
                function5();
                function4();
                function2();
                break;
            case 5:
                function1();
                function1();
                function1();
                function2();
                function1();
                break;
            default:
                function5();
                function4();
                function3();
                function2();
                function1();
                break;
        }
    }

    public static void main(String[] args) throws IOException {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            run(Integer.parseInt(line.trim()));
        }
    }
}
