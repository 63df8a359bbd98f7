/** Ternaries and chains of && and ||, with side effects and as values. */
public class Conditions {
    static int asked;

    static boolean ask(boolean answer) {
        asked++; // count: 50
        return answer; // count: 50
    }

    static int pick(int n) {
        return n < 3 ? n < 1 ? 10 : n < 2 ? 20 : 30 : n > 6 ? 40 : 50; // count: 8
    }

    public static void main(String[] args) {
        int hits = 0;
        for (int i = 0; i < 8; i++) {
            boolean a = (i & 1) != 0, b = (i & 2) != 0, c = (i & 4) != 0;
            if (ask(a) && ask(b) && ask(c)) { // count: 8
                hits++; // count: 1
            }
            if (ask(a) || ask(b) || ask(c)) { // count: 8
                hits += 10; // count: 7
            }
            boolean value = ask(a) && (ask(b) || !ask(c)); // count: 8
            hits += value ? 100 : 0; // count: 8
            hits += (ask(a) ^ b) ? 1000 : pick(i); // count: 8
        }
        for (int i = 0; i < 4; i++) {
            hits += pick(i * 2); // count: 4
        }
        System.out.println(hits + " " + asked);
    }
}
