import java.io.StringReader;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Type annotations at every kind of place inside code. */
public class Annotated {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface A {
        int[] value() default {};
        B[] nested() default {};
    }

    @interface B { String text(); }

    static Object all(Object o) throws Exception {
        @A({1, 2}) Object local = o;
        for (int i = 0; i < 3; i++) {
            @A(nested = {@B(text = "x"), @B(text = "y")}) String inner = "" + i;
            if (inner.length() > 5) local = inner;
        }
        if (o instanceof @A String) local = (@A String) o;
        List<String> made = new @A ArrayList<@A(3) String>();
        Supplier<List<String>> reference = @A(4) ArrayList<String>::new;
        try (@A(5) StringReader reader = new StringReader("a")) {
            made.add("" + reader.read());
        } catch (@A(6) IllegalStateException | @A(7) IllegalArgumentException e) {
            made.add(Annotated.<@A(8) String>same("z"));
        }
        return local == null ? reference.get() : made;
    }

    static <T> T same(T t) { return t; }

    /** More variables than a byte can number. */
    static int sum(int n) throws Exception {
        VARIABLES
        try {
            n = SUM;
        } catch (ArithmeticException e) {
            n = -1;
        }
        return n;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(all("o") + " " + all(null) + sum(1) + sum(0));
    }
}
