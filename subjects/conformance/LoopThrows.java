/** Exceptions that leave and re-enter loops; a loop whose only exit is an exception; try inside and around a loop. */
public class LoopThrows {
    static int read(int[] a) {
        int sum = 0; // count: 3
        int i = 0; // count: 3
        try {
            while (true) {
                sum += a[i++]; // count: 12
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            return sum; // count: 3
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int n = 2; n < 5; n++) {
            sum += read(new int[n]); // count: 3
        }
        for (int i = 0; i < 10; i++) {
            try {
                if (i % 3 == 0) { // count: 10
                    throw new RuntimeException(); // count: 4
                }
                if (i % 3 == 1) { // count: 6
                    continue; // count: 3
                }
                sum += Integer.parseInt("x" + i); // count: 3
                sum = -1; // count: 0
            } catch (NumberFormatException e) {
                sum += 10; // count: 3
            } catch (RuntimeException e) {
                sum += 100; // count: 4
            }
        }
        System.out.println(sum);
    }
}
