// Initialisers: companions and objects that throw, superclasses that call what is not ready, delegates, lazy values that fail or are waited for.
// varies: untilBlocked
import kotlin.properties.Delegates
import kotlin.properties.ReadWriteProperty
import kotlin.reflect.KProperty

object KotlinInitialisers {
    private val log = StringBuilder()

    fun note(s: String): String {
        log.append(s).append(' ') // count: 25
        return s
    }

    class Broken {
        fun use() = second

        companion object {
            private val first = note("first") // count: 1
            val second = fail() // count <clinit>: 1
            private val third = note("third") // count: 0

            private fun fail(): String = throw IllegalStateException("companion") // count: 1
        }
    }

    object Failing {
        private val before = note("before") // count: 1

        init {
            if (before.length > 3) throw IllegalArgumentException("object") // count: 1
        }

        fun use() = before // count use: 0
    }

    private fun attempt(action: () -> Any?) {
        try {
            note("" + action()) // count: 14
        } catch (e: ExceptionInInitializerError) {
            note("init:${e.cause?.message}") // count: 2
        } catch (e: NoClassDefFoundError) {
            note("none") // count: 2
        } catch (e: RuntimeException) {
            note(e.message ?: "?") // count: 7
        }
    }

    abstract class Base(val tag: String) {
        val size: Int = describe().length

        init {
            note("base$size") // count: 2
        }

        abstract fun describe(): String
    }

    class Derived(name: String = "d") : Base("t") {
        private val name: String = name.uppercase()
        private var n = 5 // count: 2

        init {
            n += 1 // count: 2
            note("derived$n") // count: 2
        }

        constructor(n: Int) : this("n".repeat(if (n > 1) n else throw IllegalArgumentException("few"))) {
            note("second${this.n}") // count: 1
        }

        override fun describe(): String = tag + name // count: 4
    }

    class Checked(val n: Int) {
        private val half: Int

        init {
            require(n >= 0) { "negative" } // count: 3
            half = 100 / n // count: 2
        }

        override fun toString() = "half$half" // count: 1
    }

    private class Kept(private val name: String) : ReadWriteProperty<Any?, Int> {
        private var value = 0

        operator fun provideDelegate(owner: Any?, property: KProperty<*>): Kept {
            note("$name:${property.name}") // count: 1
            return this
        }

        override fun getValue(thisRef: Any?, property: KProperty<*>): Int = value++ // count: 3

        override fun setValue(thisRef: Any?, property: KProperty<*>, value: Int) {
            require(value < 50) { "large" } // count: 2
            this.value = value // count: 1
        }
    }

    private var kept: Int by Kept("kept")
    private var watched by Delegates.observable(1) { _, old, new -> note("$old$new") } // count <clinit>: 1
    private var late: Int by Delegates.notNull()
    private val fields = mapOf("width" to 3)
    private val width: Int by fields

    private var tries = 0
    private val stubborn: Int by lazy(LazyThreadSafetyMode.NONE) {
        tries++ // count: 3
        check(tries > 2) { "try$tries" } // count: 3
        tries * 100 // count: 1
    }

    private var seen = 0
    private val shared: Int by lazy {
        val other = Thread { seen = shared }
        other.start() // count: 1
        untilBlocked(other)
        waiting = other
        42
    }
    private lateinit var waiting: Thread

    private fun untilBlocked(thread: Thread) {
        while (thread.state != Thread.State.BLOCKED) {
            Thread.sleep(1)
        }
    }

    private enum class Level(val weight: Int) {
        LOW(1),
        HIGH(LOW.weight * 10) {
            override fun label() = super.label() + "!" // count label: 1
        };

        open fun label() = name.lowercase() + weight // count label: 2

        companion object {
            val total = entries.sumOf { it.weight } // count <clinit>: 1
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        attempt { Broken().use() }
        attempt { Broken.second }
        attempt { Failing.use() }
        attempt { Failing }
        attempt { Derived().describe() }
        attempt { Derived(2).describe() }
        attempt { Derived(1) }
        attempt { Checked(-1) }
        attempt { Checked(0) }
        attempt { Checked(5) }
        kept += 10
        attempt { kept = 70 }
        watched = 2
        attempt { kept + late }
        late = 7
        repeat(2) { attempt { stubborn } }
        var sum = kept + late + width + stubborn + stubborn
        sum += shared
        waiting.join()
        sum += seen + Level.total
        for (level in Level.entries) {
            note(level.label()) // count: 2
        }
        println("$log$sum")
    }
}
