import java.util.Random;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What generators of methods of random statements share. Each method takes an {@code int} and gives one back. */
public abstract class RandomStatements implements Opcodes {
    final Random random;
    final MethodVisitor m;
    /** 0 is the argument, 1 the result; the number of those in use. */
    int locals = 2;

    RandomStatements(Random random, MethodVisitor m) {
        this.random = random;
        this.m = m;
    }

    /** Makes the statements of one method. */
    interface Maker {
        RandomStatements of(Random random, MethodVisitor m);
    }

    /** Writes a class of so many methods, and a {@code main} that calls each six times. The seed is 1, or the system property {@code seed}. */
    static void write(java.nio.file.Path folder, String name, int version, int methods, Maker maker) throws Exception {
        Random random = new Random(Long.getLong("seed", 1));
        ClassWriter c = Assembly.start(name, version);
        String[] names = new String[methods];
        for (int i = 0; i < methods; i++) {
            names[i] = "f" + i;
            MethodVisitor m = Assembly.method(c, names[i], "(I)I");
            RandomStatements statements = maker.of(random, m);
            Assembly.push(m, 0);
            m.visitVarInsn(ISTORE, 1);
            statements.method();
            statements.giveBack();
            Assembly.end(m);
        }
        Assembly.main(c, name, 6, names);
        Assembly.finish(c, folder, name);
    }

    /** All statements of a method. */
    abstract void method();

    /** Some statements, nested so deep at most. */
    abstract void statements(int depth);

    /** Goes on at {@code otherwise} unless a number that differs between calls is divisible. */
    abstract void test(Label otherwise);

    void decide(int depth) {
        Label otherwise = new Label();
        Label end = new Label();
        test(otherwise);
        statements(depth);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(otherwise);
        statements(depth);
        m.visitLabel(end);
    }

    void caught(int depth, String exception) {
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label end = new Label();
        m.visitLabel(from);
        // A range must not be empty.
        m.visitInsn(NOP);
        statements(depth);
        m.visitLabel(to);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(handler);
        m.visitInsn(POP);
        statements(depth);
        m.visitLabel(end);
        // Ranges of inner statements come first.
        m.visitTryCatchBlock(from, to, handler, exception);
    }

    void giveBack() {
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
    }
}
