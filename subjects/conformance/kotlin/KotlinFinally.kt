// Finally as Kotlin compiles it: copied to every way out, with returns, breaks and continues inside, under try as an expression.
object KotlinFinally {
    private var log = 0

    private fun returned(n: Int): Int {
        try {
            try {
                if (n == 0) return 1 // count: 4
                if (n == 1) throw IllegalStateException("one") // count: 3
                log += 1 // count: 2
            } finally {
                log += 10 // total: 4
                if (n == 2) return 2
            }
            log += 100 // count: 1
        } catch (e: IllegalStateException) {
            return 3 // count: 1
        } finally {
            log += 1000 // total: 4
        }
        return 4 // count: 1
    }

    private fun loops(): Int {
        var sum = 0
        outer@ for (i in 0..5) {
            try {
                for (j in 0..5) {
                    try {
                        if (j == i) continue@outer // count: 18
                        if (i + j == 8) break@outer // count: 14
                        if (j == 3) break // count: 13
                        sum += 1 // count: 12
                    } finally {
                        sum += 100 // total: 18
                    }
                }
                sum += 10000 // count: 1
            } finally {
                sum += 1000000 // total: 6
            }
        }
        return sum
    }

    private fun overridden(): Int {
        var i = 0
        while (true) {
            try {
                i++ // count: 4
                if (i > 1) break
                log += 11 // count: 1
            } finally {
                if (i < 4) continue
                log += 13 // total: 1
            }
        }
        return i
    }

    private fun value(s: String): Int {
        val n = try {
            s.toInt() // count: 4
        } catch (e: NumberFormatException) {
            if (s.isEmpty()) return -1 // count: 2
            -2 // count: 1
        } finally {
            log += 5 // total: 4
        }
        return 10 + try { 100 / n } catch (e: ArithmeticException) { 7 } // count: 3
    }

    private fun replaced(n: Int): String {
        try {
            try {
                if (n > 0) throw IllegalStateException("first") // count: 3
            } finally {
                if (n != 1) throw IllegalArgumentException("second")
            }
        } catch (e: RuntimeException) {
            return e.message + "!" // count: 3
        }
        return "none" // count: 0
    }

    private inline fun <T> guarded(action: () -> T): T {
        log += 7
        try {
            return action()
        } finally {
            log += 9
        }
    }

    private fun found(xs: List<Int>): Int {
        for (x in xs) {
            guarded {
                if (x < 0) return x // count: 5
                if (x == 0) return@guarded // count: 4
                guarded {
                    if (x > 5) return guarded { x * 2 } // count: 3
                    log += x // count: 2
                }
            }
        }
        return 0 // count: 0
    }

    private fun Boolean.toInt() = if (this) 1 else 0

    private fun deep(n: Int): Int {
        var i = 0
        do {
            i++ // count: 9
            try {
                try {
                    try {
                        if (i % 3 == 1) continue
                        log += 100 / (i - n) // count: 5
                    } catch (e: ArithmeticException) {
                        if (i == 5) throw UnsupportedOperationException(e) // count: 2
                    } finally {
                        log += (i == n).toInt() // total: 9
                    }
                } catch (e: UnsupportedOperationException) {
                    return log // count: 1
                }
            } finally {
                log += 3 // total: 9
            }
        } while (i < n + 2)
        return i // count: 1
    }

    @JvmStatic
    fun main(args: Array<String>) {
        for (n in 0..3) print("${returned(n)} ")
        print("${loops()} ${overridden()} ")
        for (s in listOf("5", "0", "x", "")) print("${value(s)} ")
        for (n in 0..2) print("${replaced(n)} ")
        print("${found(listOf(1, 0, 2, -3))} ${found(listOf(8))} ")
        println("${deep(2)} ${deep(5)} $log")
    }
}
