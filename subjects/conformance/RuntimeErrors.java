/** Every exception an instruction itself can raise. */
public class RuntimeErrors {
    static int ran;
    int field;

    static void provoke(int kind, Object o, int[] a, long zero) {
        switch (kind) { // count: 24
            case 0:
                ran += a[5]; // count: 2
                break; // count: 0
            case 1:
                a[-1] = 3; // count: 2
                break; // count: 0
            case 2:
                ran += ((String) o).length(); // count: 2
                break; // count: 0
            case 3:
                ran += new int[a[0] - 9].length; // count: 2
                break; // count: 0
            case 4:
                Object[] objects = new Integer[1]; // count: 2
                objects[0] = o; // count: 2
                break; // count: 0
            case 5:
                ran += (int) (7L / zero); // count: 2
                break; // count: 0
            case 6:
                ran += 7 % (int) zero; // count: 2
                break; // count: 0
            case 7:
                RuntimeErrors none = zero == 0 ? null : new RuntimeErrors(); // count: 2
                ran += none.field; // count: 2
                break; // count: 0
            case 8:
                int[] nothing = zero == 0 ? null : a; // count: 2
                ran += nothing.length; // count: 2
                break; // count: 0
            case 9:
                RuntimeException e = zero == 0 ? null : new RuntimeException(); // count: 2
                throw e; // count: 2
            case 10:
                synchronized (zero == 0 ? o.getClass().getSuperclass().getSuperclass() : o) { // count: 2
                    ran++; // count: 0
                }
                break;
            default:
                ran += 7 / (a[0] + 1); // count: 2
        }
    }

    public static void main(String[] args) {
        StringBuilder seen = new StringBuilder();
        for (int kind = 0; kind < 12; kind++) {
            for (int again = 0; again < 2; again++) {
                try {
                    provoke(kind, new Object(), new int[3], 0L); // count: 24
                    seen.append('-'); // count: 2
                } catch (RuntimeException e) {
                    seen.append(e.getClass().getSimpleName().charAt(0)); // count: 22
                }
            }
        }
        System.out.println(seen + " " + ran);
    }
}
