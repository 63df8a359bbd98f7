/** String concatenation by invokedynamic, with a toString() that throws, and text blocks. */
// since: 17
public class Strings {
    static int asked;

    static class Odd {
        final int n;

        Odd(int n) {
            this.n = n;
        }

        @Override
        public String toString() {
            asked++; // count: 6
            if (n % 3 == 2) { // count: 6
                throw new IllegalStateException("no text"); // count: 2
            }
            return "odd" + n; // count: 4
        }
    }

    public static void main(String[] args) {
        int length = 0;
        for (int i = 0; i < 6; i++) {
            try {
                String s = "a" + i + 'c' + 1L + 2.5 + null + new Odd(i) + true; // count: 6
                length += s.length(); // count: 4
            } catch (IllegalStateException e) {
                length += 1000; // count: 2
            }
        }
        String block = """
                text
                block\
                """;
        System.out.println(length + block.length() + asked);
    }
}
