import org.mozilla.javascript.Context;
import org.mozilla.javascript.Script;
import org.mozilla.javascript.ScriptableObject;

/** Rhino's interpreter: queens, a sieve, objects with prototypes, strings, closures and sorting. */
final class RhinoProgram implements Bench.Program {
    private static final String SCRIPT =
            "function queens(n, row, cols, left, right) {\n"
                    + "  if (row == n) return 1;\n"
                    + "  var found = 0;\n"
                    + "  for (var c = 0; c < n; c++) {\n"
                    + "    if (cols[c] || left[row + c] || right[row - c + n]) continue;\n"
                    + "    cols[c] = left[row + c] = right[row - c + n] = true;\n"
                    + "    found += queens(n, row + 1, cols, left, right);\n"
                    + "    cols[c] = left[row + c] = right[row - c + n] = false;\n"
                    + "  }\n"
                    + "  return found;\n"
                    + "}\n"
                    + "function sieve(n) {\n"
                    + "  var flags = [], count = 0;\n"
                    + "  for (var i = 2; i <= n; i++) flags[i] = true;\n"
                    + "  for (var i = 2; i <= n; i++) {\n"
                    + "    if (!flags[i]) continue;\n"
                    + "    count++;\n"
                    + "    for (var k = i + i; k <= n; k += i) flags[k] = false;\n"
                    + "  }\n"
                    + "  return count;\n"
                    + "}\n"
                    + "function Shape(w) { this.w = w; }\n"
                    + "Shape.prototype.area = function() { return this.w * this.w; };\n"
                    + "function Circle(w) { this.w = w; }\n"
                    + "Circle.prototype = new Shape(0);\n"
                    + "Circle.prototype.area = function() { return 3 * this.w * this.w; };\n"
                    + "function shapes(n) {\n"
                    + "  var sum = 0;\n"
                    + "  for (var i = 0; i < n; i++) {\n"
                    + "    var shape = i % 3 == 0 ? new Circle(i % 17) : new Shape(i % 13);\n"
                    + "    sum = (sum + shape.area()) % 1000003;\n"
                    + "  }\n"
                    + "  return sum;\n"
                    + "}\n"
                    + "function words(n) {\n"
                    + "  var text = '', counts = {}, seed = 1;\n"
                    + "  for (var i = 0; i < n; i++) {\n"
                    + "    seed = (seed * 1103 + 12345) % 65536;\n"
                    + "    text += String.fromCharCode(97 + seed % 3) + (seed % 5 == 0 ? ' ' : '');\n"
                    + "  }\n"
                    + "  var parts = text.split(' ');\n"
                    + "  for (var i = 0; i < parts.length; i++) counts[parts[i]] = (counts[parts[i]] || 0) + 1;\n"
                    + "  var keys = [];\n"
                    + "  for (var k in counts) keys.push(k + ':' + counts[k]);\n"
                    + "  keys.sort(function(a, b) { return a < b ? -1 : a > b ? 1 : 0; });\n"
                    + "  return keys.join(',').length;\n"
                    + "}\n"
                    + "function closures(n) {\n"
                    + "  var adders = [];\n"
                    + "  for (var i = 0; i < 10; i++) adders.push((function(k) { return function(x) { try { return x + k; } finally { k = (k + 1) % 7; } }; })(i));\n"
                    + "  var sum = 0;\n"
                    + "  for (var i = 0; i < n; i++) sum = adders[i % 10](sum) % 100003;\n"
                    + "  return sum;\n"
                    + "}\n"
                    + "[queens(7, 0, [], [], []), sieve(12000), shapes(20000), words(6000), closures(12000)].join(' ');\n";
    private final Context context = Context.enter();
    private final Script script;

    RhinoProgram() {
        context.setOptimizationLevel(-1);
        script = context.compileString(SCRIPT, "bench.js", 1, null);
    }

    @Override
    public long run() {
        ScriptableObject scope = context.initStandardObjects();
        return Context.toString(script.exec(context, scope)).hashCode();
    }

    @Override
    public void close() {
        Context.exit();
    }
}
