//! Programs that may notice that they are counted: the row, or the dataset, says so.

use crate::support::{Desk, ran};
use serde_json::Value;

/// Looks methods up as dispatchers do, in the order in which `getDeclaredMethods()` gives them.
const ORDER: &str = r#"
import java.lang.reflect.*;
public class Order {
    public void open() { } public void close() { } public void zebra() { } public void write() { }
    static Method find(String name) { for (Method m : Order.class.getDeclaredMethods()) if (m.getName().equals(name)) return m; return null; }
    public static void main(String[] a) throws Exception { for (String n : new String[] {"open", "zebra", "write"}) find(n).invoke(new Order()); }
}
"#;

/// Goes as deep as its stack lets it.
const DEEP: &str = r"
public class Deep {
    static int depth;
    static int down(int n) { depth = n; return 1 + down(n + 1); }
    public static void main(String[] a) { try { down(0); } catch (StackOverflowError e) { System.out.println(depth); } }
}
";

/// A loader that lets its scripts have a few classes and counts what it refuses.
const GUARD: &str = r#"
import java.io.*; import java.nio.file.*;
public class Guard extends ClassLoader {
    final Path dir; int refused;
    Guard(Path dir) { super(null); this.dir = dir; }
    @Override protected Class<?> loadClass(String n, boolean r) throws ClassNotFoundException {
        if (n.equals("java.lang.Object")) return Guard.class.getClassLoader().loadClass(n);
        if (!n.equals("Script")) { refused++; throw new ClassNotFoundException(n); }
        Class<?> c = findLoadedClass(n);
        if (c == null) try { byte[] b = Files.readAllBytes(dir.resolve(n + ".class")); c = defineClass(n, b, 0, b.length); } catch (IOException e) { throw new ClassNotFoundException(n); }
        return c;
    }
    public static void main(String[] a) throws Exception {
        Guard g = new Guard(Path.of(a[0]));
        System.out.println(g.loadClass("Script").getMethod("go").invoke(null) + " refused " + g.refused);
    }
}
"#;
const SCRIPT: &str = "public class Script { public static int go() { int s = 0; for (int i = 0; i < 9; i++) s += i; return s; } }";

/// The inspection of a program that was recorded once. The first of its files has `main`.
fn recorded(files: &[(&str, &str)], arguments: &[&str]) -> Value {
    let desk = Desk::new(&[]);
    for (name, source) in files {
        desk.class("classes", name, source);
    }
    let mut command = desk.command("record -o data --repeat 1 --samples off");
    let main = files[0].0;
    command
        .args(["--", "java", "-cp", "classes", main])
        .args(arguments);
    let done = ran(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
    desk.json("inspect data --json")
}

#[test]
fn reflected_methods_may_come_in_another_order() {
    let found = recorded(&[("Order", ORDER)], &[]);
    let notes = found["notes"].to_string();
    assert!(
        notes.contains("Order.find(String) asks for all methods") && notes.contains("no order"),
        "{notes}"
    );
    // Counted twice, the order may differ as well: of that the row tells. The advice is the dataset's.
    let rows = found["uncertain"].to_string();
    assert!(!rows.contains("asks for all methods"), "{rows}");
}

#[test]
fn a_caught_overflow_came_at_another_depth() {
    let found = recorded(&[("Deep", DEEP)], &[]);
    let rows = found["uncertain"].to_string();
    assert!(
        rows.contains("Deep.main(String[]) caught a StackOverflowError") && rows.contains("-Xss"),
        "{rows}"
    );
}

#[test]
fn a_loader_of_the_program_was_asked_for_more() {
    let found = recorded(&[("Guard", GUARD), ("Script", SCRIPT)], &["classes"]);
    let rows = found["uncertain"].to_string();
    assert!(
        rows.contains("Guard.loadClass(String, boolean) was also asked"),
        "{rows}"
    );
}
