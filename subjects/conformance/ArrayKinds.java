/** Arrays of every kind: clone, multianewarray, compound assignment whose index throws. */
public class ArrayKinds {
    static int evaluated;

    static int index(int i) {
        evaluated++; // count: 6
        return i; // count: 6
    }

    public static void main(String[] args) {
        int[][][] cube = new int[2][3][]; // count: 1
        cube[1][2] = new int[] {1, 2, 3}; // count: 1
        int[] copy = cube[1][2].clone(); // count: 1
        long[] longs = {1L, 2L};
        double[] doubles = new double[2];
        boolean[] flags = {true, false};
        byte[] bytes = {1, -2};
        char[] chars = {'a', 'b'};
        short[] shorts = {5};
        float[] floats = {2.5f};
        String[][] names = {{"x"}, {"y", "z"}};
        for (int i = 0; i < 6; i++) {
            try {
                copy[index(i)] += 10 / (i - 1); // count: 6
                longs[0] <<= 1; // count: 2
            } catch (ArithmeticException e) {
                doubles[0] += 0.5; // count: 1
            } catch (ArrayIndexOutOfBoundsException e) {
                floats[0]++; // count: 3
            }
        }
        System.out.println(copy[0] + copy[2] + longs[0] + doubles[0] + bytes[1] + chars[0] + shorts[0] + floats[0]
                + names[1][1] + flags[0] + evaluated);
    }
}
