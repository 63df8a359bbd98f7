import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Constructors in which an exception handler covers code in front of {@code super()}, {@code super()} is called at one of several places, stands
 * in front of code that runs before it, or is never called.
 */
public class HandlerBeforeSuper implements Opcodes {
    static final String NAME = "HandlerBeforeSuper";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V11);
        c.visitField(ACC_PRIVATE, "value", "I", null, null);
        caught(c);
        twoCalls(c);
        thisOrSuper(c);
        plain(c);
        inLoop(c);
        escaping(c);
        backwards(c);
        never(c);
        made(c, "caughtBefore", "I");
        made(c, "calledTwice", "J");
        made(c, "thisElseSuper", "F");
        made(c, "caughtBehind", "S");
        made(c, "caughtInLoop", "B");
        made(c, "caughtByNone", "C");
        made(c, "laidOutBackwards", "Z");
        made(c, "neverCalled", "D");
        Assembly.main(
                c, NAME, 5, "caughtBefore", "calledTwice", "thisElseSuper", "caughtBehind", "caughtInLoop", "caughtByNone", "laidOutBackwards",
                "neverCalled");
        Assembly.finish(c, folder, NAME);
    }

    static MethodVisitor constructor(ClassWriter c, String parameter) {
        MethodVisitor m = c.visitMethod(ACC_PUBLIC, "<init>", "(" + parameter + ")V", null, null);
        m.visitCode();
        return m;
    }

    /** {@code value = …; return;}, with {@code this} and the value on the stack. */
    static void keep(MethodVisitor m) {
        m.visitFieldInsn(PUTFIELD, NAME, "value", "I");
        m.visitInsn(RETURN);
    }

    /** The same at the end of the code. */
    static void end(MethodVisitor m) {
        keep(m);
        Assembly.end(m);
    }

    static void callSuper(MethodVisitor m) {
        m.visitVarInsn(ALOAD, 0);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
    }

    /** {@code try { n = 12 / n; } catch (ArithmeticException e) { n = 50; } super(); value = n;} */
    static void caught(ClassWriter c) {
        MethodVisitor m = constructor(c, "I");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label join = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
        m.visitLabel(from);
        Assembly.divide(m, 12);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(to);
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(handler);
        m.visitInsn(POP);
        Assembly.push(m, 50);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(join);
        callSuper(m);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ILOAD, 1);
        end(m);
    }

    /** {@code if (n < 2) super(); else { n = 10 / (n - 3); super(); } value = n;} */
    static void twoCalls(ClassWriter c) {
        MethodVisitor m = constructor(c, "J");
        Label other = new Label();
        Label join = new Label();
        m.visitVarInsn(LLOAD, 1);
        m.visitInsn(L2I);
        m.visitVarInsn(ISTORE, 3);
        m.visitVarInsn(ILOAD, 3);
        m.visitInsn(ICONST_2);
        m.visitJumpInsn(IF_ICMPGE, other);
        callSuper(m);
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(other);
        Assembly.push(m, 10);
        m.visitVarInsn(ILOAD, 3);
        m.visitInsn(ICONST_3);
        m.visitInsn(ISUB);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 3);
        callSuper(m);
        m.visitLabel(join);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ILOAD, 3);
        end(m);
    }

    /** {@code if (n > 2) this((short) 7); else super(); value++;} */
    static void thisOrSuper(ClassWriter c) {
        MethodVisitor m = constructor(c, "F");
        Label other = new Label();
        Label join = new Label();
        m.visitVarInsn(FLOAD, 1);
        m.visitInsn(FCONST_2);
        m.visitInsn(FCMPL);
        m.visitJumpInsn(IFLE, other);
        m.visitVarInsn(ALOAD, 0);
        Assembly.push(m, 7);
        m.visitMethodInsn(INVOKESPECIAL, NAME, "<init>", "(S)V", false);
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(other);
        callSuper(m);
        m.visitLabel(join);
        m.visitVarInsn(ALOAD, 0);
        m.visitInsn(DUP);
        m.visitFieldInsn(GETFIELD, NAME, "value", "I");
        m.visitInsn(ICONST_1);
        m.visitInsn(IADD);
        end(m);
    }

    /** {@code super(); try { value = 12 / n; } catch (ArithmeticException e) { value = n; }}: a handler behind super() is counted. */
    static void plain(ClassWriter c) {
        MethodVisitor m = constructor(c, "S");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
        callSuper(m);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ASTORE, 2);
        m.visitLabel(from);
        m.visitVarInsn(ALOAD, 2);
        Assembly.divide(m, 12);
        m.visitFieldInsn(PUTFIELD, NAME, "value", "I");
        m.visitLabel(to);
        m.visitInsn(RETURN);
        m.visitLabel(handler);
        m.visitInsn(POP);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ILOAD, 1);
        end(m);
    }

    /** {@code for (;;) try { n = 12 / n; break; } catch (Throwable t) { n++; } super(); value = 12 / (n - 6);} */
    static void inLoop(ClassWriter c) {
        MethodVisitor m = constructor(c, "B");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label join = new Label();
        m.visitTryCatchBlock(from, to, handler, null);
        m.visitLabel(from);
        Assembly.divide(m, 12);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(to);
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(handler);
        m.visitInsn(POP);
        m.visitIincInsn(1, 1);
        m.visitJumpInsn(GOTO, from);
        m.visitLabel(join);
        callSuper(m);
        m.visitVarInsn(ALOAD, 0);
        Assembly.push(m, 12);
        m.visitVarInsn(ILOAD, 1);
        Assembly.push(m, 6);
        m.visitInsn(ISUB);
        m.visitInsn(IDIV);
        end(m);
    }

    /**
     * {@code try { try { n = 12 / n; } catch (NullPointerException e) { n = 50; } n = 20 / (n - 6); } catch (ArithmeticException e) { if (n < 5) throw
     * e; n = 7; } super(); value = n;}, the second division covered alone.
     */
    static void escaping(ClassWriter c) {
        MethodVisitor m = constructor(c, "C");
        Label from = new Label();
        Label to = new Label();
        Label behind = new Label();
        Label none = new Label();
        Label handler = new Label();
        Label kept = new Label();
        Label join = new Label();
        m.visitTryCatchBlock(from, to, none, "java/lang/NullPointerException");
        m.visitTryCatchBlock(to, behind, handler, "java/lang/ArithmeticException");
        m.visitLabel(from);
        Assembly.divide(m, 12);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(to);
        Assembly.push(m, 20);
        m.visitVarInsn(ILOAD, 1);
        Assembly.push(m, 6);
        m.visitInsn(ISUB);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(behind);
        m.visitJumpInsn(GOTO, join);
        m.visitLabel(none);
        m.visitInsn(POP);
        Assembly.push(m, 50);
        m.visitVarInsn(ISTORE, 1);
        m.visitJumpInsn(GOTO, to);
        m.visitLabel(handler);
        m.visitVarInsn(ILOAD, 1);
        Assembly.push(m, 5);
        m.visitJumpInsn(IF_ICMPGE, kept);
        m.visitInsn(ATHROW);
        m.visitLabel(kept);
        m.visitInsn(POP);
        Assembly.push(m, 7);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(join);
        callSuper(m);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ILOAD, 1);
        end(m);
    }

    /** {@code super(); try { value = 12 / n; } catch (ArithmeticException e) { value = n; }}, then {@code value = 6 / (n - 1)}; the call at the end of the code. */
    static void backwards(ClassWriter c) {
        MethodVisitor m = constructor(c, "Z");
        Label behind = new Label();
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label before = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
        m.visitJumpInsn(GOTO, before);
        m.visitLabel(behind);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ASTORE, 2);
        m.visitLabel(from);
        m.visitVarInsn(ALOAD, 2);
        Assembly.divide(m, 12);
        m.visitFieldInsn(PUTFIELD, NAME, "value", "I");
        m.visitLabel(to);
        m.visitVarInsn(ALOAD, 0);
        Assembly.push(m, 6);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(ICONST_1);
        m.visitInsn(ISUB);
        m.visitInsn(IDIV);
        keep(m);
        m.visitLabel(handler);
        m.visitInsn(POP);
        m.visitVarInsn(ALOAD, 0);
        m.visitVarInsn(ILOAD, 1);
        keep(m);
        m.visitLabel(before);
        callSuper(m);
        m.visitJumpInsn(GOTO, behind);
        Assembly.end(m);
    }

    /** {@code try { n = 12 / n; } catch (Throwable t) { throw t; } throw null;} */
    static void never(ClassWriter c) {
        MethodVisitor m = constructor(c, "D");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, null);
        m.visitLabel(from);
        Assembly.push(m, 12);
        m.visitVarInsn(DLOAD, 1);
        m.visitInsn(D2I);
        m.visitInsn(IDIV);
        m.visitInsn(POP);
        m.visitLabel(to);
        m.visitInsn(ACONST_NULL);
        m.visitLabel(handler);
        m.visitInsn(ATHROW);
        Assembly.end(m);
    }

    /** {@code return new HandlerBeforeSuper((parameter) n).value}. */
    static void made(ClassWriter c, String name, String parameter) {
        MethodVisitor m = Assembly.maker(c, NAME, name, parameter, 0);
        m.visitFieldInsn(GETFIELD, NAME, "value", "I");
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }
}
