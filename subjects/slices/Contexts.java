// The example of Horwitz, Reps & Binkley 1990, figure 1, with results in place of reference parameters: `add` is called for the sum and for the
// counter, and the counter does not depend on the sum.
// slice: Contexts.main.i at line 21
class Contexts {
    static int add(int a, int b) {
        return a + b;                               // in
    }

    static int increment(int z) {
        return add(z, 1);                           // in
    }

    public static void main(String[] args) {
        int sum = 0;                                // out
        int i = 1;                                  // in
        while (i < 11) {                            // in
            sum = add(sum, i);                      // out, but without contexts in
            i = increment(i);                       // in
        }
        System.out.println(sum);                    // out
        System.out.println(i);                      // in
    }
}
