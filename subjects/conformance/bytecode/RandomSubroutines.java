import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Random statements, from a fixed seed, whose finally blocks are subroutines as compilers made them before Java 6: called where the guarded
 * statement ends, where it returns and where it throws; nested in each other, in loops and in handlers. The seed is 1, or the system property
 * {@code seed}.
 */
public class RandomSubroutines implements Opcodes {
    static final String NAME = "RandomSubroutines";
    static final int METHODS = 20;

    static void write(Path folder) throws Exception {
        Random random = new Random(Long.getLong("seed", 1));
        ClassWriter c = Assembly.start(NAME, V1_5);
        String[] names = new String[METHODS];
        for (int i = 0; i < METHODS; i++) {
            names[i] = "f" + i;
            MethodVisitor m = Assembly.method(c, names[i], "(I)I");
            new RandomSubroutines(random, m).method();
            Assembly.end(m);
        }
        Assembly.main(c, NAME, 6, names);
        Assembly.finish(c, folder, NAME);
    }

    final Random random;
    final MethodVisitor m;
    /** The finally blocks around a statement, innermost last. */
    final List<Label> around = new ArrayList<>();
    /** 0 is the argument, 1 the result. */
    int locals = 2;
    boolean returns = true;

    RandomSubroutines(Random random, MethodVisitor m) {
        this.random = random;
        this.m = m;
    }

    void method() {
        Assembly.push(m, 0);
        m.visitVarInsn(ISTORE, 1);
        guarded(4);
        statement(4);
        giveBack();
    }

    void statement(int depth) {
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
                    caught(depth - 1);
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

    void decide(int depth) {
        Label otherwise = new Label();
        Label end = new Label();
        test(otherwise);
        statement(depth);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(otherwise);
        statement(depth);
        m.visitLabel(end);
    }

    void repeat(int depth) {
        int counter = locals++;
        Label again = new Label();
        Assembly.push(m, 1 + random.nextInt(3));
        m.visitVarInsn(ISTORE, counter);
        m.visitLabel(again);
        statement(depth);
        m.visitIincInsn(counter, -1);
        m.visitVarInsn(ILOAD, counter);
        m.visitJumpInsn(IFGT, again);
    }

    void caught(int depth) {
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label end = new Label();
        m.visitLabel(from);
        statement(depth);
        m.visitLabel(to);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(handler);
        m.visitInsn(POP);
        statement(depth);
        m.visitLabel(end);
        // Ranges of inner statements come first.
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
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
        statement(depth);
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
        statement(depth);
        returns = returned;
        m.visitVarInsn(RET, address);
        m.visitLabel(end);
        m.visitTryCatchBlock(from, to, handler, null);
    }

    void test(Label otherwise) {
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 2 + random.nextInt(3));
        m.visitInsn(IREM);
        m.visitJumpInsn(IFNE, otherwise);
    }

    void giveBack() {
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
    }
}
