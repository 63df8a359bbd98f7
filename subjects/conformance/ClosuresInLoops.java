/** Lambdas and anonymous classes created in loops and constructors, with captured this. */
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

public class ClosuresInLoops {
    final List<IntSupplier> all = new ArrayList<>();
    int base;

    ClosuresInLoops(int base) {
        this(base, () -> 5); // count <init>: 1, lambda$new$0: 1
    }

    ClosuresInLoops(int base, IntSupplier extra) {
        this.base = base + extra.getAsInt(); // count: 1
        for (int i = 0; i < 3; i++) {
            int k = i;
            all.add(() -> this.base + k); // count <init>: 3, lambda$new$1: 6
            all.add(new IntSupplier() {
                @Override
                public int getAsInt() {
                    return ClosuresInLoops.this.base * k; // count: 6
                }
            });
        }
    }

    public static void main(String[] args) {
        ClosuresInLoops c = new ClosuresInLoops(2);
        int sum = 0;
        for (int i = 0; i < 2; i++) {
            for (IntSupplier s : c.all) {
                sum += s.getAsInt(); // count: 12
            }
        }
        System.out.println(sum);
    }
}
