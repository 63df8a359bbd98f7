import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Invocations by calling method where no call site tells: through an interface, an override, a lambda, a method handle, reflection, the JDK, in constructors and class
 * initialisers, after exceptions. Every method asks the stack who called it, and the program prints how often who did. After `java Invokers 5`:
 */
public class Invokers {
    interface Shape {
        int area(int n);

        default int twice(int n) {
            Stack.note();
            return 2 * area(n);
        }
    }

    static class Square implements Shape {
        Square() {
            Stack.note();
        }

        @Override
        public int area(int n) {
            Stack.note();
            return leaf(n) * n;
        }
    }

    static class Sheet extends Square {
        @Override
        public int area(int n) {
            Stack.note();
            return 2 * super.area(n);
        }
    }

    static class Lazy {
        static final int VALUE = leaf(7);
    }

    static int leaf(int n) {
        Stack.note();
        return n;
    }

    /** Nothing in it can throw or call. */
    static int silent(int n) {
        return n + 1;
    }

    static int all(Shape shape, int n) {
        Stack.note();
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += shape.area(i) + silent(i);
        }
        return sum + shape.twice(1);
    }

    static int apply(IntUnaryOperator operator, int n) {
        Stack.note();
        return operator.applyAsInt(n);
    }

    static int compare(Integer a, Integer b) {
        Stack.note();
        return leaf(a) - leaf(b);
    }

    static void sort(int n) {
        Stack.note();
        List<Integer> two = new ArrayList<>(List.of(n, 1));
        two.sort(Invokers::compare);
    }

    static int reflect(int n) throws Exception {
        Stack.note();
        Method leaf = Invokers.class.getDeclaredMethod("leaf", int.class);
        int sum = 0;
        for (int i = 0; i < 4 * n; i++) {
            sum += (Integer) leaf.invoke(null, i);
        }
        return sum;
    }

    static int down(int n) {
        Stack.note();
        return n == 0 ? 0 : down(n - 1);
    }

    static int fail(int n) {
        Stack.note();
        if (n > 0) {
            throw new IllegalStateException();
        }
        return 0;
    }

    static int pass(int n) {
        Stack.note();
        return fail(n) + 1;
    }

    static int caught(int n) {
        Stack.note();
        try {
            return pass(n);
        } catch (IllegalStateException e) {
            return leaf(n);
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        Shape[] shapes = {new Square(), new Sheet()};
        for (Shape shape : shapes) {
            all(shape, n);
        }
        apply(k -> leaf(k) + leaf(k), n);
        apply(Invokers::leaf, n);
        sort(n);
        reflect(n);
        down(n);
        caught(n);
        caught(0);
        leaf(Lazy.VALUE);
        Thread thread = new Thread(() -> leaf(n));
        thread.start();
        thread.join();
        Stack.print();
    }
}

/** Not counted: asks the stack. */
class Stack {
    static final Map<String, Integer> SEEN = new TreeMap<>();

    static boolean isCounted(StackWalker.StackFrame frame) {
        return frame.getClassName().startsWith("Invokers");
    }

    static String shown(StackWalker.StackFrame frame) {
        StringBuilder parameters = new StringBuilder();
        for (Class<?> type : frame.getMethodType().parameterArray()) {
            String separator = parameters.length() > 0 ? ", " : "";
            boolean simple = type.isPrimitive() || type.isArray() || type.getName().startsWith("java.lang");
            String name = simple ? type.getSimpleName() : type.getName();
            parameters.append(separator).append(name);
        }
        return frame.getClassName() + "." + frame.getMethodName() + "(" + parameters + ")";
    }

    static void note() {
        StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        String[] two = walker.walk(frames -> frames.filter(Stack::isCounted).limit(2).map(Stack::shown).toArray(String[]::new));
        String caller = two.length > 1 ? two[1] : "uncounted code";
        synchronized (SEEN) {
            SEEN.merge(two[0] + " invocations called from " + caller, 1, Integer::sum);
        }
    }

    static void print() {
        SEEN.forEach((name, times) -> System.out.println("value " + name + " " + times));
    }
}
//= Invokers.silent(int) invocations called from Invokers.all(Invokers$Shape, int) = 10
//= Invokers$Lazy.<clinit>() invocations called from Invokers.main(String[]) = 1
//= Invokers.main(String[]) invocations called from uncounted code = 1
//= Invokers$Sheet.<init>() invocations called from Invokers.main(String[]) = 1
//= Invokers$Square.area(int) invocations called from Invokers$Sheet.area(int) = 6
//= Invokers.leaf(int) invocations called from Invokers.reflect(int) = 20
//= Invokers.leaf(int) invocations called from uncounted code = missing
