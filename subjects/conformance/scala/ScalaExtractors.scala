// Patterns: strings, regular expressions, sequences, case classes, extractors of every form, alternatives, guards that throw, partial
// functions, patterns in for, what matches nothing; enums with parameters, inline matches.
import scala.util.matching.Regex

object ScalaExtractors {
  enum Shape {
    case Circle(r: Int)
    case Box(w: Int, h: Int = 3)
    case Point
  }

  sealed trait Expr
  case class Num(n: Int) extends Expr
  case class Bin(op: Char, left: Expr, right: Expr) extends Expr

  object Twice {
    def unapply(n: Int): Option[Int] = {
      if (n % 2 == 0) Some(n / 2) else None // count: 10
    }
  }

  object Small {
    def unapply(n: Int): Boolean = {
      n < 10 // count: 2
    }
  }

  object Words {
    def unapplySeq(s: String): Option[Seq[String]] = {
      if (s.isEmpty) None else Some(s.split(' ').toSeq) // count: 4
    }
  }

  class Pair(s: String) {
    def isEmpty: Boolean = s.indexOf('=') < 0
    def get: Pair = this
    def _1: String = s.substring(0, s.indexOf('='))
    def _2: String = s.substring(s.indexOf('=') + 1)
  }

  object Pair {
    def unapply(s: String): Pair = {
      new Pair(s) // count: 2
    }
  }

  val Date: Regex = """(\d+)-(\d+)""".r

  def area(s: Shape): Int = {
    import Shape.*
    s match {
      case Circle(r) => 3 * r * r // count: 4
      case Box(w, h) if w == h =>
        w * w // count: 1
      case b @ Box(w, _) =>
        w * b.h // count: 1
      case Point =>
        0
    }
  }

  def eval(e: Expr): Int = {
    e match {
      case Num(n) =>
        n // count: 7
      case Bin('+', Num(0), right) =>
        eval(right) // count: 1
      case Bin('+' | '-', l, r) if l == r =>
        if (e.asInstanceOf[Bin].op == '+') eval(l) * 2 else 0 // count: 2
      case Bin('+', l, r) =>
        eval(l) + eval(r) // count: 1
      case Bin('/', l, r) if eval(r) != 0 && eval(l) / eval(r) > 1 =>
        100
    }
  }

  def number(n: Int): String = {
    n match {
      case Twice(Twice(k)) => "four" + k // count: 5
      case Twice(k) =>
        "two" + k // count: 1
      case Small() =>
        "small"
      case _ =>
        "large"
    }
  }

  def text(s: String): String = {
    s match {
      case "one" | "two" =>
        "number"
      case "AaAa" =>
        "hash"
      case "BBBB" =>
        "same"
      case Date(y, m) =>
        y + "/" + m // count: 1
      case s"<$name>" =>
        name // count: 1
      case Words("the", rest*) =>
        rest.mkString // count: 1
      case Words(_, second, _*) =>
        second // count: 1
      case Pair(k, v) =>
        v + k // count: 1
      case _ =>
        "none"
    }
  }

  def sequence(xs: Seq[Any]): String = {
    xs match {
      case Seq() =>
        "empty"
      case List(1, 2) =>
        "pair"
      case (n: Int) +: _ if n > 9 =>
        "big"
      case init :+ (last: String) =>
        last + init.length // count: 1
      case List(a: List[?], Some((x, _: Double))) =>
        x.toString + a.length // count: 1
      case Vector(_, _*) =>
        "vector"
    }
  }

  def switch(c: Char): Int = {
    (c: @scala.annotation.switch) match {
      case 'a' | 'e' | 'i' =>
        1
      case 'b' =>
        2
      case _ =>
        0
    }
  }

  inline def size(inline x: Any): Int = inline x match {
    case s: String => s.length
    case n: Int => n
  }

  val halves: PartialFunction[Int, Int] = {
    case n if n % 2 == 0 && 10 / n > 0 =>
      n / 2 // count applyOrElse: 3
    case 7 =>
      -7
  }

  def attempt(action: => Any): String = {
    try {
      "" + action // count: 33
    } catch {
      case e: MatchError =>
        "unmatched"
      case _: ArithmeticException =>
        "divided"
    }
  }

  def main(args: Array[String]): Unit = {
    val out = new StringBuilder
    val shapes = List(Shape.Circle(2), Shape.Box(3), Shape.Box(1, 2), Shape.Point)
    for (s <- shapes) out.append(attempt(area(s))).append(' ')
    val expressions = List(
      Bin('+', Num(0), Num(5)),
      Bin('-', Num(7), Num(7)),
      Bin('+', Bin('+', Num(1), Num(1)), Num(3)),
      Bin('/', Num(6), Num(2)),
      Bin('/', Num(1), Num(0))
    )
    for (e <- expressions) out.append(attempt(eval(e))).append(' ')
    for (n <- List(8, 6, 5, 15, 12)) out.append(attempt(number(n))).append(' ')
    for (s <- List("one", "two", "AaAa", "BBBB", "12-34", "<x>", "the a b", "a b", "k=v", "")) out.append(attempt(text(s))).append(' ')
    val sequences = List(Nil, List(1, 2), List(10), Vector(1, "z"), List(List(1), Some((2, 3.0))), Vector(1), List(3))
    for (s <- sequences) out.append(attempt(sequence(s))).append(' ')
    for (c <- "aebx") out.append(switch(c))
    out.append(size("four") + size(5))
    out.append(List(1, 2, 4, 7, 30).collect(halves)).append(halves.lift(3)).append(attempt(halves(0)))
    out.append(attempt(halves.orElse[Int, Int] { case n => n }(6)))
    val pairs = List(("a", Some(1)), ("b", None), ("c", Some(3)))
    for (case (k, Some(v)) <- pairs if v > 1; Twice(h) = v + 1: @unchecked) out.append(k).append(h)
    val Num(seven) = Num(7): @unchecked
    val (first, Seq(second, _*)) = (seven, Seq(1, 2, 3)): @unchecked
    val copied = Bin('+', Num(1), Num(2)).copy(op = '-')
    out.append(first + second).append(copied == Bin('-', Num(1), Num(2))).append(copied.hashCode == copied.copy().hashCode)
    println(out.append(copied))
  }
}
