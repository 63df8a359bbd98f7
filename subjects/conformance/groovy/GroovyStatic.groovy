// Statically compiled Groovy beside dynamic Groovy, traits, and property access.
import groovy.transform.CompileStatic

class GroovyStatic {
    trait Counts {
        int n = 0

        int next() { n += step(); n }

        abstract int step()
    }

    static class ByTwo implements Counts {
        int step() { 2 } // count step: 5
    }

    @CompileStatic
    static int collatz(int n) {
        int steps = 0
        while (n != 1) {
            n = n % 2 == 0 ? n.intdiv(2) : 3 * n + 1 // count: 111
            steps++ // count: 111
        }
        steps
    }

    @CompileStatic
    static String classify(Object o) {
        if (o instanceof Integer) {
            return o > 3 ? 'big' : 'small' // count: 2
        }
        switch (o) {
            case 'x': return 'letter'
            case null: return 'null'
        }
        o.toString()
    }

    static void main(String[] args) {
        def c = new ByTwo()
        int sum = 0
        5.times { sum += c.next() }
        sum += collatz(27)
        def words = [1, 5, 'x', null, 2.5].collect { classify(it) }
        println "$sum ${words.join(',')}"
    }
}
