// Coroutines from the standard library alone: state machines with loops, try and finally across suspensions, own continuations, a queue that resumes.
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.createCoroutine
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.coroutines.startCoroutine
import kotlin.coroutines.suspendCoroutine

object KotlinCoroutines {
    private val queue = ArrayDeque<() -> Unit>()
    private val out = StringBuilder()

    private class Completion(private val name: String, override val context: CoroutineContext) : Continuation<Any?> {
        override fun resumeWith(result: Result<Any?>) {
            out.append(name).append(result.fold({ "=$it" }, { "!${it.message}" })).append(' ') // count: 14
        }
    }

    private object Queued : AbstractCoroutineContextElement(ContinuationInterceptor), ContinuationInterceptor {
        override fun <T> interceptContinuation(continuation: Continuation<T>): Continuation<T> =
            Continuation(continuation.context) { result -> queue.addLast { continuation.resumeWith(result) } }
    }

    private fun launch(name: String, context: CoroutineContext = EmptyCoroutineContext, block: suspend () -> Any?) {
        block.startCoroutine(Completion(name, context)) // count: 13
    }

    private fun drain() {
        while (true) (queue.removeFirstOrNull() ?: break)()
    }

    /** Continues later. */
    private suspend fun <T> later(value: T): T = suspendCoroutine { c ->
        queue.addLast { c.resume(value) }
    }

    private suspend fun fails(message: String): Int = suspendCoroutine { c ->
        queue.addLast { c.resumeWithException(IllegalStateException(message)) }
    }

    /** Suspends if it must. */
    private suspend fun maybe(n: Int): Int = suspendCoroutineUninterceptedOrReturn { c ->
        if (n % 2 == 0) {
            n // count: 2
        } else {
            queue.addLast { c.resume(n * 10) }
            COROUTINE_SUSPENDED
        }
    }

    private suspend fun sum(n: Int, limit: Int): Int {
        var sum = 0
        for (i in 1..n) {
            sum += later(i) * 2
            if (sum > limit) return -sum // count: 7
        }
        return sum // count: 1
    }

    private suspend fun guarded(n: Int): Int {
        var steps = 0
        try {
            steps += maybe(n)
            if (n > 2) steps += fails("f$n")
            return steps // count guarded: 2
        } catch (e: IllegalStateException) {
            steps += later(1000)
            return steps + n // count guarded: 2
        } finally {
            out.append('<').append(later(n)).append(steps).append('>')
        }
    }

    private suspend fun spilled(a: Long, b: Double, c: String): String {
        val x = later(a) + later(b) * later(2.5) - maybe(3)
        val text = c + later("-") + (if (x > 10) later('y') else 'n') + later<String?>(null)
        return text + x.toInt()
    }

    private suspend fun depth(n: Int): Int = if (n == 0) later(0) else depth(n - 1) + 1 // count: 12

    private suspend fun tail(n: Int): Int = if (n == 0) maybe(7) else tail(n - 1) // count: 5

    private suspend inline fun retried(times: Int, action: (Int) -> Int): Int {
        repeat(times) {
            try {
                return action(it)
            } catch (e: ArithmeticException) {
                out.append('r').append(later(it))
            }
        }
        throw IllegalStateException("gave up")
    }

    private suspend fun stubborn(zeros: Int): Int = retried(3) {
        later(12) / (if (it < zeros) 0 else it) // count: 5
    }

    private suspend fun closed(n: Int): Int {
        AutoCloseable { out.append("close").append(n) }.use {
            val k = later(n)
            if (k == 1) return k + later(5) // count: 2
            return fails("used") // count: 1
        }
    }

    private class Tree(val left: Tree?, val key: Int, val right: Tree?)

    private fun tree(from: Int, to: Int): Tree? {
        if (from > to) return null
        val middle = (from + to) / 2
        return Tree(tree(from, middle - 1), middle, tree(middle + 1, to)) // count: 7
    }

    private fun keys(tree: Tree?): Iterator<Int> = iterator {
        if (tree != null) {
            yieldAll(keys(tree.left))
            yield(tree.key)
            yieldAll(keys(tree.right))
        }
    }

    private fun numbers(until: Int) = sequence {
        var step = 1
        var at = 0
        do {
            for (k in 0 until step) {
                if (k == 2) continue
                yield(at + k)
            }
            at += step++
            if (at > until) return@sequence
        } while (true)
    }

    @JvmStatic
    fun main(args: Array<String>) {
        launch("now") { 1 }
        launch("thrown") { throw IllegalStateException("at once") }
        launch("sum") { sum(4, 100) }
        launch("limited", Queued) { sum(9, 10) }
        for (n in 1..4) launch("guarded$n") { guarded(n) }
        launch("spilled", Queued) { spilled(7L, 1.5, "s") }
        launch("deep") { depth(5) + tail(4) }
        launch("stubborn") { stubborn(2) * 100 + stubborn(1) }
        launch("closed") { closed(1) }
        launch("used") { closed(2) }
        var left: Continuation<Int>? = null
        val block: suspend () -> Any? = {
            try {
                suspendCoroutine<Int> { left = it } + later(1)
            } finally {
                out.append("late ")
            }
        }
        val prepared = block.createCoroutine(Completion("prepared", Queued))
        drain()
        prepared.resume(Unit)
        drain()
        left!!.resume(41)
        try {
            left!!.resume(0)
        } catch (e: IllegalStateException) {
            out.append("twice ") // count: 1
        }
        drain()
        out.append(keys(tree(1, 7)).asSequence().joinToString("")).append(' ')
        println(out.append(numbers(12).toList()))
    }
}
