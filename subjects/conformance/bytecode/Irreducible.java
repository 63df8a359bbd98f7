import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Loops with two entries, jumps into the middle of other loops and backwards out of switches: flow that no Java source has. */
public class Irreducible implements Opcodes {
    static void write(Path folder) throws Exception {
        write(folder, "Irreducible", V11);
        write(folder, "Irreducible$Old", V1_4);
    }

    static void write(Path folder, String name, int version) throws Exception {
        ClassWriter c = Assembly.start(name, version);
        twoEntries(c);
        threeWay(c);
        spaghetti(c);
        if (name.equals("Irreducible")) {
            MethodVisitor m = Assembly.method(c, "old", "(I)I");
            m.visitVarInsn(ILOAD, 0);
            m.visitMethodInsn(INVOKESTATIC, "Irreducible$Old", "twoEntries", "(I)I", false);
            m.visitMethodInsn(INVOKESTATIC, "Irreducible$Old", "threeWay", "(I)I", false);
            m.visitInsn(ICONST_3);
            m.visitInsn(IAND);
            m.visitMethodInsn(INVOKESTATIC, "Irreducible$Old", "spaghetti", "(I)I", false);
            m.visitInsn(IRETURN);
            Assembly.end(m);
            Assembly.main(c, name, 9, "twoEntries", "threeWay", "spaghetti", "old");
        }
        Assembly.finish(c, folder, name);
    }

    /** {@code if (n odd) goto B; A: s += 1; B: s += 10; if (--n > 0) goto A; return s}. */
    static void twoEntries(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "twoEntries", "(I)I");
        Label a = new Label();
        Label b = new Label();
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_1);
        m.visitInsn(IAND);
        m.visitJumpInsn(IFNE, b);
        m.visitLabel(a);
        m.visitIincInsn(1, 1);
        m.visitLabel(b);
        m.visitIincInsn(1, 10);
        m.visitIincInsn(0, -1);
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFGT, a);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    /** A switch into three blocks that go round in a circle; one of them may throw and its handler jumps back in. */
    static void threeWay(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "threeWay", "(I)I");
        Label[] blocks = {new Label(), new Label(), new Label()};
        Label out = new Label();
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        Assembly.push(m, 7);
        m.visitVarInsn(ISTORE, 2);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_3);
        m.visitInsn(IREM);
        m.visitTableSwitchInsn(0, 1, blocks[2], blocks[0], blocks[1]);
        m.visitLabel(blocks[0]);
        m.visitIincInsn(1, 1);
        m.visitLabel(blocks[1]);
        m.visitLabel(from);
        m.visitVarInsn(ILOAD, 1);
        Assembly.push(m, 100);
        m.visitVarInsn(ILOAD, 2);
        m.visitInsn(ICONST_4);
        m.visitInsn(ISUB);
        m.visitInsn(IDIV);
        m.visitInsn(IADD);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(to);
        m.visitLabel(blocks[2]);
        m.visitIincInsn(2, -1);
        m.visitVarInsn(ILOAD, 2);
        m.visitJumpInsn(IFLE, out);
        m.visitVarInsn(ILOAD, 2);
        m.visitInsn(ICONST_1);
        m.visitInsn(IAND);
        m.visitJumpInsn(IFEQ, blocks[1]);
        m.visitJumpInsn(GOTO, blocks[0]);
        m.visitLabel(handler);
        m.visitInsn(POP);
        m.visitIincInsn(1, 1000);
        m.visitJumpInsn(GOTO, blocks[2]);
        m.visitLabel(out);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    /** Jumps between the bodies of two interleaved loops, with fuel. */
    static void spaghetti(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "spaghetti", "(I)I");
        Label[] at = new Label[6];
        for (int i = 0; i < at.length; i++) {
            at[i] = new Label();
        }
        Label out = new Label();
        Assembly.push(m, 25);
        m.visitVarInsn(ISTORE, 1);
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 2);
        m.visitVarInsn(ILOAD, 0);
        m.visitLookupSwitchInsn(at[0], new int[] {1, 3, 5}, new Label[] {at[2], at[4], at[5]});
        int[][] jumps = {{3, 5}, {4, 0}, {5, 1}, {0, 2}, {1, 3}, {2, 4}};
        for (int i = 0; i < at.length; i++) {
            m.visitLabel(at[i]);
            m.visitIincInsn(1, -1);
            m.visitVarInsn(ILOAD, 1);
            m.visitJumpInsn(IFLT, out);
            m.visitIincInsn(2, i + 1);
            m.visitVarInsn(ILOAD, 2);
            m.visitInsn(ICONST_3);
            m.visitInsn(IREM);
            m.visitJumpInsn(IFEQ, at[jumps[i][0]]);
            m.visitVarInsn(ILOAD, 2);
            m.visitInsn(ICONST_5);
            m.visitInsn(IREM);
            m.visitJumpInsn(IFEQ, at[jumps[i][1]]);
        }
        m.visitJumpInsn(GOTO, at[0]);
        m.visitLabel(out);
        m.visitVarInsn(ILOAD, 2);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }
}
