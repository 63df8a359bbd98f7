/** Methods whose first instruction is a jump target: the loop starts at address 0. */
public class LoopHeaderEntry {
    static int counter;

    static void spin() {
        do { counter++; } while (counter % 5 != 0); // count: 15
    }

    static void forever() {
        for (;;) {
            counter++; // count: 9
            if (counter % 3 == 0) { // count: 9
                return; // count: 3
            }
        }
    }

    static int drain(int n) {
        while (n > 0) { // count: 8
            n -= 3; // count: 5
        }
        return n; // count: 3
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            spin(); // count: 3
        }
        for (int i = 0; i < 3; i++) {
            forever(); // count: 3
            sum += drain(i * 4); // count: 3
        }
        System.out.println(sum + " " + counter);
    }
}
