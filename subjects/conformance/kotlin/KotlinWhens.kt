// When as Kotlin compiles it: strings whose hashes collide, enums, sealed types, ranges, no subject at all; loops over every kind of progression.
object KotlinWhens {
    private enum class Colour { RED, GREEN, BLUE, GREY }

    private sealed class Expr {
        data class Num(val n: Int) : Expr()
        data class Sum(val a: Expr, val b: Expr) : Expr()
        class Neg(val e: Expr) : Expr()
        object Nan : Expr()
    }

    private fun eval(e: Expr): Int = when (e) { // count: 9
        is Expr.Num -> e.n // count: 9
        is Expr.Sum -> eval(e.a) + eval(e.b) // count: 5
        is Expr.Neg -> -eval(e.e) // count: 2
        Expr.Nan -> throw ArithmeticException("nan") // count: 1
    }

    private fun hashes(s: String): Int = when (s) {
        "AaAa", "BBBB" -> 1 // count: 2
        "AaBB" -> 2 // count: 1
        "BBAa" -> 3 // count: 1
        "one" -> 3 // count: 0
        "two" -> 3 // count: 1
        "" -> 4 // count: 1
        else -> s.length // count: 2
    }

    private fun weight(c: Colour?, bright: Boolean): Int {
        val base = when (c) {
            Colour.RED, Colour.BLUE -> 10 // count: 4
            Colour.GREEN -> if (bright) return 99 else 20 // count: 2
            null -> 0 // count: 2
            else -> 30 // count: 2
        }
        when {
            bright && c != null && c >= Colour.BLUE -> return base + 1 // count: 9
            !bright || c == Colour.RED -> {} // count: 7
            else -> return -1 // count: 1
        }
        return base // count: 6
    }

    private fun range(x: Any): String = when (x) {
        in setOf<Any>(7, "seven") -> "set" // count: 11
        is Int -> when (x) {
            in 1..9 -> "digit" // count: 5
            in 10 until 100 step 2, !in -1000..1000 -> "some" // count: 4
            else -> "int"
        }
        is Char -> when (x) {
            in 'a'..'z', in 'A'..'Z' -> "letter" // count: 3
            else -> "char" // count: 1
        }
        in listOf<Any>(1.5, 2L) -> "number" // count: 2
        !is String -> "other" // count: 1
        else -> if (x in "a".."m") "early" else "late" // count: 0
    }

    private fun grade(n: Long): Char = when (val m = n * 2) {
        0L -> '0' // count: 4
        in 1L..9L -> '1' // count: 3
        else -> {
            if (m > 100) throw IllegalArgumentException("m$m") // count: 2
            when (m.toInt()) {
                10, 12, 14 -> 'e' // count: 1
                else -> 'o' // count: 0
            }
        }
    }

    private fun chain(e: Expr?): Int {
        val sum = e as? Expr.Sum ?: return -1 // count: 3
        val n = (sum.a as? Expr.Num)?.n?.takeIf { it > 1 } ?: throw NoSuchElementException("n") // count: 2
        return n // count: 1
    }

    private fun progressions(): Long {
        var sum = 0L
        for (c in 'e' downTo 'a' step 2) {
            sum += c.code // count: 3
        }
        for (n in 3L..5L) {
            sum += n // count: 3
        }
        for (u in 2u..4u) {
            sum += u.toLong() // count: 3
        }
        for (n in (1..10 step 3).reversed()) {
            sum += n // count: 4
        }
        for (n in Int.MAX_VALUE - 1..Int.MAX_VALUE) {
            sum += n // count: 2
        }
        for (n in 5..1) {
            sum += n // count: 0
        }
        val words = arrayOf("a", "bc", "def")
        for ((i, w) in words.withIndex()) {
            sum += i * w.length // count: 3
        }
        for (i in words.indices.reversed()) {
            sum += i // count: 3
        }
        for (c in "text") {
            sum += c.code // count: 4
        }
        for (x in floatArrayOf(1f, 2.5f)) {
            sum += x.toLong() // count: 2
        }
        val width = words.size - 1
        for (i in 0..width step width) {
            sum += i // count: 2
        }
        try {
            for (i in 0..9 step width - 2) {
                sum += i // count: 0
            }
        } catch (e: IllegalArgumentException) {
            sum += 1000 // count: 1
        }
        var i = 0
        do {
            val odd = i++ % 2 == 1 // count: 4
            if (odd) continue
            sum += i // count: 2
        } while (!odd || i < 4)
        return sum
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val out = StringBuilder()
        val two = Expr.Sum(Expr.Num(1), Expr.Num(2))
        for (e in listOf(Expr.Sum(two, Expr.Neg(Expr.Num(4))), Expr.Sum(Expr.Num(3), Expr.Nan))) {
            out.append(try { eval(e) } catch (x: ArithmeticException) { x.message }).append(' ')
        }
        for (s in listOf("AaAa", "BBBB", "AaBB", "BBAa", null, "", "x", "AaAB", "two")) out.append(s?.let { hashes(it) })
        for (c in listOf(Colour.RED, Colour.GREEN, Colour.BLUE, Colour.GREY, null)) {
            out.append(weight(c, true)).append(weight(c, false))
        }
        for (x in listOf(7, 5, 50, 51, 5000, 0, 'q', 'Q', '%', 1.5, Unit)) out.append(range(x)).append(' ')
        for (n in longArrayOf(0, 4, 7, 51)) {
            out.append(try { grade(n) } catch (x: IllegalArgumentException) { x.message })
        }
        for (e in listOf(null, two, Expr.Sum(Expr.Num(9), two))) {
            out.append(try { chain(e) } catch (x: NoSuchElementException) { x.message })
        }
        println("$out ${progressions()}")
    }
}
