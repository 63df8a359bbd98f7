// Traits, linearised supers, implicit evidence, closures over variables, exceptions used for control, and enums of Scala 3.
import scala.util.control.Breaks
import scala.util.{Failure, Success, Try}

object ScalaTraits {
  trait Base { def f(n: Int): Int = n }
  trait Doubled extends Base { override def f(n: Int): Int = super.f(n * 2) } // count f: 3
  trait Plus extends Base { override def f(n: Int): Int = super.f(n + 1) } // count f: 3
  class Both extends Doubled with Plus
  class Other extends Plus with Doubled

  enum Colour(val rgb: Int) {
    case Red extends Colour(0xff0000)
    case Green extends Colour(0x00ff00)
    def bright: Boolean = this match {
      case Red => false
      case Green => true
    }
  }

  trait Show[A] { def show(a: A): String }
  given Show[Int] with { def show(a: Int): String = "i" + a }
  given [A](using s: Show[A]): Show[List[A]] with { def show(a: List[A]): String = a.map(s.show).mkString("[", ",", "]") }
  def render[A](a: A)(using s: Show[A]): String = s.show(a)

  extension (n: Int) def squared: Int = n * n // count squared: 4

  def firstBad(xs: List[Int]): Int = {
    var found = -1
    val breaks = new Breaks
    breaks.breakable {
      for (x <- xs) {
        if (x < 0) { found = x; breaks.break() }
      }
    }
    found
  }

  def main(args: Array[String]): Unit = {
    var sum = 0
    sum += new Both().f(10) + new Other().f(10) + new Both().f(1)
    sum += firstBad(List(1, 2, -3, 4)) + firstBad(List(1))
    sum += Colour.values.count(_.bright) + Colour.valueOf("Red").ordinal
    sum += render(List(List(1, 2), Nil, List(3))).length
    for (i <- 0 until 4) sum += i.squared
    val results = List("1", "b", "3").map(s => Try(s.toInt))
    sum += results.map { case Success(n) => n; case Failure(_) => 50 }.sum
    val memo = scala.collection.mutable.Map.empty[Int, BigInt]
    def fib(n: Int): BigInt = memo.getOrElseUpdate(n, if (n < 2) BigInt(n) else fib(n - 1) + fib(n - 2))
    println(s"$sum ${fib(60)} ${LazyList.from(1).filter(_ % 7 == 0).take(3).sum}")
  }
}
