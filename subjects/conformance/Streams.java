/** Streams: lambdas called from the runtime, in order, short-circuited, and one that throws. */
// since: 11
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Streams {
    static int seen;

    static boolean small(int n) {
        seen++; // count: 5
        return n < 4; // count: 5
    }

    static int checked(int n) {
        if (n == 3) { // count: 4
            throw new IllegalArgumentException(); // count: 1
        }
        return n; // count: 3
    }

    public static void main(String[] args) {
        List<Integer> squares = IntStream.range(0, 10)
                .filter(n -> n % 2 == 0) // count lambda$main$0: 10
                .mapToObj(n -> n * n) // count lambda$main$1: 5
                .collect(Collectors.toList());
        int sum = squares.stream().mapToInt(Integer::intValue).sum();
        sum += IntStream.range(0, 100).takeWhile(Streams::small).sum();
        sum += IntStream.iterate(1, n -> n * 2).limit(6).reduce(0, (a, b) -> a + b); // count lambda$main$2: 5, lambda$main$3: 6
        try {
            sum += IntStream.range(0, 9).map(Streams::checked).sum(); // count: 1
        } catch (IllegalArgumentException e) {
            sum += 1000; // count: 1
        }
        System.out.println(sum + " " + seen);
    }
}
