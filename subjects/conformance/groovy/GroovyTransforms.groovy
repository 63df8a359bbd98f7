// What Groovy makes of annotations, and static compilation: tail calls as loops, memoized, lazy and synchronized methods, value objects,
// delegation, builders; traits with state, static members and chains of super; classes made of traits at run time. Constructors that call
// one of several of as many arguments.
import groovy.transform.CompileStatic
import groovy.transform.EqualsAndHashCode
import groovy.transform.Immutable
import groovy.transform.InheritConstructors
import groovy.transform.Memoized
import groovy.transform.Sortable
import groovy.transform.Synchronized
import groovy.transform.TailRecursive
import groovy.transform.ToString
import groovy.transform.TupleConstructor
import groovy.transform.builder.Builder

class GroovyTransforms {
    static int calls = 0

    @CompileStatic
    @TailRecursive
    static long factorial(int n, long acc = 1) {
        if (n < 2) return acc // count: 10
        factorial(n - 1, n * acc) // count: 9
    }

    @TailRecursive
    static int length(List xs, int seen = 0) {
        if (xs.empty) {
            return seen // count: 1
        }
        length(xs.tail(), seen + 1) // count: 3
    }

    @Memoized
    static int fib(int n) {
        calls++ // count: 11
        n < 2 ? n : fib(n - 1) + fib(n - 2)
    }

    static class Lazily {
        @Lazy
        Integer size = { GroovyTransforms.calls += 100; 7 }()

        @Lazy
        volatile List<Integer> items = [1, 2, GroovyTransforms.calls]

        private int n = 0

        @Synchronized
        int next(int limit) {
            if (n >= limit) throw new IllegalStateException("$n") // count: 3
            ++n // count: 2
        }
    }

    @Immutable
    static class Point {
        int x
        int y = 2
        List<String> tags
    }

    @ToString(includeNames = true)
    @EqualsAndHashCode(includes = 'name')
    @TupleConstructor
    @Sortable(includes = ['age', 'name'])
    @Builder
    static class Person {
        String name
        Integer age
    }

    @InheritConstructors
    static class Failure extends RuntimeException {
    }

    static class Pile {
        @Delegate
        List<Integer> items = []

        int pop() {
            items.remove(items.size() - 1) // count: 1
        }
    }

    interface Runs {
        String run(int n)
    }

    trait Base implements Runs {
        String run(int n) {
            "base$n" // count: 3
        }
    }

    trait Loud implements Runs {
        static int shouts = 0

        private int level = 1

        String run(int n) {
            shouts += 1
            level += 1
            super.run(n + level).toUpperCase()
        }

        int getLevel() {
            level
        }
    }

    trait Twice implements Runs {
        int times = 2

        String run(int n) {
            String all = ''
            for (i in 1..times) {
                all += super.run(n * i) // count: 3
            }
            all
        }
    }

    static class Both implements Base, Loud, Twice {
    }

    static class Plain implements Runs {
        String name = 'plain'

        String run(int n) {
            "$name$n" // count: 1
        }
    }

    @CompileStatic
    static enum Op {
        ADD {
            int of(int a, int b) {
                a + b // count: 2
            }
        },
        DIV {
            int of(int a, int b) {
                a.intdiv(b) as int // count: 2
            }
        }

        abstract int of(int a, int b)
    }

    @CompileStatic
    static int typed(int[] xs, String s) {
        int sum = 0
        for (int x : xs) {
            switch (s) {
                case 'AaAa':
                case 'BBBB':
                    sum += x // count: 6
                    break
                case 'x':
                    continue
                default:
                    sum -= x // count: 3
            }
            try {
                sum += (int) 10.intdiv(x) // count: 9
                if (sum > 100) return sum
            } catch (ArithmeticException e) {
                sum += 1000 // count: 0
            } finally {
                sum++ // total: 9
            }
        }
        Closure<Integer> more = { int k -> sum += k; sum * k } // count typed: 4
        long wide = sum
        double half = wide / 2.0d
        wide <<= 2
        wide += more(2) + (sum > 3 && half < 50 ? 1 : 2)
        List<Integer> squares = xs.collect { int x -> x * x }
        squares*.intValue().each { int q -> wide += q }
        (int) wide
    }

    static void main(String[] args) {
        def out = []
        out << factorial(10) << length([1, 2, 3]) << fib(10) << fib(9)
        def lazily = new Lazily()
        out << lazily.size + lazily.size << lazily.items << lazily.items.is(lazily.items)
        for (limit in [5, 5, 2]) {
            try {
                out << lazily.next(limit) // count: 3
            } catch (IllegalStateException e) {
                out << e.message // count: 1
            }
        }
        def p = new Point(x: 1, tags: ['t'])
        out << p << (p == new Point(1, 2, ['t'])) << (p.hashCode() == new Point(1, 2, ['t']).hashCode())
        try {
            p.x = 5
        } catch (ReadOnlyPropertyException e) {
            out << e.property // count: 1
        }
        try {
            p.tags << 'u'
        } catch (UnsupportedOperationException e) {
            out << 'fixed' // count: 1
        }
        def people = [new Person('b', 2), new Person('a', 2), Person.builder().name('c').age(1).build()]
        out << people.sort(false)*.name.join() << people[0] << (people[0] == new Person('b')) << people.toSet().size()
        try {
            throw new Failure('failed', new IOException('cause'))
        } catch (Failure e) {
            out << e.message + e.cause.message // count: 1
        }
        def pile = new Pile()
        pile << 4 << 5
        pile.add(6)
        out << pile.pop() << pile.size() << pile.sum()
        def both = new Both()
        out << both.run(1) << both.times << Both.shouts << both.level
        both.times = 1
        out << both.run(3)
        def mixed = new Plain().withTraits(Loud)
        out << mixed.run(1) << mixed.name
        for (op in Op.values()) {
            for (b in [2, 0]) {
                try {
                    out << op.of(6, b) // count: 4
                } catch (ArithmeticException e) {
                    out << op // count: 1
                }
            }
        }
        int[] xs = [1, 2, 3]
        out << ['AaAa', 'BBBB', 'x', 'AaBB'].collect { typed(xs, it) }
        println out.join(' ') + calls
    }
}
