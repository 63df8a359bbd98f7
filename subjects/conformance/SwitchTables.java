/** tableswitch and lookupswitch: shared targets, fall-through, holes, negative and extreme keys, a default in the middle. */
public class SwitchTables {
    static int table(int n) {
        int r = 0; // count: 10
        switch (n) { // count: 10
            case 0:
            case 1:
                r += 1; // count: 2
            case 2:
                r += 2; // count: 3
                break; // count: 3
            default:
                r += 50; // count: 5
            case 4:
                r += 4; // count: 6
                break;
            case 6:
                return 6; // count: 1
        }
        return r; // count: 9
    }

    static int lookup(int n) {
        switch (n) { // count: 6
            case Integer.MIN_VALUE:
                return 1; // count: 1
            case -1000:
            case 1000:
                return 2; // count: 2
            case Integer.MAX_VALUE:
                return 3; // count: 1
            case 77777:
                break; // count: 1
            default:
                return 5; // count: 1
        }
        return 4; // count: 1
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += table(i); // count: 10
        }
        for (int n : new int[] {Integer.MIN_VALUE, -1000, 0, 1000, 77777, Integer.MAX_VALUE}) {
            sum = sum * 3 + lookup(n); // count: 6
        }
        System.out.println(sum);
    }
}
