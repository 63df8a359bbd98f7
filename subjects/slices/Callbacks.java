// The JDK calls the program back: how often it compares depends on the comparator, and what a map holds on what was put.
// slice: Callbacks.compare(Callbacks, Callbacks) invocations
// slice: Callbacks.main(String[]) loop 1
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class Callbacks implements Comparator<Callbacks> {
    int weight;

    public int compare(Callbacks a, Callbacks b) {
        return a.weight - b.weight;                 // in
    }

    public static void main(String[] args) {
        List<Callbacks> list = new ArrayList<>();   // in
        int noise = 0;                              // out
        for (int i = 0; i < 9; i++) {               // in
            Callbacks one = new Callbacks();        // in
            one.weight = 9 - i;                     // in
            list.add(one);                          // in
            noise += i;                             // out
        }
        list.sort(new Callbacks());                 // in
        while (list.get(0).weight > 3) {
            list.remove(0);
            noise++;
        }
        System.out.println(noise);                  // out
    }
}
