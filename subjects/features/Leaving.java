/** Calls of the JDK's methods and of its own: static, virtual, through an interface, of `super`, of constructors, on arrays, on lambdas, on nothing. What is in the sequence with `--calls leaving`, in order: the object's class, then the method. */
//> Leaving Leaving.main
//> java/lang/Integer java/lang/Integer.parseInt
//> Leaving$Names Leaving$Names.<init>
//> java/util/ArrayList java/util/ArrayList.<init>
//> Leaving$Names Leaving$Names.add
//> Leaving$Names java/util/ArrayList.add
//> Leaving$Names Leaving$Names.add
//> Leaving$Names Leaving$Names.add
//> Leaving$Names java/util/ArrayList.add
//> Leaving$Names java/util/AbstractCollection.containsAll
//> Leaving$Names java/util/ArrayList.size
//> Leaving Leaving.wide
//> java/lang/Math java/lang/Math.max
//> java/lang/StringBuilder java/lang/StringBuilder.<init>
//> java/lang/StringBuilder java/lang/StringBuilder.append
//> java/lang/StringBuilder java/lang/StringBuilder.append
//> java/lang/StringBuilder java/lang/StringBuilder.toString
//> java/lang/String java/lang/String.regionMatches
//> int[] java/lang/Object.clone
//> java/lang/String[] java/lang/Object.getClass
//> Leaving$$Lambda$IntUnaryOperator Leaving$$Lambda$IntUnaryOperator.applyAsInt
//> Leaving Leaving.lambda$main$0
//> Leaving$Named Leaving$Named.<init>
//> java/lang/Object java/lang/Object.<init>
//> Leaving$Named java/util/function/IntPredicate.negate
//> Leaving$Named Leaving$Named.test
//> java/io/PrintStream java/io/PrintStream.println
public class Leaving {
    static class Names extends java.util.ArrayList<String> {
        @Override public boolean add(String name) { return super.add(name); }
    }

    static class Named implements java.util.function.IntPredicate {
        @Override public boolean test(int n) { return n == 4; }
    }

    static int wide(int n, long m, double d, String s) {
        StringBuilder text = new StringBuilder(Math.max(n, 3)).append(d).append(m);
        return text.toString().regionMatches(true, 0, s, n, 2) ? 1 : 0;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Names names = new Names();
        names.add("a");
        java.util.List<String> list = names;
        list.add("b");
        boolean all = list.containsAll(java.util.Collections.EMPTY_LIST);
        int sum = list.size() + wide(n, 5L, 0.5, "0.5");
        int[] copy = new int[] {1, 2}.clone();
        Object array = args;
        sum += array.getClass() == null ? 1 : 0;
        java.util.function.IntUnaryOperator twice = i -> 2 * i;
        sum += twice.applyAsInt(copy[0]);
        java.util.function.IntPredicate named = new Named();
        java.util.function.IntPredicate not = named.negate();
        String nothing = n > 100 ? "some" : null;
        try {
            sum += nothing.length();
        } catch (NullPointerException e) {
            sum += named.test(4) ? 1 : 0;
        }
        System.out.println(sum);
    }
}
