/** Enums with bodies, a switch over an enum, values(), valueOf() that throws, EnumMap. */
import java.util.EnumMap;

public class Enums {
    enum Op {
        ADD {
            @Override
            int apply(int a, int b) {
                return a + b; // count: 4
            }
        },
        SUB {
            @Override
            int apply(int a, int b) {
                return a - b; // count: 4
            }
        },
        NOP;

        int apply(int a, int b) {
            return a; // count: 4
        }
    }

    static int weight(Op op) {
        switch (op) { // count weight: 12
            case ADD:
                return 1; // count: 4
            case SUB:
                return 2; // count: 4
            default:
                return 3; // count: 4
        }
    }

    public static void main(String[] args) {
        EnumMap<Op, Integer> sums = new EnumMap<>(Op.class);
        for (int i = 0; i < 4; i++) {
            for (Op op : Op.values()) {
                sums.merge(op, op.apply(i, 2) + weight(op), Integer::sum); // count: 12
            }
        }
        try {
            Op.valueOf("DIV"); // count: 1
            sums.clear(); // count: 0
        } catch (IllegalArgumentException e) {
            sums.put(Op.NOP, 0); // count: 1
        }
        System.out.println(sums);
    }
}
