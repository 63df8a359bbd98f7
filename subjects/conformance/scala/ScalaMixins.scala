// Traits with fields and the order of their initialisation, fields that are read too early, calls along the line of traits, parameters of
// traits, objects inside of objects, value classes in boxes, default and named arguments, bridges, a try among the arguments of super,
// whose exception handler stands in front of the call.
object ScalaMixins {
  val log = new StringBuilder

  def note(s: String): String = {
    log.append(s).append(' ') // count: 27
    s
  }

  trait A {
    note("A") // count: 2
    val a: String = note("a") // count $init$: 2
    var n: Int = 1
    def f(x: Int): Int = {
      x + n // count f: 3
    }
  }

  trait B extends A {
    note("B") // count: 2
    val b: Int = early.length
    def early: String
    override def f(x: Int): Int = {
      super.f(x * 2) // count f: 2
    }
  }

  trait C extends A {
    note("C" + a) // count: 2
    private var hidden = 5
    def hide(): Int = {
      hidden += 1 // count hide: 4
      hidden
    }
    override def f(x: Int): Int = {
      super.f(x + 10) + n // count f: 3
    }
  }

  class D extends B with C {
    note("D") // count: 1
    val word = "word"
    def early: String = {
      if (word == null) "early" else word // count: 3
    }
  }

  class E extends C with B {
    note("E" + b) // count: 1
    lazy val early: String = note("lazy")
    override val a: String = "E"
    n = 100
    override def f(x: Int): Int = {
      super[C].f(x) + super[B].f(x) // count: 1
    }
  }

  trait Greeter(val greeting: String) {
    val length = greeting.length
    def greet(name: String = "you", times: Int = length): String = {
      (greeting + name) * times // count greet: 3
    }
  }

  class Polite extends Greeter(note("hello")) {
    def both(first: Int = note("first").length)(second: Int = first * 2, third: Int = note("third").length): Int = {
      first * 100 + second * 10 + third // count: 3
    }
  }

  trait Service {
    def run(n: Int): Int
  }

  trait Logged extends Service {
    abstract override def run(n: Int): Int = {
      note("run" + n) // count run: 2
      try {
        super.run(n) // count run: 2
      } finally {
        note("ran") // total: 2
      }
    }
  }

  trait Twice extends Service {
    abstract override def run(n: Int): Int = {
      super.run(n) + super.run(n + 1) // count run: 1
    }
  }

  class Plain extends Service {
    def run(n: Int): Int = {
      100 / (n - 1) // count: 2
    }
  }

  class Outer(n: Int) {
    outer =>
    object Inner {
      note("inner" + n) // count <init>: 2
      val twice = n * 2
      object Deep {
        val sum = twice + outer.n // count <init>: 1
      }
    }
    class Nested(val k: Int) {
      def sum: Int = {
        n + k // count: 2
      }
    }
    private def secret = n
    def same(other: Outer): Boolean = secret == other.secret
  }

  class Metres(val n: Int) extends AnyVal {
    def +(o: Metres): Metres = {
      new Metres(n + o.n) // count $plus$extension: 3
    }
    override def toString: String = {
      note(n + "m") // count toString$extension: 2
    }
  }

  trait Source[T] {
    def get(key: T): T
    def twice(key: T): T = get(get(key))
  }

  class Ints extends Source[Int] {
    def get(key: Int): Int = {
      key * 3 // count: 4
    }
  }

  class Parsed(n: Int) extends Polite {
    note("parsed" + n) // count: 2
  }

  class Tried(s: String)
      extends Parsed(
        try {
          s.toInt // count: 2
        } catch {
          case e: NumberFormatException =>
            -1
        }
      )

  def main(args: Array[String]): Unit = {
    val d = new D
    val e = new E
    var sum = d.f(1) + e.f(1) + d.hide() + d.hide() + e.hide() + e.hide() + d.b + e.b
    sum += d.early.length + d.early.length
    val polite = new Polite
    sum += polite.greet().length + polite.greet("x").length + polite.greet(times = 1).length
    sum += polite.both()() + polite.both()(third = 1) + polite.both(2)(third = 5)
    val service = new Plain with Logged with Twice
    sum += service.run(2)
    val outer = new Outer(5)
    val other = new Outer(7)
    sum += outer.Inner.twice + outer.Inner.Deep.sum + other.Inner.twice + other.Inner.twice
    sum += new outer.Nested(1).sum + new other.Nested(2).sum + (if (outer.same(other)) 1 else 0)
    val lengths = List(new Metres(1), new Metres(2)).map(_ + new Metres(10))
    sum += lengths.reduce(_ + _).n + lengths.mkString.length
    val ints: Source[Int] = new Ints
    sum += ints.twice(2) + new Ints().twice(1)
    new Tried("12")
    new Tried("x")
    println(s"$log$sum")
  }
}
