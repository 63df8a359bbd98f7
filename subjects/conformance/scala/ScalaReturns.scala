// Returns as Scala compiles them: out of closures by NonLocalReturnControl, through nested finally, out of boundaries; catches with guards.
import scala.util.boundary
import scala.util.boundary.break
import scala.util.control.{ControlThrowable, NonFatal}

object ScalaReturns {
  var log = 0

  def nested(n: Int): Int = {
    try {
      try {
        if (n == 0) return 1 // count: 4
        if (n == 1) throw new IllegalStateException("one") // count: 3
        log += 1 // count: 2
      } finally {
        log += 10 // total: 4
        if (n == 2) return 2
      }
      log += 100 // count: 1
    } catch {
      case e: IllegalStateException => return 3 // count: 1
    } finally {
      log += 1000 // total: 4
    }
    log + 4 // count: 1
  }

  def firstOver(xs: List[Int], limit: Int): Int = {
    xs.foreach { x =>
      if (x > limit) return x // count: 4
    }
    -log // count: 1
  }

  def guarded(xs: List[Int]): Int = {
    try {
      for (x <- xs) {
        try {
          if (x < 0) return x // count: 4
          log += x // count: 3
        } finally {
          log += 10000 // total: 4
        }
      }
      log // count: 1
    } catch {
      case NonFatal(e) =>
        -100
    } finally {
      log += 100000 // total: 2
    }
  }

  def swallowed(xs: List[Int]): Int = {
    for (x <- xs) {
      try {
        if (x == 2) return x // count: 3
        log += 100 / x // count: 2
      } catch {
        case t: Throwable =>
          log += (if (t.isInstanceOf[ControlThrowable]) 7 else 1) // count: 2
      }
    }
    -log // count: 1
  }

  def pair(xs: List[Int], product: Int): Option[(Int, Int)] = {
    for (a <- xs; b <- xs) {
      if (a * b == product) return Some((a, b)) // count: 24
    }
    None // count: 1
  }

  def unless(c: Boolean)(body: => Int): Int = if (c) 0 else body // count: 2

  def byName(c: Boolean): Int = {
    try {
      unless(c) {
        return 50 // count: 1
      } + 1
    } finally {
      log += 5 // total: 2
    }
  }

  def search(rows: List[List[Int]], key: Int): Int = boundary { outer ?=>
    var steps = 0
    for (row <- rows) {
      boundary {
        for (c <- row) {
          if (c == key) break(steps)(using outer) // count: 8
          if (c > key) break() // count: 7
          steps += 1 // count: 4
        }
      }
      steps += 100 // count: 5
    }
    -steps
  }

  def local(n: Int): Int = {
    var i = 0
    boundary { outer ?=>
      while (true) {
        boundary {
          i += 1 // count: 5
          if (i % 2 == 0) break() // count: 5
          if (i > n) break(i * 10)(using outer) // count: 3
          log += 3 // count: 2
        }
      }
      0
    }
  }

  def kind(f: () => Any): String = {
    try {
      "" + f() // count: 7
    } catch {
      case e: ArithmeticException if log % 2 == 0 =>
        "even"
      case e @ (_: IllegalStateException | _: IllegalArgumentException) =>
        "illegal" + e.getMessage // count: 2
      case e: RuntimeException if e.getCause != null =>
        "caused"
    } finally {
      log += 1 // total: 7
    }
  }

  val handler: PartialFunction[Throwable, String] = {
    case e: ArithmeticException => "odd" // count isDefinedAt: 2, applyOrElse: 2
    case e: UnsupportedOperationException if e.getMessage == null => "null"
  }

  def handled(f: () => Any): String = {
    try {
      kind(f) // count: 7
    } catch handler
  }

  class Resource(name: String) extends AutoCloseable {
    def read(n: Int): Int = 12 / n // count: 2
    def close(): Unit = {
      log += name.length // count: 2
      if (name == "bad") throw new IllegalStateException(name) // count: 2
    }
  }

  def used(name: String, n: Int): Int = {
    try {
      scala.util.Using.resource(new Resource(name)) { r => 10 + r.read(n) }
    } catch {
      case e: Exception =>
        e.getSuppressed.length - 50 // count: 1
    }
  }

  def spilled(n: Int): Int = 10 + log % 3 * (try 100 / n catch { case _: ArithmeticException => 7 }) + (if (n > 3) return -1 else n)

  def main(args: Array[String]): Unit = {
    for (n <- 0 to 3) print(nested(n) + " ")
    print(firstOver(List(1, 5, 9), 4) + " " + firstOver(List(1, 2), 4) + " ")
    print(guarded(List(1, -2, 3)) + " " + guarded(List(4, 5)) + " ")
    print(swallowed(List(1, 0, 2)) + " ")
    print(pair(List(1, 2, 3, 4), 8).toString + pair(List(1, 2, 3, 4), 7) + " ")
    print(byName(true) + byName(false) + " ")
    val rows = List(List(1, 2, 7), List(6), List(), List(3, 5))
    print(search(rows, 5) + " " + search(List(List(1), List(9)), 2) + " " + local(4) + " ")
    val thrown = List(
      new ArithmeticException,
      new ArithmeticException,
      new IllegalStateException("s"),
      new IllegalArgumentException("a"),
      new RuntimeException(new Exception),
      new UnsupportedOperationException
    )
    log = 1
    for (e <- thrown) print(handled(() => throw e) + " ")
    print(handled(() => 'c') + used("good", 3) + used("bad", 0) + " ")
    println(s"${spilled(0)} ${spilled(2)} ${spilled(5)} $log")
  }
}
