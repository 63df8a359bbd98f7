// Default arguments as bridges with bit masks, data classes, value classes in boxes, references, tail calls as loops. A default value
// with a try puts an exception handler in front of this().
object KotlinDefaults {
    private var asked = 0

    private fun ask(n: Int): Int {
        asked++ // count: 10
        if (n < 0) throw IllegalArgumentException("negative") // count: 10
        return n // count: 9
    }

    private interface Shape {
        fun scaled(by: Int = ask(2), plus: Int = by * 10): Int

        fun name(suffix: String = "?"): String = "shape$suffix"
    }

    private open class Square(val side: Int) : Shape {
        override fun scaled(by: Int, plus: Int): Int = side * by + plus // count: 6
    }

    private class Cube(side: Int) : Square(side) {
        override fun scaled(by: Int, plus: Int): Int = super.scaled(by, plus) * side // count: 2

        override fun name(suffix: String): String = super.name(suffix + suffix).uppercase() // count: 1
    }

    private class Box @JvmOverloads constructor(val w: Int = ask(1), val h: Int = if (w > 3) w else w + 1, val label: String = "$w.$h") {
        constructor(side: Double) : this(side.toInt(), label = "side")
    }

    private class Tried(val n: Int = try { "x".toInt() } catch (e: NumberFormatException) { ask(5) }) {
        fun twice() = n * 2 // count: 2
    }

    private data class Point(val x: Int, var y: Int = x * 2, val name: String? = null) {
        operator fun plus(other: Point) = copy(x = x + other.x, name = name ?: other.name) // count: 4
    }

    @JvmInline
    private value class Id(val n: Int) : Comparable<Id> {
        init {
            require(n < 10) { "no id" } // count constructor-impl: 9
        }

        constructor(s: String) : this(s.length)

        val next: Id get() = Id(n + 1)

        override fun compareTo(other: Id): Int = n - other.n
    }

    private fun show(
        id: Id?,
        other: Any = id ?: "none", // count: 2
    ): String {
        return "$id$other" // count: 2
    }

    private fun many(
        a0: Int = 0, a1: Int = a0 + 1, a2: Int = a1 + 1, a3: Int = a2 + 1, a4: Int = a3 + 1, a5: Int = a4 + 1, a6: Int = a5 + 1,
        a7: Int = a6 + 1, a8: Int = a7 + 1, a9: Int = a8 + 1, b0: Int = a9 + 1, b1: Int = b0 + 1, b2: Int = b1 + 1, b3: Int = b2 + 1,
        b4: Int = b3 + 1, b5: Int = b4 + 1, b6: Int = b5 + 1, b7: Int = b6 + 1, b8: Int = b7 + 1, b9: Int = b8 + 1, c0: Int = b9 + 1,
        c1: Int = c0 + 1, c2: Int = c1 + 1, c3: Int = c2 + 1, c4: Int = c3 + 1, c5: Int = c4 + 1, c6: Int = c5 + 1, c7: Int = c6 + 1,
        c8: Int = c7 + 1, c9: Int = c8 + 1, d0: Int = c9 + 1, d1: Long = d0 + 1L, d2: Int = d0 + 2, d3: String = "$d1$d2",
    ): Int {
        return a9 + b9 + c9 + d0 + d3.length // count: 3
    }

    private tailrec fun digits(n: Long, acc: String = "", base: Int = ask(10)): String {
        if (n < base) return "$n$acc" // count: 5
        return digits(n / base, "${n % base}$acc", base) // count: 4
    }

    private tailrec fun search(xs: IntArray, key: Int, low: Int = 0, high: Int = xs.size - 1): Int {
        val middle = (low + high) ushr 1 // count: 7
        return when {
            low > high -> -low - 1 // count: 7
            xs[middle] < key -> search(xs, key, middle + 1, high) // count: 5
            xs[middle] > key -> search(xs, key, low, middle - 1) // count: 2
            else -> middle // count: 1
        }
    }

    private fun collatz(from: Int): Int {
        var longest = 0
        tailrec fun steps(n: Int, done: Int): Int {
            if (n > longest) longest = n // count: 17
            return if (n == 1) done else steps(if (n % 2 == 0) n / 2 else 3 * n + 1, done + 1)
        }
        return steps(from, 0) + longest // count: 1
    }

    private fun joined(vararg parts: Any, separator: Char = '-'): String {
        return parts.joinToString(separator.toString()) // count: 4
    }

    private fun made(make: (Int) -> Any): Int = make(4).toString().length // count: 4

    @JvmStatic
    fun main(args: Array<String>) {
        var sum = 0
        val shapes = listOf(Square(3), Cube(2))
        for (s in shapes) {
            sum += s.scaled() + s.scaled(plus = 1) + s.name().length // count: 2
        }
        sum += shapes[0].scaled(5) + Square(1).scaled(1, 1)
        for (box in listOf(Box(), Box(5), Box(2, 2), Box(h = 9), Box(4.5))) {
            sum += box.w * box.h + box.label.length // count: 5
        }
        try {
            sum += Box(ask(-1)).h
        } catch (e: IllegalArgumentException) {
            sum += 1000 // count: 1
        }
        sum += Tried().twice() + Tried(3).twice()
        val points = mutableListOf(Point(1), Point(2, 3, "p"), Point(1, 2))
        val (x, y) = points[1] + points[0]
        points += points.reduce { a, b -> a + b }.also { it.y += x - y }
        for ((i, p) in points.withIndex()) {
            val (px, _, name) = p
            sum += i * px + (name?.length ?: 0) // count: 4
        }
        val ids = sortedSetOf(Id(7), Id("abc"), Id(7).next)
        val first: Id? = ids.first()
        sum += ids.sumOf { it.n } + (if (first == Id(3)) 1 else 0)
        try {
            sum += Id(9).next.n
        } catch (e: IllegalArgumentException) {
            sum += 10000 // count: 1
        }
        for ((k, v) in mapOf("a" to Id(1), "b" to null)) {
            sum += k.length + show(v).length // count: 2
        }
        sum += many() + many(5, b0 = 7) + many(c8 = 100, d3 = "")
        val text = digits(12345) + search(intArrayOf(1, 3, 5, 7, 9, 11), 7) + search(intArrayOf(2, 4), 5) + search(IntArray(0), 1)
        sum += collatz(7)
        val plus = points[0]::plus
        sum += made(this::ask) + made(::Point) + made(::Id) + made { plus(Point(it)) }
        sum += listOf(Point::x, Point::y).sumOf { it.get(points[3]) }
        val rest = arrayOf<Any>(1, 'c')
        println(joined() + joined(1, 2) + joined(*rest, separator = '+') + joined(0, *rest, "z") + text + sum + asked)
    }
}
