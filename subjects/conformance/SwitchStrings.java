/** A switch on strings, with two strings of the same hash code ("Aa" and "BB"). */
public class SwitchStrings {
    static int code(String s) {
        switch (s) { // count: 18
            case "Aa":
                return 1; // count: 3
            case "BB":
                return 2; // count: 3
            case "one":
            case "two":
                return 3; // count: 6
            default:
                return 0; // count: 6
        }
    }

    public static void main(String[] args) {
        String[] words = {"Aa", "BB", "one", "two", "AaBB", "C#"};
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            for (String w : words) {
                sum = sum * 2 + code(w); // count: 18
            }
        }
        System.out.println(sum);
    }
}
