// Sequences and suspending generators: state machines that the compiler makes, with try and finally across suspension points.
@file:JvmName("KotlinSequences")

fun numbers(limit: Int): Sequence<Int> = sequence {
    var a = 0
    var b = 1
    try {
        while (a < limit) {
            yield(a)
            val next = a + b
            a = b
            b = next
        }
        yieldAll(listOf(1000, 2000))
    } finally {
        b = -1
    }
}

fun <T> consume(source: Iterator<T>, most: Int): Int {
    var n = 0
    while (n < most && source.hasNext()) {
        source.next()
        n++
    }
    return n
}

fun main() {
    var sum = numbers(50).filter { it % 2 == 0 }.map { it * 3 }.take(4).sum()
    sum += numbers(20).count()
    sum += consume(numbers(1000).iterator(), 5)
    val grouped = (1..20).groupBy { it % 3 }.mapValues { (_, v) -> v.fold(0) { a, b -> a + b } }
    sum += grouped.getValue(1)
    val words = buildList {
        for (c in 'a'..'e') {
            add(c.toString().repeat(c - 'a'))
        }
    }
    sum += words.zipWithNext { a, b -> b.length - a.length }.sum()
    sum += generateSequence(1) { if (it < 100) it * 2 else null }.last()
    val broken = sequence {
        yield(1)
        throw IllegalStateException("broken")
    }
    sum += try {
        broken.sum()
    } catch (e: IllegalStateException) {
        7
    }
    println(sum)
}
