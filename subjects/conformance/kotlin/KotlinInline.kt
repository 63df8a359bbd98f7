// Inline functions: lambdas with non-local returns and exceptions inside, reified types, objects made anew where they are inlined, use, synchronized.
import java.io.Closeable

object KotlinInline {
    private val out = StringBuilder()

    private class Source(val name: String, private val broken: Boolean) : Closeable {
        fun read(n: Int): Int = if (n < 0) throw IllegalArgumentException(name + n) else n * 2 // count: 5

        override fun close() {
            out.append('~').append(name) // count: 5
            if (broken) throw IllegalStateException("close $name") // count: 5
        }
    }

    private fun early(): Int {
        Source("d", false).use { s ->
            Source("e", true).use { t ->
                return s.read(t.read(3)) // count: 1
            }
        }
    }

    private fun sources(): Int {
        var sum = Source("a", false).use { it.read(1) }
        try {
            sum += Source("b", true).use { it.read(2) }
        } catch (e: IllegalStateException) {
            sum += 100 + e.suppressed.size // count: 1
        }
        try {
            sum += Source("c", true).use { it.read(-1) }
        } catch (e: IllegalArgumentException) {
            sum += 1000 + e.suppressed.size // count: 1
        }
        try {
            sum += early()
        } catch (e: IllegalStateException) {
            sum += 10000 + e.suppressed.size // count: 1
        }
        val nothing: Source? = null
        return sum + nothing.use { it?.read(1) ?: 5 }
    }

    private val lock = Any()

    private fun locked(n: Int): Int {
        synchronized(lock) {
            if (n == 0) return -1 // count: 3
            if (n == 1) throw IllegalStateException("locked") // count: 2
            out.append(n) // count: 1
        }
        return n // count: 1
    }

    private inline fun <reified T> each(xs: List<Any>, then: (T) -> Unit = { out.append('.') }): Int {
        var n = 0
        for (x in xs) {
            if (x is T) {
                then(x)
                n++
            }
        }
        return n
    }

    private inline fun task(crossinline body: (Int) -> Int): () -> Int {
        return object : () -> Int {
            private var calls = 0

            override fun invoke(): Int {
                var sum = 0
                repeat(3) { sum += body(it) }
                return sum + ++calls
            }
        }
    }

    private inline fun both(first: (Int) -> Int, noinline second: (Int) -> Int): Int =
        listOf(1, 2, 3).map(second).sumOf { first(it) }

    private inline fun <T> orElse(other: T, action: () -> T): T = try {
        action()
    } catch (e: ArithmeticException) {
        other
    }

    private fun quotients(a: Int, b: Int): Int {
        val simple = orElse(-1) {
            a / b // count: 4
        }
        val nested = simple + orElse(10) {
            orElse(20) {
                a / (b - 1) // count: 4
            } + orElse(30) { a } / (b - 2)
        }
        return nested + a.let { it * orElse(40) { it % b } }
    }

    private fun firstPair(xs: List<Int>, sum: Int): String {
        xs.forEach { a ->
            xs.forEachIndexed { i, b ->
                if (a + b == sum && i > 0) return "$a+$b@$i" // count: 32
                if (b > 3) return@forEach // count: 31
            }
        }
        return "none" // count: 1
    }

    private fun caught(n: Int): String = runCatching {
        check(n > 1) { "small $n" } // count: 3
        n / (n - 2) // count: 2
    }.recoverCatching {
        if (it is ArithmeticException) throw it // count: 2
        -1 // count: 1
    }.fold({ "ok$it" }, { "bad" })

    private inline fun chained(n: Int, next: (Int) -> Int?): Int {
        var at = n
        while (true) {
            at = next(at) ?: return at
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        out.append(sources()).append(' ')
        for (n in 0..2) {
            out.append(try { locked(n) } catch (e: IllegalStateException) { -2 }).append(Thread.holdsLock(lock)).append(' ')
        }
        val things = listOf<Any>(1, "two", 3.0, 4, 'c', "six")
        var total = each<Int>(things) { total -> out.append(total + 1) }
        total += each<String>(things) + each<Number>(things)
        total += each<Char>(things) {
            if (it == 'x') return
            out.append(it) // count: 1
        }
        val scale = total
        val tasks = listOf(task { it * scale }, task { if (it == 1) total++ else total-- })
        for (t in tasks) {
            total += t() + t()
        }
        total += both({ it + scale }, { it * it })
        for (b in 0..3) total += quotients(12, b)
        out.append(firstPair(listOf(1, 2, 3, 4, 5), 7)).append(firstPair(listOf(1, 2, 3, 4, 5), 70))
        for (n in 1..3) out.append(caught(n))
        total += chained(40) { n -> (n / 2).takeIf { it % 2 == 0 } }
        println("$out $total")
    }
}
