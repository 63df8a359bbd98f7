// Dynamic call sites: every operation goes through invokedynamic; multiple dispatch, closures, missing methods, categories.
class GroovyDynamic {
    int calls = 0

    def twice(int n) { calls++; n * 2 }

    def twice(String s) { calls++; s + s }

    def twice(Object o) { calls++; [o, o] }

    def methodMissing(String name, args) {
        calls += 10
        name.size() + args.size()
    }

    static int sum(List<Integer> xs) {
        int s = 0
        for (x in xs) {
            s += x // count: 6
        }
        s
    }

    static def risky(n) {
        try {
            return 10.intdiv(n) // count: 4
        } catch (ArithmeticException e) {
            return -1 // count: 1
        } finally {
            n++
        }
    }

    static void main(String[] args) {
        def g = new GroovyDynamic()
        def all = [g.twice(4), g.twice('ab'), g.twice(2.5), g.unknown(1, 2, 3)]
        int total = sum([1, 2, 3, 4, 5, 6])
        for (n in [0, 1, 2, 5]) {
            total += risky(n) // count: 4
        }
        def add = { a, b = 10 -> a + b }
        def curried = add.curry(5)
        total += add(1) + add(1, 2) + curried(7)
        def text = "sum ${-> total} of ${all.size()}"
        total += (1..10).findAll { it % 3 == 0 }.collect { it * it }.sum()
        switch (total) {
            case 0..10: total += 1; break
            case { it % 2 == 0 }: total += 2; break
            case Integer: total += 3; break
            default: total = -1
        }
        def map = [b: 2, a: 1].sort { it.key }
        map.each { k, v -> total += v }
        total += null?.size() ?: 4
        total += [1, 2, 3]*.toString().join('').toInteger()
        try {
            assert total < 0
        } catch (AssertionError e) {
            total += 1
        }
        println "$text $total ${g.calls}"
    }
}
