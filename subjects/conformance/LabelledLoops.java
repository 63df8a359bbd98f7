/** Labelled break and continue out of nested loops. */
public class LabelledLoops {
    public static void main(String[] args) {
        int inner = 0;
        int found = 0;
        outer:
        for (int i = 0; i < 10; i++) { // count: 1
            for (int j = 0; j < 10; j++) { // count: 7
                inner++; // count: 26
                if (j == i) { // count: 26
                    continue outer; // count: 6
                }
                if (i * j == 24 && i > j) { // count: 20
                    found = i; // count: 1
                    break outer; // count: 1
                }
            }
        }
        block: {
            if (inner > 5) { // count: 1
                break block; // count: 1
            }
            found = -1; // count: 0
        }
        System.out.println(inner + " " + found);
    }
}
