import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Random statements, from a fixed seed, whose finally blocks are subroutines as compilers made them before Java 6: called where the guarded
 * statement ends, where it returns and where it throws; nested in each other, in loops and in handlers. The seed is 1, or the system property
 * {@code seed}.
 */
public class RandomSubroutines extends RandomStatements {
    static void write(Path folder) throws Exception {
        write(folder, "RandomSubroutines", V1_5, 20, RandomSubroutines::new);
    }

    /** The finally blocks around a statement, innermost last. */
    final List<Label> around = new ArrayList<>();
    boolean returns = true;

    RandomSubroutines(Random random, MethodVisitor m) {
        super(random, m);
    }

    @Override
    void method() {
        guarded(4);
        statements(4);
    }

    @Override
    void statements(int depth) {
        m.visitIincInsn(1, random.nextInt(9) - 3);
        for (int i = random.nextInt(3); i >= 0; i--) {
            switch (depth == 0 ? random.nextInt(2) : random.nextInt(8)) {
                case 0:
                    m.visitIincInsn(0, random.nextInt(3) - 1);
                    break;
                case 1:
                    divide();
                    break;
                case 2:
                    leave();
                    break;
                case 3:
                    decide(depth - 1);
                    break;
                case 4:
                    repeat(depth - 1);
                    break;
                case 5:
                    caught(depth - 1, "java/lang/ArithmeticException");
                    break;
                default:
                    guarded(depth - 1);
            }
        }
    }

    /** By zero where the argument says so. */
    void divide() {
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 3);
        m.visitInsn(IREM);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 1);
    }

    /** {@code if (x % n == 0) return}, which calls what stands around from the inside out; not out of a finally block. */
    void leave() {
        Label stays = new Label();
        test(stays);
        if (returns) {
            for (int i = around.size() - 1; i >= 0; i--) {
                m.visitJumpInsn(JSR, around.get(i));
            }
            giveBack();
        }
        m.visitLabel(stays);
    }

    void repeat(int depth) {
        int counter = locals++;
        Label again = new Label();
        Assembly.push(m, 1 + random.nextInt(3));
        m.visitVarInsn(ISTORE, counter);
        m.visitLabel(again);
        statements(depth);
        m.visitIincInsn(counter, -1);
        m.visitVarInsn(ILOAD, counter);
        m.visitJumpInsn(IFGT, again);
    }

    /** {@code try { … } finally { … }}. */
    void guarded(int depth) {
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label block = new Label();
        Label end = new Label();
        int address = locals++;
        int thrown = locals++;
        around.add(block);
        m.visitLabel(from);
        statements(depth);
        m.visitLabel(to);
        around.remove(around.size() - 1);
        m.visitJumpInsn(JSR, block);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(handler);
        m.visitVarInsn(ASTORE, thrown);
        m.visitJumpInsn(JSR, block);
        m.visitVarInsn(ALOAD, thrown);
        m.visitInsn(ATHROW);
        m.visitLabel(block);
        m.visitVarInsn(ASTORE, address);
        boolean returned = returns;
        returns = false;
        statements(depth);
        returns = returned;
        m.visitVarInsn(RET, address);
        m.visitLabel(end);
        m.visitTryCatchBlock(from, to, handler, null);
    }

    @Override
    void test(Label otherwise) {
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 2 + random.nextInt(3));
        m.visitInsn(IREM);
        m.visitJumpInsn(IFNE, otherwise);
    }
}
