import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Writes inputs of growing size for the programs of scripts/attribution.sh: {@code java Inputs.java KIND COUNT FOLDER}.
 * The same arguments give the same bytes.
 */
public class Inputs {
    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[1]);
        Path folder = Files.createDirectories(Path.of(args[2]));
        for (int i = 1; i <= count; i++) {
            Random dice = new Random(31L * i + args[0].hashCode());
            String text = switch (args[0]) {
                case "cnf" -> cnf(90 + 6 * i, dice);
                case "xml" -> xml(400 * i, dice);
                case "puml" -> puml(6 * i, dice);
                case "g4" -> g4("in%02d".formatted(i), 25 * i, dice);
                case "py" -> py(300 * i);
                case "groovy" -> groovy(250 * i);
                case "js" -> js(150 * i, dice);
                case "rb" -> rb(40 * i);
                case "bsh" -> bsh(60 * i);
                case "rhino" -> rhino(60 * i);
                case "txt" -> txt(900 * i, dice);
                default -> throw new IllegalArgumentException(args[0]);
            };
            Files.writeString(folder.resolve("in%02d.%s".formatted(i, args[0])), text);
        }
    }

    /** A random 3-SAT formula near the threshold of satisfiability. */
    static String cnf(int variables, Random dice) {
        int clauses = (int) (4.2 * variables);
        StringBuilder out = new StringBuilder("p cnf " + variables + " " + clauses + "\n");
        for (int c = 0; c < clauses; c++) {
            for (int l = 0; l < 3; l++) {
                out.append(dice.nextBoolean() ? "-" : "").append(1 + dice.nextInt(variables)).append(' ');
            }
            out.append("0\n");
        }
        return out.toString();
    }

    static String xml(int entries, Random dice) {
        StringBuilder out = new StringBuilder("<library>\n");
        for (int e = 0; e < entries; e++) {
            out.append("  <book id='b%d' year='%d'><title>%s</title><price>%d</price></book>\n"
                    .formatted(e, 1900 + dice.nextInt(120), words(4, dice), dice.nextInt(100)));
        }
        return out.append("</library>\n").toString();
    }

    static String puml(int steps, Random dice) {
        StringBuilder out = new StringBuilder("@startuml\n");
        for (int s = 0; s < steps; s++) {
            out.append("P%d -> P%d : %s\n".formatted(dice.nextInt(8), dice.nextInt(8), words(3, dice)));
        }
        return out.append("@enduml\n").toString();
    }

    static String g4(String name, int rules, Random dice) {
        StringBuilder out = new StringBuilder("grammar " + name + ";\nstart : r0 EOF ;\n");
        for (int r = 0; r < rules; r++) {
            int next = Math.min(r + 1, rules - 1);
            out.append("r%d : 'k%d' r%d | ID ('%c' r%d)* | '(' r%d ')' | INT ;\n"
                    .formatted(r, r, next, "+-*/%".charAt(r % 5), next, dice.nextInt(rules)));
        }
        return out.append("ID : [a-z]+ ;\nINT : [0-9]+ ;\nWS : [ \\t\\r\\n]+ -> skip ;\n").toString();
    }

    static String py(int n) {
        return """
                def collatz(n):
                    steps = 0
                    while n != 1:
                        n = n // 2 if n %% 2 == 0 else 3 * n + 1
                        steps += 1
                    return steps
                seen = {}
                for i in range(1, %d):
                    s = collatz(i)
                    seen.setdefault(s, []).append(str(i))
                print(max(len(','.join(v)) for v in seen.values()))
                """.formatted(n);
    }

    static String groovy(int n) {
        return """
                def primes = []
                for (int i = 2; primes.size() < %d; i++) {
                    if (primes.takeWhile { it * it <= i }.every { i %% it != 0 }) primes << i
                }
                println primes.groupBy { it %% 10 }.collectEntries { k, v -> [k, v.sum()] }
                """.formatted(n);
    }

    static String rb(int n) {
        return """
                words = (1..%d).map { |i| (i * 7919 %% 10007).to_s(36) * (1 + i %% 5) }
                tally = words.each_with_object(Hash.new(0)) { |w, h| w.each_char { |c| h[c] += 1 } }
                sorted = words.sort_by { |w| [w.length, w] }.each_slice(7).map { |s| s.join(',').sub(/([0-9]+)/) { $1.reverse } }
                puts tally.max_by { |_, v| v }.inspect, sorted.length
                """.formatted(n);
    }

    static String bsh(int n) {
        return """
                import java.util.*;
                List primes = new ArrayList();
                for (int i = 2; primes.size() < %d; i++) {
                    boolean prime = true;
                    for (int k = 0; k < primes.size() && prime; k++) { int p = primes.get(k); if (p * p > i) break; if (i %% p == 0) prime = false; }
                    if (prime) primes.add(i);
                }
                print(primes.get(primes.size() - 1));
                """.formatted(n);
    }

    static String rhino(int n) {
        return """
                var seen = {}, best = 0;
                function words(n) { var s = n.toString(2).replace(/0+/g, '-'); return s.split('-'); }
                for (var i = 1; i < %d * 10; i++) {
                    var w = words(i * 7919 %% 65537);
                    w.sort(function (a, b) { return a.length - b.length; });
                    seen[w.join('.')] = (seen[w.join('.')] || 0) + 1;
                }
                for (var k in seen) best = Math.max(best, seen[k]);
                print(best);
                """.formatted(n);
    }

    static String js(int functions, Random dice) {
        StringBuilder out = new StringBuilder("var M = {};\n");
        for (int f = 0; f < functions; f++) {
            out.append(("M.f%d = function (a, b) { var x = a + %d; for (var i = 0; i < b; i++) { if (x %% %d === 0) { x += i; } "
                    + "else { x = x * 2 - M.f%d(i, 0); } } return x; };\n")
                    .formatted(f, dice.nextInt(99), 2 + dice.nextInt(7), dice.nextInt(functions)));
        }
        return out.append("console.log(M.f0(1, 2));\n").toString();
    }

    static String txt(int lines, Random dice) {
        StringBuilder out = new StringBuilder();
        for (int l = 0; l < lines; l++) {
            out.append(words(9, dice)).append('\n');
        }
        return out.toString();
    }

    static String words(int count, Random dice) {
        StringBuilder out = new StringBuilder();
        for (int w = 0; w < count; w++) {
            if (w > 0) {
                out.append(' ');
            }
            for (int c = 2 + dice.nextInt(7); c > 0; c--) {
                out.append((char) ('a' + dice.nextInt(26)));
            }
        }
        return out.toString();
    }
}
