// Classes as Kotlin compiles them: data and sealed classes, delegation, lazy, companions, lateinit, operators, enums, value classes.
object KotlinObjects {
    sealed interface Shape {
        data class Circle(val r: Int) : Shape
        data class Box(val w: Int, val h: Int = w) : Shape
        data object Unit : Shape
    }

    @JvmInline
    value class Metres(val n: Int) {
        operator fun plus(other: Metres) = Metres(n + other.n)
    }

    enum class Op(val f: (Int, Int) -> Int) {
        ADD({ a, b -> a + b }),
        DIV({ a, b -> a / b });

        operator fun invoke(a: Int, b: Int) = f(a, b) // count: 4
    }

    interface Named {
        val name: String
        fun greet(): String = "hi $name"
    }

    class Plain(override val name: String) : Named
    class Wrapped(inner: Named) : Named by inner {
        override fun greet() = super.greet() + "!"
        val costly: Int by lazy {
            name.length * 10 // count: 1
        }
        lateinit var late: String
        var watched = 0
            set(value) {
                require(value >= 0) { "negative" } // count: 3
                field = value // count: 2
            }

        companion object {
            const val LIMIT = 7
            fun of(name: String) = Wrapped(Plain(name)) // count: 1
        }
    }

    fun area(s: Shape): Int = when (s) {
        is Shape.Circle -> 3 * s.r * s.r
        is Shape.Box -> s.w * s.h
        Shape.Unit -> 1
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val shapes = listOf(Shape.Circle(2), Shape.Box(3), Shape.Box(3, 4), Shape.Unit)
        var sum = shapes.sumOf { area(it) }
        val (w, h) = Shape.Box(5).copy(h = 6)
        sum += w * h + shapes.toSet().size
        var m = Metres(0)
        repeat(3) { m += Metres(it) }
        sum += m.n
        for (op in Op.entries) {
            for (b in 0..1) {
                sum += try {
                    op(6, b)
                } catch (e: ArithmeticException) {
                    500 // count: 1
                }
            }
        }
        val wrapped = Wrapped.of("x".repeat(Wrapped.LIMIT))
        sum += wrapped.greet().length + wrapped.costly + wrapped.costly
        try {
            sum += wrapped.late.length
        } catch (e: UninitializedPropertyAccessException) {
            sum += 1000 // count: 1
        }
        for (v in intArrayOf(1, -1, 2)) {
            try {
                wrapped.watched = v // count: 3
            } catch (e: IllegalArgumentException) {
                sum += 10000 // count: 1
            }
        }
        println(sum + wrapped.watched)
    }
}
