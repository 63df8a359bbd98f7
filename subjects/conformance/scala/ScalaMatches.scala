// Pattern matching as Scala compiles it: case classes, guards, extractors, alternatives, tail calls, by-name arguments, lazy values.
object ScalaMatches {
  sealed trait Tree
  case class Leaf(n: Int) extends Tree
  case class Node(left: Tree, right: Tree) extends Tree
  case object Nothing extends Tree

  object Even {
    def unapply(n: Int): Option[Int] = if (n % 2 == 0) Some(n / 2) else None // count unapply: 5
  }

  var asked = 0

  def sum(t: Tree): Int = t match { // count: 9
    case Leaf(Even(h)) => h
    case Leaf(n) if n > 5 => -n
    case Leaf(n) => n
    case Node(Leaf(1), Leaf(1)) => 1000
    case Node(l, r) => sum(l) + sum(r)
    case Nothing => 0
  }

  def kind(x: Any): String = x match {
    case 1 | 2 | 3 => "small"
    case n: Int => "int" + n
    case s: String if s.isEmpty => "empty"
    case (a, b) => kind(a) + kind(b)
    case List(a, _*) => "list" + a
    case Nil => "nil"
    case a: Array[Int] => "array" + a.length
    case _ => "other"
  }

  @scala.annotation.tailrec
  def loop(n: Int, acc: Long): Long = if (n == 0) acc else loop(n - 1, acc + n)

  def unless(c: Boolean)(body: => Int): Int = if (c) 0 else body + body // count unless: 2

  class Once {
    lazy val value: Int = {
      asked += 1 // count: 1
      asked * 10
    }
  }

  def main(args: Array[String]): Unit = {
    var total = 0L
    val trees = List(Leaf(4), Leaf(7), Leaf(3), Node(Leaf(1), Leaf(1)), Node(Node(Leaf(2), Nothing), Leaf(9)))
    for (t <- trees) total += sum(t)
    val kinds = List[Any](2, 50, "", "s", (1, List(1, 2)), Nil, Array(1, 2, 3), 2.5).map(kind)
    total += kinds.mkString.length
    total += loop(1000, 0)
    var k = 0
    total += unless(false) { k += 1; k } + unless(true) { k += 100; k }
    val once = new Once
    total += once.value + once.value
    val r = try { "x".toInt } catch { case _: NumberFormatException => 77 } finally { total += 1 }
    for { i <- 1 to 4; j <- i to 4 if (i + j) % 2 == 0 } total += i * j
    println(total + r)
  }
}
