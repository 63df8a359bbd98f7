/** What is derived from counters: loops in loops, both sides of a branch, a switch, handlers, invocations. After `java Flow 5`: */
public class Flow {
    static int nested(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                sum += j;
            }
        }
        return sum;
    }

    static int side(int n) {
        if (n > 3) {
            return 1;
        }
        return 2;
    }

    static int risky(int n) {
        try {
            return 10 / (n % 2);
        } catch (ArithmeticException e) {
            return 0;
        }
    }

    static int down(int n) {
        return n == 0 ? 0 : down(n - 1);
    }

    static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    static int fails(int n) {
        if (n == 0) {
            throw new IllegalStateException();
        }
        return fails(n - 1);
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        nested(n);
        for (int i = 0; i < n; i++) {
            side(i);
            risky(i);
        }
        down(n);
        even(n);
        for (int i = 0; i < 3; i++) {
            try {
                fails(i);
            } catch (IllegalStateException e) {
                down(1);
            }
        }
        for (int i = -1; i < 2; i++) {
            try {
                new Positive(i);
            } catch (NegativeException e) {
                down(0);
            }
        }
    }

    /** An exception made in a constructor. */
    static class Positive {
        Positive(int n) {
            if (n < 0) {
                throw new NegativeException();
            }
        }
    }

    /** Its superclass's constructor is called, but makes no object of its own. */
    static class NegativeException extends IllegalArgumentException {
    }
}
//= Flow.nested(int) loop 0 at block 1 (Flow.java:5) = 6
//= Flow.nested(int) loop 1 at block 3 (Flow.java:6) = 15
//= Flow.side(int) block 0 taken (Flow.java:14) = 4
//= Flow.side(int) block 0 not taken (Flow.java:14) = 1
//= Flow.risky(int) handler 0 at block 1 (Flow.java:23-24) = 3
//= Flow.down(int) invocations = 13
//= Flow.risky(int) invocations = 5
//= Flow.down(int) depth = 6
//= Flow.even(int) depth = 3
//= Flow.odd(int) depth = 3
//= Flow.fails(int) depth = 3
//= Flow.side(int) depth = missing
//= thrown java.lang.ArithmeticException = 3
//= thrown java.lang.IllegalStateException = 3
//= thrown Flow$NegativeException = 1
//= thrown java.lang.IllegalArgumentException = missing
//= Flow.nested(int) loop 1 at block 3 (Flow.java:6) per entry of loop 0 = 15
//= Flow.nested(int) loop 0 at block 1 (Flow.java:5) per entry of loop 0 = 6
//= Flow.side(int) block 0 (Flow.java:14) = 5
//= Flow.risky(int) block 0 (Flow.java:22) = 5
//= opcode int_div = 10
//= opcode throw = 4
//= opcode allocate_object = 7
//= call java.lang.Integer.parseInt(String) = 1
//= call java.lang.IllegalStateException.<init>() = 3
//= Flow.side(int) block 0 turns (Flow.java:14) = 0.8
//= methods first executed = 10
//= blocks first executed = 47
//= bytecode first executed = 243
