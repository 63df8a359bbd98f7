/** The smallest program: one return instruction, and a class that is loaded and never used. */
public class EmptyMain {
    static class Unused {
        int never() {
            return 1; // count: 0
        }
    }

    public static void main(String[] args) {
    } // count: 1
}
