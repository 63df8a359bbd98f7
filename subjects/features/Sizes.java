import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sizes of collections when they are assigned, with `--lengths`; after `java Sizes 5`. Only collections of the JDK that know their size are asked:
 * `Own` would print, a wrapper would ask what it wraps, a `Vector` locks.
 */
public class Sizes {
    static List<Integer> shared;
    Map<String, Integer> table;

    /** Code of the program, which must not run because somebody wants to know a size. */
    static class Own extends ArrayList<Integer> {
        @Override
        public int size() {
            System.out.println("asked");
            return super.size();
        }
    }

    static List<Integer> upTo(int n) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            list.add(i);
        }
        return list;
    }

    static void kinds(int n) {
        Collection<Integer> all = Set.of(1, 2, 3);
        Deque<Integer> deque = new ArrayDeque<>(upTo(n));
        SortedSet<Integer> sorted = new TreeSet<>(upTo(n));
        SortedSet<Integer> view = sorted.headSet(2);
        ConcurrentHashMap<Integer, Integer> together = new ConcurrentHashMap<>();
        together.put(1, 1);
        Map<Integer, Integer> copy = new HashMap<>(together);
        Object untold = upTo(n);
        Vector<Integer> locking = new Vector<>(upTo(n));
    }

    static void versions(int n) {
        List<Integer> list = null;
        list = upTo(n);
        list = new Own();
        list = Collections.unmodifiableList(new Own());
        list = null;
        list = upTo(n + 1);
        for (int i = 0; i < n; i++) {
            list = upTo(i);
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        kinds(n);
        versions(n);
        Sizes sizes = new Sizes();
        sizes.table = Map.of("a", 1);
        sizes.table = new HashMap<>();
        shared = upTo(n);
        List<Integer> grown = shared;
        grown.add(1);
        shared = grown;
        new Own().size(); // the only one to print
    }
}
//= Sizes.kinds(int).all.size#1 = 3
//= Sizes.kinds(int).deque.size#1 = 5
//= Sizes.kinds(int).sorted.size#1 = 5
//= Sizes.kinds(int).view.size#1 = missing
//= Sizes.kinds(int).together.size#1 = 0
//= Sizes.kinds(int).copy.size#1 = 1
//= Sizes.kinds(int).untold.size#1 = missing
//= Sizes.kinds(int).locking.size#1 = missing
//= Sizes.upTo(int).list.size#1 = 0
//= Sizes.versions(int).list.size#1 = 5
//= Sizes.versions(int).list.size#2 = missing
//= Sizes.versions(int).list.size#3 = missing
//= Sizes.versions(int).list.size#4 = 6
//= Sizes.versions(int).list.size#5 = 0
//= Sizes.versions(int).list.size#6 = missing
//= Sizes.table.size#1 = 1
//= Sizes.table.size#2 = 0
//= Sizes.shared.size#1 = 5
//= Sizes.shared.size#2 = 6
//= Sizes.main(String[]).grown.size#1 = 5
//= Sizes.upTo(int) invocations = 12
