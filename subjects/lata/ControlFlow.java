import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Five methods, one with a branch: function2 sleeps 5 ms and calls function4 (100 ms) when its argument is above 6. */
public class ControlFlow {
    static void function1() throws InterruptedException {
        Thread.sleep(20);
    }

    static void function2(int n) throws InterruptedException {
        Thread.sleep(5);
        if (n > 6) {
            Thread.sleep(100); // what function4 does, but on a path of this method
        }
    }

    static void function3() throws InterruptedException {
        Thread.sleep(500);
    }

    static void function4() throws InterruptedException {
        Thread.sleep(100);
    }

    static void function5() {
    }

    static void run(int choice, int n) throws InterruptedException {
        switch (choice) {
            case 1:
                function1();
                function3();
                function5();
                break;
            case 2:
                function5();
                function2(n);
                function2(n);
                function4();
                break;
            case 3:
                function3();
                function4();
                function5();
                function4();
                break;
            case 4:
                function1();
                function1();
                function4();
                function2(n);
                break;
            case 5:
                function1();
                function2(n);
                function1();
                break;
            default:
                function5();
                function4();
                function2(n);
                function1();
                break;
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] words = line.trim().split(" ");
            run(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        }
    }
}
