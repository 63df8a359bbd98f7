// Control flow as Groovy compiles it, dynamically: switches over whatever has isCase, finally with returns, breaks and continues inside,
// labels, ranges, safe and spread operators, truth, several assignments at once.
class GroovyControl {
    static int log = 0

    static String kind(o) {
        switch (o) {
            case 1..3:
                return 'range' // count: 2
            case [5, 'five', null]:
                return 'list' // count: 2
            case ~/a+b/:
                return 'regex' // count: 1
            case { it instanceof Number && it > 100 }:
                return 'closure' // count: 1
            case Map:
                return 'map' // count: 1
            case String:
            case GString:
                log += 1 // count: 2
            case 'fall':
                log += 2 // count: 2
                break
            case Double.NaN:
            default:
                return 'default' // count: 2
        }
        'through' // count: 2
    }

    static int nested(int n) {
        try {
            try {
                if (n == 0) return 1 // count: 4
                if (n == 1) throw new IllegalStateException('one') // count: 3
                log += 1 // count: 2
            } finally {
                log += 10 // total: 4
                if (n == 2) return 2
            }
            log += 100 // count: 1
        } catch (IllegalStateException | IllegalArgumentException e) {
            return 3 // count: 1
        } finally {
            log += 1000
        }
        4 // count: 1
    }

    static int loops() {
        int sum = 0
        outer:
        for (int i = 0; i < 6; i++) {
            try {
                for (j in 0..5) {
                    try {
                        if (j == i) continue outer // count: 18
                        if (i + j == 8) break outer // count: 14
                        if (j == 3) break // count: 13
                        sum += 1 // count: 12
                    } finally {
                        sum += 100
                    }
                }
                sum += 10000 // count: 1
            } finally {
                sum += 1000000
            }
        }
        sum
    }

    static replaced(int n) {
        try {
            try {
                10.intdiv(n) // count: 2
            } finally {
                if (n == 0) throw new IllegalStateException('second')
            }
        } catch (e) {
            "${e.message}!" // count: 1
        }
    }

    static int swallowed(String s) {
        while (true) {
            try {
                return s.toInteger() // count: 3
            } finally {
                if (s.size() > 2) {
                    s = s[1..-1]
                    continue
                }
                log += 7 // total: 2
            }
        }
    }

    static closed(String name, boolean broken) {
        try (def r = new Resource(name: name, broken: broken)) {
            return r.read().size() // count: 2
        } catch (IOException e) {
            return e.suppressed*.message.join() + e.message // count: 1
        }
    }

    static class Resource implements Closeable {
        String name
        boolean broken

        def read() {
            if (broken) throw new IOException(name) // count: 2
            name * 3 // count: 1
        }

        void close() {
            if (broken) throw new IOException("close $name") // count: 2
        }
    }

    static truth(o) {
        o ? 'T' : 'F' // count: 8
    }

    static void main(String[] args) {
        def out = []
        def items = [2, 3, 5, null, 'aab', 1000L, [a: 1], 'text', "t${log}", 2.5, 'c' as char]
        for (item in items) {
            out << kind(item) // count: 11
        }
        out << (0..3).collect { nested(it) } << loops() << [replaced(5), replaced(0)]
        out << swallowed('4') + swallowed('123') << closed('r', false) << closed('b', true)
        out << [0, 1, '', 'x', [], [0], null, [:]].collect { truth(it) }.join()
        def people = [[name: 'ann', age: 3], null, [name: 'bob', age: null]]
        out << people*.name << people?.getAt(1)?.name?.toUpperCase() << (people[2]?.age ?: -1)
        def list = [*(1..3), *['x', *'yz'.toList()]]
        def map = [*: people[0], age: 4]
        def (a, b, c) = [10, 20]
        (a, b) = [b, a]
        int product = 1
        for (x in [2, 3, 4].reverse()) {
            product *= x // count: 3
        }
        def steps = 0
        do {
            steps++ // count: 3
        } while (product.intdiv(2 ** steps) > 3)
        1.step(10, 4) {
            steps += it // count: 3
        }
        5.downto(3) { steps -= it }
        def text = """${a}-${-> steps}\
${list.size()}"""
        steps **= 2
        assert text.startsWith('20') && text ==~ /\d+-\d+/ && 'a' in list == false
        def found = text =~ /(\d+)-(\d)/
        out << text << found[0][2] << (b <=> a) << [c, map, list[-2..-1], list[0, 3]] << (product as String).padLeft(4, '0')
        println out.join(' ') + log
    }
}
