// Control flow as Kotlin compiles it: when, ranges, inline functions with non-local returns, elvis, smart casts, labels.
@file:JvmName("KotlinControl")

inline fun each(n: Int, action: (Int) -> Unit) {
    var i = 0
    while (i < n) {
        action(i)
        i++
    }
}

fun firstOver(limit: Int): Int {
    each(10) {
        if (it * it > limit) {
            return it
        }
    }
    return -1
}

fun kind(o: Any?): String = when (o) {
    null -> "null"
    is Int -> if (o in 1..9) "digit" else "int"
    is String -> o.ifEmpty { "empty" }
    "never", 3.5 -> "constant"
    else -> "other"
}

fun code(s: String): Int = when (s) {
    "one" -> 1
    "two" -> 2
    "Aa", "BB" -> 3
    else -> throw IllegalArgumentException(s)
}

tailrec fun gcd(a: Int, b: Int): Int = if (b == 0) a else gcd(b, a % b)

fun defaults(a: Int, b: Int = a * 2, vararg rest: Int): Int {
    var s = a + b // count defaults: 3
    for (r in rest) {
        s += r // count: 2
    }
    return s
}

fun String?.size(): Int = this?.length ?: -1

fun main() {
    var sum = 0
    outer@ for (i in 0 until 5) {
        for (j in 10 downTo 0 step 3) {
            if (i == 3) continue@outer // count: 16
            if (j == 4 && i == 4) break@outer // count: 15
            sum += i * j // count: 14
        }
    }
    for (limit in listOf(0, 5, 50, 500)) {
        sum += firstOver(limit)
    }
    for (o in listOf(null, 3, 30, "", "word", 3.5, 'c')) {
        sum += kind(o).length // count: 7
    }
    for (s in arrayOf("one", "two", "Aa", "BB", "xx")) {
        sum += try {
            code(s) // count: 5
        } catch (e: IllegalArgumentException) {
            100 // count: 1
        } finally {
            sum++
        }
    }
    sum += gcd(1071, 462)
    sum += defaults(1) + defaults(1, 2) + defaults(1, 2, 3, 4)
    sum += "abc".size() + null.size()
    try {
        val s: String? = if (sum > 0) null else "x"
        sum += s!!.length
    } catch (e: NullPointerException) {
        sum += 1000
    }
    println(sum)
}
