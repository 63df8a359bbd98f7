// Chun et al. 2010, section 5: static fields, fields of objects, elements of arrays, constructors, static initialisers.
// slice: Heap.counted at exit
class Heap {
    static final int LIMIT;
    static int other;
    static int counted;

    static {
        LIMIT = Integer.parseInt("7");              // in
        other = 3;                                  // out
    }

    int bound;
    int name;
    final long[] steps = new long[4];               // in

    Heap(int bound, int name) {
        this.bound = bound;                         // in
        this.name = name;                           // out
        steps[0] = 2L;                              // in
    }

    public static void main(String[] args) {
        Heap heap = new Heap(LIMIT, other);         // in
        heap.name = 9;                              // out
        double[] weights = {0.5};                   // out
        for (int i = 0; i < heap.bound; i += heap.steps[0]) { // in
            counted++;                              // in
            weights[0] *= 2;                        // out
        }
        System.out.println(counted + heap.name + weights[0]); // out
    }
}
