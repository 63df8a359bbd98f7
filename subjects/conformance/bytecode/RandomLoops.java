import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Random loops, from a fixed seed, nested in each other and in handlers: with and without a bound that can be seen, left by comparisons, jumps to
 * any loop around, returns and exceptions, which are caught inside, behind or nowhere. The seed is 1, or the system property {@code seed}.
 */
public class RandomLoops extends RandomStatements {
    static final int LENGTH = 7;

    static void write(Path folder) throws Exception {
        write(folder, "RandomLoops", V11, 24, RandomLoops::new);
    }

    /** Where the loops around go on and end, innermost last. */
    final List<Label[]> around = new ArrayList<>();

    RandomLoops(Random random, MethodVisitor m) {
        super(random, m);
        // An array is in 2.
        locals = 3;
    }

    @Override
    void method() {
        Assembly.push(m, LENGTH);
        m.visitIntInsn(NEWARRAY, T_INT);
        m.visitVarInsn(ASTORE, 2);
        for (int i = 0; i < 3; i++) {
            loop(2);
        }
    }

    /** Only decisions below depth 0, and nothing nested two below. */
    @Override
    void statements(int depth) {
        for (int i = random.nextInt(depth > 0 ? 3 : 4); i >= 0; i--) {
            switch (random.nextInt(depth > 0 ? 10 : depth > -2 ? 7 : 5)) {
                case 0:
                    m.visitIincInsn(1, random.nextInt(9) - 3);
                    break;
                case 1:
                    divide();
                    break;
                case 2:
                    access(0, random.nextInt(4) - 1);
                    break;
                case 3:
                    jump();
                    break;
                case 4:
                    leave();
                    break;
                case 5:
                case 6:
                    decide(depth - 1);
                    break;
                case 7:
                    caught(depth - 1, random.nextBoolean() ? "java/lang/ArithmeticException" : "java/lang/RuntimeException");
                    break;
                default:
                    loop(depth - 1);
            }
        }
    }

    void loop(int depth) {
        int counter = locals++;
        int turns = random.nextInt(6);
        Label again = new Label();
        Label next = new Label();
        Label end = new Label();
        around.add(new Label[] {next, end});
        int kind = random.nextInt(6);
        boolean down = kind == 1;
        int step = kind == 4 ? 2 : 1;
        Assembly.push(m, down ? turns : 0);
        m.visitVarInsn(ISTORE, counter);
        Label from = new Label();
        m.visitLabel(from);
        m.visitLabel(again);
        if (kind == 0 || kind == 2 || kind == 4) {
            m.visitVarInsn(ILOAD, counter);
            Assembly.push(m, kind == 2 ? turns : turns + random.nextInt(2));
            m.visitJumpInsn(kind == 2 ? IF_ICMPEQ : IF_ICMPGE, end);
        } else if (kind == 3 || kind == 5) {
            access(counter, kind == 3 ? 0 : 1);
        }
        statements(depth);
        m.visitLabel(next);
        m.visitIincInsn(counter, down ? -1 : step);
        if (down) {
            m.visitVarInsn(ILOAD, counter);
            m.visitJumpInsn(IFGT, again);
        } else {
            m.visitJumpInsn(GOTO, again);
        }
        around.remove(around.size() - 1);
        if (kind == 3 && random.nextInt(3) > 0) {
            Label to = new Label();
            m.visitLabel(to);
            m.visitInsn(POP);
            m.visitTryCatchBlock(from, to, to, "java/lang/ArrayIndexOutOfBoundsException");
        }
        m.visitLabel(end);
        m.visitIincInsn(1, 1);
    }

    /** {@code r += a[i + by]++}. */
    void access(int index, int by) {
        m.visitVarInsn(ALOAD, 2);
        m.visitVarInsn(ILOAD, index);
        Assembly.push(m, by);
        m.visitInsn(IADD);
        m.visitInsn(DUP2);
        m.visitInsn(IALOAD);
        m.visitInsn(DUP_X2);
        m.visitInsn(ICONST_1);
        m.visitInsn(IADD);
        m.visitInsn(IASTORE);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IADD);
        m.visitVarInsn(ISTORE, 1);
    }

    /** By zero where result and argument say so. */
    void divide() {
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IADD);
        Assembly.push(m, 5);
        m.visitInsn(IREM);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 1);
    }

    /** {@code if (x % n == 0) break} or {@code continue}, any of the loops around. */
    void jump() {
        Label stays = new Label();
        test(stays);
        Label[] to = around.get(random.nextInt(around.size()));
        m.visitJumpInsn(GOTO, to[random.nextInt(2)]);
        m.visitLabel(stays);
    }

    void leave() {
        Label stays = new Label();
        test(stays);
        giveBack();
        m.visitLabel(stays);
    }

    @Override
    void test(Label otherwise) {
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IADD);
        Assembly.push(m, 2 + random.nextInt(4));
        m.visitInsn(IREM);
        m.visitJumpInsn(IFNE, otherwise);
    }
}
