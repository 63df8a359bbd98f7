// exit: 9
/** System.exit in the initialiser of an interface whose field a loop of the implementing class reads as if it were its own. */
public class ExitInInterfaceInit {
    interface Given {
        int NUMBER = given();

        static int given() {
            System.exit(9); // count: 1
            return 1; // count: 0
        }
    }

    static class Taker implements Given {
        static int total(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += i; // count: 10
                if (i == 6) {
                    sum += NUMBER; // count: 1
                }
            }
            return sum; // count: 1
        }
    }

    public static void main(String[] args) {
        Taker.total(3); // count: 1
        Taker.total(9); // count: 1
        System.out.println(); // count: 0
    }
}
