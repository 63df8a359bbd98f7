// Closures over variables, specialised functions, for comprehensions over everything, tail calls as loops, generic arrays, context
// parameters, varargs, functions that return functions.
import scala.annotation.tailrec
import scala.collection.mutable
import scala.util.control.TailCalls.{TailRec, done, tailcall}

object ScalaClosures {
  var calls = 0

  def counted[A](a: A): A = {
    calls += 1 // count: 17
    a
  }

  class Cell[@specialized(Int, Long) T](var value: T) {
    def swap(next: T): T = {
      val old = value // count: 3
      value = next
      old
    }
    def map[@specialized(Int) U](f: T => U): Cell[U] = {
      new Cell(f(value)) // count: 2
    }
  }

  @tailrec
  def gcd(a: Int, b: Int): Int = {
    if (b == 0) a else gcd(b, a % b) // count: 4
  }

  @tailrec
  def drop[A](xs: List[A], n: Int, seen: Int = 0): (List[A], Int) = {
    xs match {
      case _ :: rest if n > 0 =>
        drop(rest, n - 1, seen + 1) // count: 4
      case _ =>
        (xs, seen) // count: 2
    }
  }

  def collatz(from: Int): Int = {
    var longest = 0
    @tailrec
    def steps(n: Int, done: Int): Int = {
      if (n > longest) longest = n // count: 17
      if (n == 1) done
      else if (n % 2 == 0) steps(n / 2, done + 1) // count: 16
      else steps(3 * n + 1, done + 1) // count: 5
    }
    steps(from, 0) + longest
  }

  def even(n: Int): TailRec[Boolean] = {
    if (n == 0) done(true) else tailcall(odd(n - 1)) // count even: 6
  }

  def odd(n: Int): TailRec[Boolean] = {
    if (n == 0) done(false) else tailcall(even(n - 1)) // count odd: 5
  }

  def sums(xs: Int*): Int = {
    var sum = 0
    for (x <- xs) {
      sum += x // count: 6
    }
    sum // count: 4
  }

  def filled[A: reflect.ClassTag](n: Int)(f: Int => A): Array[A] = {
    val a = new Array[A](n) // count: 3
    var i = 0
    while (i < n) {
      a(i) = f(i) // count: 9
      i += 1
    }
    a
  }

  def swapped[A](a: Array[A]): Array[A] = {
    val first = a(0) // count: 3
    a(0) = a(a.length - 1)
    a(a.length - 1) = first
    a
  }

  def adder(n: Int)(using scale: Int): Int => Int => Int = {
    var total = n
    a =>
      total += a // count: 3
      b =>
        total += b * scale // count: 4
        total
  }

  type Build = mutable.ArrayBuffer[String] ?=> Unit

  def build(b: Build): String = {
    given buffer: mutable.ArrayBuffer[String] = mutable.ArrayBuffer.empty
    b
    buffer.mkString
  }

  def word(s: String)(using b: mutable.ArrayBuffer[String]): Unit = {
    b += s // count: 4
  }

  extension [A](xs: List[A])
    def spread[B](f: A => Iterable[B]): List[B] = {
      for (x <- xs; y <- f(x)) yield y
    }

  def limited(n: Int): Either[String, Int] = {
    if (n > 2) Left("limit") else Right(n) // count: 1
  }

  def main(args: Array[String]): Unit = {
    var sum = 0
    val cell = new Cell(3)
    sum += cell.swap(4) + new Cell(5L).swap(6L).toInt + new Cell("a").swap("b").length
    sum += cell.map(_ * 2).value + cell.map(n => "x" * n).value.length
    sum += gcd(1071, 462) + drop(List(1, 2, 3), 2)._2 + drop(List(1, 2), 9)._2 + collatz(7)
    sum += (if (even(10).result) 1 else 0)
    sum += sums() + sums(1, 2) + sums(List(3, 4, 5)*)

    for (i <- 0 until 10 by 3) {
      sum += i // count: 4
    }
    for (i <- 5 to 1 by -2; c <- "ab" if c != 'a' || i > 2) {
      sum += i + c // count: 5
    }
    val pairs = for {
      a <- List(1, 2, 3)
      square = a * a
      if square > 1
      b <- Some(a).filter(_ < 3).toList
      c <- Array(1.5, 2.5)
    } yield {
      counted(square * b + c) // count: 2
    }
    val options = for (a <- Some(3); b <- Option.empty[Int]) yield {
      counted(a + b) // count: 0
    }
    val either = for (a <- Right[String, Int](3); b <- limited(a)) yield a + b
    val view = (1 to 1000).view.map(n => counted(n * 2)).filter(_ % 3 == 0).take(4).toList
    val iterator = Iterator.iterate(1)(_ * 3).takeWhile(n => counted(n) < 5)
    sum += pairs.sum.toInt + options.size + view.sum + iterator.sum

    val functions = mutable.ArrayBuffer.empty[() => Int]
    var i = 0
    while (i < 3) {
      val j = i
      functions += { () => i += 1; i * 10 + j }
      i += 1
    }
    sum += functions.map(_()).sum
    given Int = 3
    val add = adder(1)
    val twice = add(10)
    sum += twice(1) + twice(2) + add(5)(1) + add.andThen(_.compose[Int](_ + 1)(2))(1)
    val tupled = ((a: Int, b: Long, c: Double) => a + b * c).tupled
    sum += tupled((1, 2L, 3.0)).toInt + List(1, 2, 3).foldLeft(0L)((a, b) => a + b).toInt
    val method = (xs: Seq[Int]) => sums(xs*)
    val ints = swapped(filled(4)(n => n * n))
    val words = swapped(filled(3)(n => "w" * n))
    val flags = swapped(filled(2)(n => n == 0))
    sum += ints(0) + words(0).length + (if (flags(0)) 1 else 0) + method(Seq(7))
    val text = build {
      word("a")
      for (n <- 1 to 2) word("b" * n)
      if (sum > 0) word("c")
    }
    val flat = List(1, 2).spread(n => if (n > 1) List(n, n) else Nil)
    println(s"$sum $text $flat $either $calls")
  }
}
