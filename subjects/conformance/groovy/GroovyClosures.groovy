// Closures with delegates and builders, dynamic methods and properties, categories, operators, currying, memory, trampolines; default arguments.
class GroovyClosures {
    static int calls = 0

    String name
    List<GroovyClosures> children = []

    def methodMissing(String name, args) {
        calls++ // count: 5
        def child = new GroovyClosures(name: name)
        children << child
        if (args && args[-1] instanceof Closure) {
            Closure body = args[-1].clone() // count: 2
            body.delegate = child
            body.resolveStrategy = Closure.DELEGATE_FIRST
            body(child)
        }
        child
    }

    def propertyMissing(String name) {
        children.find { it.name == name } // count propertyMissing: 3
    }

    def leftShift(GroovyClosures other) {
        children += other // count: 1
        this
    }

    GroovyClosures getAt(int i) {
        children[i] // count: 2
    }

    def call(int depth = 0) {
        def inner = children.collect { it(depth + 1) }.join() // count call: 6
        "$name$depth$inner"
    }

    boolean asBoolean() {
        !children.empty // count: 2
    }

    static class Doubling {
        static int twice(Integer self) {
            self * 2 // count: 2
        }

        static String plus(String self, List other) {
            self + other.size() // count: 1
        }
    }

    static class Vec {
        int x, y

        Vec plus(Vec o) {
            new Vec(x: x + o.x, y: y + o.y) // count: 2
        }

        Vec multiply(int k) {
            new Vec(x: x * k, y: y * k) // count: 1
        }

        Vec negative() {
            new Vec(x: -x, y: -y) // count: 2
        }

        boolean equals(o) {
            o instanceof Vec && x == o.x && y == o.y // count: 3
        }

        int hashCode() {
            31 * x + y
        }

        String toString() {
            "($x,$y)" // count: 1
        }
    }

    static later(int a, int b = a * 2, Closure c = { it + 1 }) {
        calls++ // count: 3
        c(a + b)
    }

    static int firstOver(List xs, int limit) {
        def found = -1
        xs.any {
            if (it > limit) found = it // count: 3
            it > limit // count: 3
        }
        found
    }

    static void main(String[] args) {
        def out = []
        def tree = new GroovyClosures(name: 'root')
        tree.a {
            b()
            c {
                d(1)
            }
        }
        tree << new GroovyClosures(name: 'e')
        out << tree() << tree.a.name << tree.a.c.name << tree[1].name << (tree ? 1 : 0) << (tree[1] ? 1 : 0) << tree.f('x').name
        use(Doubling) {
            out << 4.twice() + 5.twice() << 'n' + [1, 2]
        }
        def v = new Vec(x: 1, y: 2)
        out << (v + v * 3 + -v).toString() << (v == new Vec(x: 1, y: 2)) << (v != null) << (v == 'v') << [v].contains(new Vec(x: 1))
        out << later(1) << later(1, 5) << later(1, 1) { it * 100 } << firstOver([1, 5, 9], 3) << firstOver([2], 3)
        int hidden = 0
        def counter = { -> ++hidden }
        def add = { int a, int b = 10 -> a + b }
        def total = { int... all -> all.sum() }
        def composed = { it + 1 } >> { it * 10 } << { it - 1 }
        out << counter() + counter() << add(1) << add(1, 2) << total(1, 2, 3) << composed(5) << add.rcurry(7)(1) << add.ncurry(1, 5)(2)
        def square = { n -> hidden++; n * n }.memoize()
        out << (1..3).collect { square(it % 2) }.sum() + hidden
        def factorial
        factorial = { n, acc = 1G -> n < 2 ? acc : factorial.trampoline(n - 1, n * acc) }.trampoline()
        out << factorial(20)
        def upper = 'abc'.&toUpperCase
        def parse = Integer.&parseInt
        def make = GroovyClosures::new
        out << upper() << ['1', '2'].collect(parse).sum() << make().children.size()
        def text = new StringBuilder().tap {
            append 'x'
            append(['a', 'b'].inject('') { s, e -> s + e })
        }
        def nested = { outer -> return { inner -> "$outer$inner${owner instanceof Closure}${delegate == owner}" } }
        out << text << nested('o')('i') << [3, 1, 2].sort { p, q -> q <=> p } << [a: 1, b: 2].collect { k, e -> k * e }.join()
        def grouped = ['x', 'yy', 'zz'].groupBy { it.size() }.collectEntries { k, e -> [e.size(), k] }
        def expando = new Expando(n: 2)
        expando.times = { int k -> n * k } // count doCall: 1
        Vec.metaClass.length = { -> Math.abs(delegate.x) + Math.abs(delegate.y) } // count main: 1
        out << grouped << expando.times(4) << (-new Vec(x: 3, y: 4)).length()
        try {
            new Vec().missing(1)
        } catch (MissingMethodException e) {
            out << e.method // count: 1
        }
        println out.join(' ') + ' ' + calls + hidden
    }
}
