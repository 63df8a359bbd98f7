import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Objects that wait on the stack for their constructor while flow branches, loops, throws and is caught; unreachable code. */
public class Uninitialised implements Opcodes {
    static final String NAME = "Uninitialised";
    static final String BUILDER = "java/lang/StringBuilder";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V11);
        branch(c);
        two(c);
        thrown(c);
        dead(c);
        Assembly.main(c, NAME, 5, "branch", "two", "thrown", "dead");
        Assembly.finish(c, folder, NAME);
    }

    static void length(MethodVisitor m) {
        m.visitMethodInsn(INVOKEVIRTUAL, BUILDER, "length", "()I", false);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    /** {@code new StringBuilder(n > 2 ? "large" : "s")}, with the second word of the object moved to a local and back. */
    static void branch(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "branch", "(I)I");
        Label small = new Label();
        Label join = new Label();
        m.visitTypeInsn(NEW, BUILDER);
        m.visitInsn(DUP);
        m.visitVarInsn(ASTORE, 1);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_2);
        m.visitJumpInsn(IF_ICMPLE, small);
        m.visitLdcInsn("large");
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(small);
        m.visitLdcInsn("s");
        m.visitLabel(join);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(SWAP);
        m.visitMethodInsn(INVOKESPECIAL, BUILDER, "<init>", "(Ljava/lang/String;)V", false);
        length(m);
    }

    /** Two objects at once, with a switch in between. */
    static void two(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "two", "(I)I");
        Label[] cases = {new Label(), new Label()};
        Label other = new Label();
        Label join = new Label();
        m.visitTypeInsn(NEW, BUILDER);
        m.visitInsn(DUP);
        m.visitTypeInsn(NEW, BUILDER);
        m.visitInsn(DUP);
        m.visitVarInsn(ILOAD, 0);
        m.visitTableSwitchInsn(1, 2, other, cases);
        m.visitLabel(cases[0]);
        m.visitLdcInsn("one");
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(cases[1]);
        m.visitLdcInsn("second");
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(other);
        m.visitLdcInsn("");
        m.visitLabel(join);
        m.visitMethodInsn(INVOKESPECIAL, BUILDER, "<init>", "(Ljava/lang/String;)V", false);
        m.visitMethodInsn(INVOKESPECIAL, BUILDER, "<init>", "(Ljava/lang/CharSequence;)V", false);
        length(m);
    }

    /** The constructor's argument throws and the object is dropped. */
    static void thrown(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "thrown", "(I)I");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/NegativeArraySizeException");
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
        m.visitLabel(from);
        m.visitTypeInsn(NEW, BUILDER);
        m.visitInsn(DUP);
        Assembly.push(m, 6);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IDIV);
        m.visitInsn(ICONST_3);
        m.visitInsn(ISUB);
        m.visitMethodInsn(INVOKESPECIAL, BUILDER, "<init>", "(I)V", false);
        m.visitLabel(to);
        length2(m);
        m.visitLabel(handler);
        m.visitInsn(POP);
        Assembly.push(m, 9);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    static void length2(MethodVisitor m) {
        m.visitMethodInsn(INVOKEVIRTUAL, BUILDER, "length", "()I", false);
        m.visitInsn(IRETURN);
    }

    /** Code that nothing reaches, before, between and behind code that runs. */
    static void dead(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "dead", "(I)I");
        Label start = new Label();
        Label never = new Label();
        Label out = new Label();
        m.visitJumpInsn(GOTO, start);
        m.visitLabel(never);
        m.visitIincInsn(0, 5);
        m.visitJumpInsn(GOTO, never);
        m.visitLabel(start);
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFEQ, out);
        m.visitIincInsn(0, 2);
        m.visitLabel(out);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitInsn(ACONST_NULL);
        m.visitInsn(ATHROW);
        Assembly.end(m);
    }
}
