/** Lambdas with and without captures, nested, and method references of every kind. */
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

public class Lambdas {
    int field = 3;

    int add(int n) {
        return n + field; // count: 5
    }

    static int twice(int n) {
        return n * 2; // count: 5
    }

    static int apply(IntUnaryOperator f, int times) {
        int x = 1;
        for (int i = 0; i < times; i++) {
            x = f.applyAsInt(x); // count: 20
        }
        return x;
    }

    public static void main(String[] args) {
        int k = args.length + 2;
        int sum = apply(n -> n + k, 5); // count main: 1, lambda$main$0: 5
        sum += apply(Lambdas::twice, 5);
        sum += apply(new Lambdas()::add, 5);
        sum += apply(n -> {
            IntBinaryOperator inner = (a, b) -> a * b + k; // count lambda$main$2: 5, lambda$main$1: 5
            return inner.applyAsInt(n, 2) % 100; // count: 5
        }, 5);
        Supplier<Lambdas> make = Lambdas::new;
        Function<Lambdas, Integer> get = l -> l.field; // count main: 1, lambda$main$3: 3
        for (int i = 0; i < 3; i++) {
            sum += get.apply(make.get()); // count: 3
        }
        System.out.println(sum);
    }
}
