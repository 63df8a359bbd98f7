import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Exception ranges that cross each other, cover their own handlers, share handlers, and lie inside out in the table. */
public class OverlappingRanges implements Opcodes {
    static final String NAME = "OverlappingRanges";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V11);
        risky(c);
        crossing(c);
        selfCovering(c);
        shared(c);
        insideOut(c);
        intoTheMiddle(c);
        Assembly.main(c, NAME, 8, "crossing", "selfCovering", "shared", "insideOut", "intoTheMiddle");
        Assembly.finish(c, folder, NAME);
    }

    /** Throws an arithmetic exception for 1, one of arrays for 2, an illegal state for 3. */
    static void risky(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "risky", "(I)I");
        Label[] cases = {new Label(), new Label(), new Label()};
        Label fine = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitTableSwitchInsn(1, 3, fine, cases);
        m.visitLabel(cases[0]);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_0);
        m.visitInsn(IDIV);
        m.visitInsn(IRETURN);
        m.visitLabel(cases[1]);
        m.visitInsn(ICONST_1);
        m.visitIntInsn(NEWARRAY, T_INT);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IALOAD);
        m.visitInsn(IRETURN);
        m.visitLabel(cases[2]);
        m.visitTypeInsn(NEW, "java/lang/IllegalStateException");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V", false);
        m.visitInsn(ATHROW);
        m.visitLabel(fine);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    /** {@code x += risky(n - less)}. */
    static void call(MethodVisitor m, int less) {
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, less);
        m.visitInsn(ISUB);
        m.visitMethodInsn(INVOKESTATIC, NAME, "risky", "(I)I", false);
        m.visitInsn(IADD);
        m.visitVarInsn(ISTORE, 1);
    }

    static MethodVisitor begin(ClassWriter c, String name) {
        MethodVisitor m = Assembly.method(c, name, "(I)I");
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, 1);
        return m;
    }

    static void handler(MethodVisitor m, Label label, int add, Label next) {
        m.visitLabel(label);
        m.visitInsn(POP);
        m.visitIincInsn(1, add);
        m.visitJumpInsn(GOTO, next);
    }

    static void giveBack(MethodVisitor m, Label at) {
        m.visitLabel(at);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    /** Ranges [a, c) and [b, d) of different types. */
    static void crossing(ClassWriter c) {
        MethodVisitor m = begin(c, "crossing");
        Label a = new Label();
        Label b = new Label();
        Label e = new Label();
        Label d = new Label();
        Label first = new Label();
        Label second = new Label();
        Label out = new Label();
        m.visitTryCatchBlock(a, e, first, "java/lang/ArithmeticException");
        m.visitTryCatchBlock(b, d, second, "java/lang/RuntimeException");
        m.visitLabel(a);
        call(m, 0);
        m.visitLabel(b);
        call(m, 1);
        m.visitLabel(e);
        call(m, 2);
        m.visitLabel(d);
        call(m, 4);
        m.visitJumpInsn(GOTO, out);
        handler(m, first, 100, out);
        // Back into both ranges, with an argument that goes up until nothing is thrown any more.
        m.visitLabel(second);
        m.visitInsn(POP);
        m.visitIincInsn(0, 1);
        m.visitIincInsn(1, 10000);
        m.visitJumpInsn(GOTO, b);
        giveBack(m, out);
    }

    /** A finally block whose range covers itself, as compilers make them; it throws once and is entered again. */
    static void selfCovering(ClassWriter c) {
        MethodVisitor m = begin(c, "selfCovering");
        Label a = new Label();
        Label handler = new Label();
        Label end = new Label();
        Label out = new Label();
        m.visitTryCatchBlock(a, end, handler, null);
        m.visitLabel(a);
        call(m, 0);
        m.visitJumpInsn(GOTO, out);
        m.visitLabel(handler);
        m.visitVarInsn(ASTORE, 2);
        m.visitIincInsn(1, 7);
        m.visitIincInsn(0, 1); // risky(4) no longer throws
        call(m, 0);
        m.visitLabel(end);
        m.visitVarInsn(ALOAD, 2);
        m.visitInsn(ATHROW);
        giveBack(m, out);
    }

    /** One handler for two ranges, and two entries of the table for one range. */
    static void shared(ClassWriter c) {
        MethodVisitor m = begin(c, "shared");
        Label[] at = {new Label(), new Label(), new Label(), new Label()};
        Label one = new Label();
        Label two = new Label();
        Label out = new Label();
        m.visitTryCatchBlock(at[0], at[1], one, "java/lang/ArithmeticException");
        m.visitTryCatchBlock(at[2], at[3], one, "java/lang/ArithmeticException");
        m.visitTryCatchBlock(at[0], at[1], one, "java/lang/IllegalStateException");
        m.visitTryCatchBlock(at[0], at[3], two, null);
        m.visitLabel(at[0]);
        call(m, 0);
        m.visitLabel(at[1]);
        call(m, 1);
        m.visitLabel(at[2]);
        call(m, 2);
        m.visitLabel(at[3]);
        m.visitJumpInsn(GOTO, out);
        handler(m, one, 10, out);
        handler(m, two, 1000, out);
        giveBack(m, out);
    }

    /** The outer range stands first in the table and so wins over the inner one. */
    static void insideOut(ClassWriter c) {
        MethodVisitor m = begin(c, "insideOut");
        Label[] at = {new Label(), new Label(), new Label(), new Label()};
        Label outer = new Label();
        Label inner = new Label();
        Label out = new Label();
        m.visitTryCatchBlock(at[0], at[3], outer, "java/lang/ArithmeticException");
        m.visitTryCatchBlock(at[1], at[2], inner, "java/lang/Throwable");
        m.visitLabel(at[0]);
        call(m, 0);
        m.visitLabel(at[1]);
        call(m, 1);
        m.visitLabel(at[2]);
        call(m, 2);
        m.visitLabel(at[3]);
        m.visitJumpInsn(GOTO, out);
        handler(m, outer, 10, out);
        handler(m, inner, 1000, at[3]);
        giveBack(m, out);
    }

    /** A handler that jumps back into its range and one that falls through into the next. */
    static void intoTheMiddle(ClassWriter c) {
        MethodVisitor m = begin(c, "intoTheMiddle");
        Label a = new Label();
        Label middle = new Label();
        Label b = new Label();
        Label one = new Label();
        Label two = new Label();
        Label out = new Label();
        m.visitTryCatchBlock(a, b, one, "java/lang/ArithmeticException");
        m.visitTryCatchBlock(a, b, two, "java/lang/IllegalStateException");
        m.visitLabel(a);
        call(m, 0);
        m.visitLabel(middle);
        m.visitIincInsn(1, 3);
        call(m, 2);
        m.visitLabel(b);
        m.visitJumpInsn(GOTO, out);
        m.visitLabel(one);
        m.visitInsn(POP);
        m.visitIincInsn(0, 2); // 1 becomes 3, whose second call throws again; then 5
        m.visitIincInsn(1, 50);
        m.visitInsn(ACONST_NULL);
        m.visitTypeInsn(CHECKCAST, "java/lang/Throwable");
        m.visitLabel(two);
        m.visitInsn(POP);
        m.visitIincInsn(0, 3);
        m.visitJumpInsn(GOTO, middle);
        giveBack(m, out);
    }
}
