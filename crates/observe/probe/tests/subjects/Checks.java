/** A check that hardly ever fails, on one way to the end of two. */
class Checks {
    static int checked(int n, boolean twice) {
        if (n < 0) throw new IllegalArgumentException();
        return twice ? 2 * n : n;
    }
}
