// Lazy values: of classes, traits, objects and methods, of primitives, that fail and are asked again, that another thread waits for;
// arguments by name; objects whose initialisation fails; monitors left by returns and exceptions.
// varies: untilWaiting
object ScalaLazies {
  val log = new StringBuilder
  var seen = 0

  def note[A](name: String, a: A): A = {
    log.append(name).append(' ') // count: 11
    a
  }

  trait Named {
    def name: String
    lazy val label: String = {
      note("label", "<" + name + ">") // count: 1
    }
  }

  class Both(n: Int) extends Named {
    lazy val name: String = {
      note("name", "n" * n) // count: 2
    }
    lazy val size: Int = {
      note("size", name.length) // count: 2
    }
    lazy val unit: Unit = {
      note("unit", ()) // count: 1
    }
    lazy val nothing: String = {
      note("null", null) // count: 1
    }
    @scala.annotation.threadUnsafe lazy val unsafe: Long = {
      note("unsafe", 5L) // count: 1
    }
  }

  class Stubborn {
    var tries = 0
    lazy val value: Double = {
      tries += 1 // count: 3
      if (tries < 3) throw new IllegalStateException("try" + tries) // count: 3
      tries * 100.0 // count: 1
    }
  }

  class Even(n: Int) {
    lazy val isEven: Boolean = {
      if (n == 0) true else new Odd(n - 1).isOdd // count: 4
    }
  }

  class Odd(n: Int) {
    lazy val isOdd: Boolean = {
      if (n == 0) false else new Even(n - 1).isEven // count: 3
    }
  }

  object Shared {
    var other: Thread = null
    lazy val value: Int = {
      other = new Thread(() => { seen = value * 2 })
      other.start() // count: 1
      untilWaiting(other)
      21 + log.length
    }
  }

  def untilWaiting(thread: Thread): Unit = {
    while (thread.getState != Thread.State.WAITING) {
      Thread.sleep(1)
    }
  }

  object Failing {
    private val before = note("before", 1)
    if (before > 0) throw new IllegalStateException("object") // count: 1
    log.append("never") // count: 0

    def use: Int = before // count: 0
  }

  def attempt(action: => Any): Unit = {
    try {
      log.append(action).append(' ') // count: 6
    } catch {
      case e: ExceptionInInitializerError =>
        log.append("init:" + e.getCause.getMessage + " ") // count: 1
      case e: NoClassDefFoundError =>
        log.append("none ") // count: 1
      case e: IllegalStateException =>
        log.append(e.getMessage + " ") // count: 2
    }
  }

  def local(times: Int): Int = {
    lazy val x = note("local", 7)
    lazy val y: String = "y" * x
    var sum = 0
    var i = 0
    while (i < times) {
      sum += x + y.length // count: 3
      i += 1
    }
    sum
  }

  def repeated(n: Int)(body: => Int): Int = {
    var sum = 0
    var i = 0
    while (i < n) {
      sum += body // count: 4
      i += 1
    }
    sum
  }

  def cached(body: => Int): () => Int = {
    lazy val kept = body
    () => kept + kept
  }

  class Account {
    private var n = 0
    def add(k: Int): Int = synchronized {
      n += k // count: 3
      n
    }
    def taken(k: Int): Int = {
      this.synchronized {
        if (k > 20) return -1 // count: 3
        n -= 100 / k // count: 2
        n // count: 1
      }
    }
    def each(ks: List[Int]): Int = synchronized {
      for (k <- ks) {
        if (k < 0) return k // count: 2
        add(k) // count: 1
      }
      n
    }
  }

  def main(args: Array[String]): Unit = {
    val both = new Both(3)
    var sum = both.size + both.size + both.label.length + both.label.length
    both.unit
    both.unit
    sum += (if (both.nothing == null && both.nothing == null) 1 else 0)
    sum += (both.unsafe + both.unsafe).toInt + new Both(2).size
    val stubborn = new Stubborn
    attempt(stubborn.value)
    attempt(stubborn.value)
    attempt(stubborn.value)
    attempt(stubborn.value)
    sum += (if (new Even(6).isEven) 1 else 0)
    sum += Shared.value
    Shared.other.join()
    sum += seen + Shared.value
    attempt(Failing.use)
    attempt(Failing.use)
    sum += local(3) + local(0)
    var k = 0
    sum += repeated(3) { k += 1; k } + repeated(1)(repeated(0)(k))
    val once = cached { k += 10; note("cached", k) }
    sum += once() + once()
    val account = new Account
    sum += account.add(5) + account.taken(50) + account.taken(5)
    sum += (try account.taken(0) catch { case _: ArithmeticException => 1000 })
    sum += account.each(List(2, -3)) + account.add(1)
    println(s"$log$sum ${Thread.holdsLock(account)}")
  }
}
