/** What one observed call costs: many calls that do next to nothing. Prints nanoseconds a call, the least of several rounds. */
public class Calls {
    private long sum;

    void call(int n) {
        sum += n;
    }

    public static void main(String[] args) {
        int calls = Integer.parseInt(args[0]);
        Calls one = new Calls();
        double least = Double.MAX_VALUE;
        for (int round = 0; round < 7; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                one.call(i);
            }
            least = Math.min(least, (System.nanoTime() - start) / (double) calls);
        }
        if (one.sum == 0) {
            throw new IllegalStateException("nothing was done");
        }
        System.out.println(least);
    }
}
