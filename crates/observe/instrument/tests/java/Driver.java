/** Runs a main method, then shows counters and events. */
public class Driver {
    public static void main(String[] arguments) throws Throwable {
        Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        Pricetag.dump(0, Integer.parseInt(arguments[1]));
        Pricetag.dumpEvents();
        Pricetag.dumpMarks();
    }
}
