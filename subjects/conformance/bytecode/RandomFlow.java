import java.nio.file.Path;
import java.util.Random;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Methods of random flow, from a fixed seed: 4 to 20 blocks that jump, switch, return, throw and call each other at random, under random
 * exception ranges. A budget that every block draws on ends them. The seed is 1, or the system property {@code seed}.
 */
public class RandomFlow implements Opcodes {
    static final String NAME = "RandomFlow";
    static final int METHODS = 40;
    static final String[] CAUGHT = {"java/lang/ArithmeticException", "java/lang/IllegalStateException", "java/lang/RuntimeException", null,
        "java/lang/ArrayIndexOutOfBoundsException"};

    static void write(Path folder) throws Exception {
        Random random = new Random(Long.getLong("seed", 1));
        ClassWriter c = Assembly.start(NAME, V11);
        c.visitField(ACC_STATIC, "budget", "I", null, null).visitEnd();
        String[] names = new String[METHODS];
        for (int i = 0; i < METHODS; i++) {
            names[i] = "f" + i;
            new RandomFlow(random, i).write(c, names[i]);
        }
        spend(c);
        Assembly.main(c, NAME, 6, names);
        Assembly.finish(c, folder, NAME);
    }

    /** {@code if (--budget < 0) { budget = 60; throw new Error(); }}. */
    static void spend(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "spend", "()V");
        Label fine = new Label();
        m.visitFieldInsn(GETSTATIC, NAME, "budget", "I");
        m.visitInsn(ICONST_1);
        m.visitInsn(ISUB);
        m.visitInsn(DUP);
        m.visitFieldInsn(PUTSTATIC, NAME, "budget", "I");
        m.visitJumpInsn(IFGE, fine);
        Assembly.push(m, 60);
        m.visitFieldInsn(PUTSTATIC, NAME, "budget", "I");
        m.visitTypeInsn(NEW, "java/lang/Error");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Error", "<init>", "()V", false);
        m.visitInsn(ATHROW);
        m.visitLabel(fine);
        m.visitInsn(RETURN);
        Assembly.end(m);
    }

    final Random random;
    final int number;
    final Label[] blocks;
    MethodVisitor m;

    RandomFlow(Random random, int number) {
        this.random = random;
        this.number = number;
        this.blocks = new Label[4 + random.nextInt(17)];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = new Label();
        }
    }

    Label any() {
        return blocks[random.nextInt(blocks.length)];
    }

    void write(ClassWriter c, String name) {
        m = Assembly.method(c, name, "(I)I");
        Label[] handlers = new Label[random.nextInt(5)];
        boolean[] passOn = new boolean[handlers.length];
        for (int h = 0; h < handlers.length; h++) {
            handlers[h] = new Label();
            int from = random.nextInt(blocks.length - 1);
            int to = from + 1 + random.nextInt(blocks.length - 1 - from);
            String type = CAUGHT[random.nextInt(CAUGHT.length)];
            passOn[h] = type == null;
            m.visitTryCatchBlock(blocks[from], blocks[to], handlers[h], type);
        }
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        if (random.nextInt(3) == 0) {
            m.visitJumpInsn(GOTO, any());
        }
        for (int b = 0; b < blocks.length; b++) {
            m.visitLabel(blocks[b]);
            m.visitMethodInsn(INVOKESTATIC, NAME, "spend", "()V", false);
            for (int i = random.nextInt(4); i > 0; i--) {
                work();
            }
            leave(b == blocks.length - 1);
        }
        for (int h = 0; h < handlers.length; h++) {
            m.visitLabel(handlers[h]);
            if (passOn[h]) { // or an empty budget would be caught, too
                m.visitIincInsn(1, 1);
                m.visitInsn(ATHROW);
                continue;
            }
            m.visitInsn(POP);
            m.visitMethodInsn(INVOKESTATIC, NAME, "spend", "()V", false);
            m.visitIincInsn(1, 1 + random.nextInt(9));
            m.visitJumpInsn(GOTO, any());
        }
        Assembly.end(m);
    }

    /** {@code x = x op something}, where some of it throws. */
    void work() {
        switch (random.nextInt(7)) {
            case 0:
                m.visitIincInsn(1, random.nextInt(100) - 40);
                break;
            case 1:
                m.visitIincInsn(0, random.nextInt(3) - 1);
                break;
            case 2: // may divide by zero
                m.visitVarInsn(ILOAD, 1);
                m.visitVarInsn(ILOAD, 0);
                m.visitInsn(ICONST_3);
                m.visitInsn(IREM);
                m.visitInsn(IDIV);
                m.visitVarInsn(ISTORE, 1);
                break;
            case 3: // may be out of range
                m.visitInsn(ICONST_2);
                m.visitIntInsn(NEWARRAY, T_INT);
                m.visitVarInsn(ILOAD, 1);
                m.visitInsn(ICONST_3);
                m.visitInsn(IAND);
                m.visitInsn(IALOAD);
                m.visitVarInsn(ILOAD, 1);
                m.visitInsn(IADD);
                m.visitVarInsn(ISTORE, 1);
                break;
            case 4: // calls an earlier method
                if (number > 0) {
                    m.visitVarInsn(ILOAD, 1);
                    m.visitInsn(ICONST_5);
                    m.visitInsn(IREM);
                    m.visitMethodInsn(INVOKESTATIC, NAME, "f" + random.nextInt(number), "(I)I", false);
                    m.visitVarInsn(ILOAD, 1);
                    m.visitInsn(IXOR);
                    m.visitVarInsn(ISTORE, 1);
                }
                break;
            default:
                m.visitVarInsn(ILOAD, 1);
                m.visitVarInsn(ILOAD, 0);
                m.visitInsn(random.nextBoolean() ? IADD : IXOR);
                m.visitVarInsn(ISTORE, 1);
        }
    }

    void leave(boolean last) {
        int kind = random.nextInt(9);
        if (last && (kind < 5 || kind == 8)) {
            kind = 5;
        }
        switch (kind) {
            case 0: case 1: case 2:
                m.visitVarInsn(ILOAD, random.nextInt(2));
                m.visitJumpInsn(IFEQ + random.nextInt(6), any());
                break;
            case 3: // two ways to one place
                Label both = any();
                m.visitVarInsn(ILOAD, 1);
                m.visitJumpInsn(IFGT, both);
                m.visitVarInsn(ILOAD, 0);
                m.visitJumpInsn(IFLE, both);
                break;
            case 5:
                m.visitVarInsn(ILOAD, 1);
                m.visitInsn(IRETURN);
                break;
            case 6:
                m.visitVarInsn(ILOAD, 1);
                Label[] cases = new Label[1 + random.nextInt(4)];
                for (int i = 0; i < cases.length; i++) {
                    cases[i] = any();
                }
                m.visitInsn(ICONST_3);
                m.visitInsn(IAND);
                m.visitTableSwitchInsn(0, cases.length - 1, any(), cases);
                break;
            case 7:
                m.visitTypeInsn(NEW, "java/lang/IllegalStateException");
                m.visitInsn(DUP);
                m.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V", false);
                m.visitInsn(ATHROW);
                break;
            case 4:
                m.visitJumpInsn(GOTO, any());
                break;
            default: // falls through
        }
    }
}
