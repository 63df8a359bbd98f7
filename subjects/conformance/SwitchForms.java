/** Every form of switch: dense, sparse, nested, over characters, enums and strings that share a hash, without default, at the limits of int. */
public class SwitchForms {
    enum Colour {
        RED, GREEN, BLUE
    }

    static int limits(int n) {
        switch (n) { // count: 5
            case Integer.MIN_VALUE:
                return 1; // count: 1
            case Integer.MAX_VALUE:
                return 2; // count: 1
            case -1:
                return 3; // count: 1
            default:
                return 4; // count: 2
        }
    }

    static int dense(int n) {
        int s = 0;
        switch (n) { // count: 8
            case Integer.MAX_VALUE - 1:
                s += 1; // count: 0
            case 2:
                s += 2; // count: 1
            case 3:
                s += 4; // count: 2
                break;
            case 5:
            case 6:
                s += 8; // count: 2
        }
        return s; // count: 8
    }

    static int table(int n) {
        switch (n) { // count: 6
            case 0: return 5; // count: 1
            case 1: return 6; // count: 1
            case 2: case 3: return 7; // count: 2
            case 4: throw new IllegalArgumentException(); // count: 1
        }
        return -1; // count: 1
    }

    static String words(String s) {
        switch (s) { // count: 5
            case "Aa":
                return "one"; // count: 1
            case "BB":
                return "two"; // count: 1
            case "":
                return "none"; // count: 1
            default:
                return "C#".equals(s) ? "three" : "many"; // count: 2
        }
    }

    static int nested(Colour c, char x) {
        switch (c) { // count nested: 10
            case RED:
                switch (x) { // count: 3
                    case 'a': return 1; // count: 1
                    case 'b': return 2; // count: 1
                }
                break; // count: 1
            case GREEN:
                return x == 'a' ? 3 : 4; // count: 3
            default:
                return 5; // count: 3
        }
        return 6; // count: 1
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int n : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE, -1, 0, 1}) {
            sum += limits(n); // count: 5
        }
        for (int n = 0; n < 8; n++) {
            sum += dense(n); // count: 8
        }
        for (int n = 0; n < 6; n++) {
            try {
                sum += table(n); // count: 6
            } catch (IllegalArgumentException e) {
                sum += 50; // count: 1
            }
        }
        String text = "";
        for (String s : new String[] {"Aa", "BB", "", "C#", "x"}) {
            text += words(s); // count: 5
        }
        for (Colour c : Colour.values()) {
            for (char x = 'a'; x < 'd'; x++) {
                sum += nested(c, x); // count: 9
            }
        }
        try {
            sum += nested(null, 'a'); // count: 1
        } catch (NullPointerException e) {
            sum += 7; // count: 1
        }
        System.out.println(sum + text);
    }
}
