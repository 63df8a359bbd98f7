package b;

/** What the library throws. */
public class Refused extends RuntimeException {
    public final int why;

    public Refused(int why) {
        super("refused", null, false, false);
        this.why = why > 30 ? why - 30 : -why;
    }
}
