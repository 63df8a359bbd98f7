package b;

/** The library. */
public class Part {
    static class Scale {
        private final int[] weights = new int[5];

        Scale() {
            for (int i = 0; i < weights.length; i++) {
                weights[i] = i * i;
            }
        }

        int of(int n) {
            return weights[n % weights.length];
        }
    }

    private static final Scale SCALE = new Scale();

    public static String version() {
        return "base";
    }

    public static int weigh(int n) {
        int sum = 0;
        for (int i = 0; i < n % 4; i++) {
            for (int j = i; j < 3; j++) {
                sum += SCALE.of(i + j);
            }
        }
        return sum;
    }

    public static int check(int n) {
        if (n % 3 == 1) {
            throw new Refused(n);
        }
        return weigh(n);
    }

    public static int share(int all, int among) {
        return all / among;
    }
}
