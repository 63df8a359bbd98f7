// An exception that passes through a method decides what runs behind the call.
// slice: Throws.done at exit
class Throws {
    static int done;
    static int noise;

    static class Odd extends RuntimeException {
        final int value;

        Odd(int value) {
            this.value = value;                     // in
        }
    }

    static void check(int n) {
        noise++;                                    // out
        if (n % 2 == 1) {                           // in
            throw new Odd(n);                       // in
        }
    }

    static void through(int n) {
        check(n);                                   // in
        done += 10;                                 // in
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {               // in
            try {
                through(i);                         // in
            } catch (Odd odd) {
                done += odd.value;                  // in
            }
            noise += i;                             // out
        }
        System.out.println(done + noise);           // out
    }
}
