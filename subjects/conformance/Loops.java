/** while, do, for and for-each; nested, empty, and with the exit in the middle. */
// since: 11
import java.util.List;

public class Loops {
    static int empty;

    public static void main(String[] args) {
        int n = 0;
        while (n < 5) { // count: 6
            n++; // count: 5
        }
        do {
            n += 2; // count: 3
        } while (n < 10); // count: 3
        while (false || n < 0) { // count: 1
            n = 0; // count: 0
        }
        for (;;) {
            n--; // count: 7
            if (n == 4) { // count: 7
                break; // count: 1
            }
            n += 0; // count: 6
        }
        for (int i = 0; i < 3; i++) {
            for (int j = i; j < 3; j++) { // count: 3
                for (int k = 0; k < j; k++) { // count: 6
                    n++; // count: 8
                }
            }
        }
        for (int x : new int[] {1, 2, 3}) {
            n += x; // count: 3
        }
        for (String s : List.of("a", "bb")) {
            n += s.length(); // count: 2
        }
        for (int i = 0; i < 4; i++, empty++) {
        }
        System.out.println(n + " " + empty);
    }
}
