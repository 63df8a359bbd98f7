/** A hidden class made from the bytes of an ordinary one: both are counted, together. */
// since: 17
import java.io.InputStream;
import java.lang.invoke.MethodHandles;

public class HiddenClasses {
    public interface Job {
        int run(int n);
    }

    public static class Worker implements Job {
        @Override
        public int run(int n) {
            int s = 0; // count: 3
            for (int i = 0; i < n; i++) { // count: 3
                s += i; // count: 12
            }
            return s; // count: 3
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes;
        try (InputStream in = HiddenClasses.class.getResourceAsStream("HiddenClasses$Worker.class")) {
            bytes = in.readAllBytes(); // count: 1
        }
        MethodHandles.Lookup lookup = MethodHandles.lookup().defineHiddenClass(bytes, true);
        Job hidden = (Job) lookup.lookupClass().getDeclaredConstructor().newInstance();
        Job plain = new Worker();
        System.out.println(hidden.run(5) + plain.run(3) + plain.run(4)); // count: 1
    }
}
