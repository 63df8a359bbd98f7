/** Local and anonymous classes that capture variables, inner classes of inner classes, and access between nest mates. */
import java.util.function.IntSupplier;

public class LocalCaptures {
    private int hidden = 3;

    class Inner {
        private int deep = hidden * 2; // count: 2

        class Deeper {
            int sum() {
                return deep + hidden++; // count: 4
            }
        }
    }

    private static int secret(int n) {
        return n + 1; // count: 5
    }

    static IntSupplier counter(int from) {
        int[] at = {from};
        class Local implements IntSupplier {
            @Override
            public int getAsInt() {
                return secret(at[0]++); // count: 5
            }
        }
        return new Local(); // count: 2
    }

    public static void main(String[] args) {
        int sum = 0;
        LocalCaptures outer = new LocalCaptures();
        for (int i = 0; i < 2; i++) {
            Inner.Deeper d = outer.new Inner().new Deeper();
            sum += d.sum() + d.sum(); // count: 2
        }
        IntSupplier a = counter(10);
        IntSupplier b = counter(20);
        sum += a.getAsInt() + a.getAsInt() + a.getAsInt() + b.getAsInt() + b.getAsInt(); // count: 1
        int k = sum;
        IntSupplier c = new IntSupplier() {
            int calls;

            @Override
            public int getAsInt() {
                calls++; // count: 3
                return k + calls; // count: 3
            }
        };
        for (int i = 0; i < 3; i++) {
            sum += c.getAsInt(); // count: 3
        }
        System.out.println(sum);
    }
}
