import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Constructors with an exception handler around the call of {@code super()} itself: verifiers of class files before version 50 permit them if they throw on. */
public class HandlerAroundSuper implements Opcodes {
    static final String NAME = "HandlerAroundSuper";
    static final String LIST = "java/util/ArrayList";

    static void write(Path folder) throws Exception {
        ClassWriter c = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        c.visit(V1_5, ACC_PUBLIC | ACC_SUPER, NAME, null, LIST, null);
        around(c, "I");
        around(c, "S");
        made(c, "called", "I");
        made(c, "calledBehindMore", "S");
        Assembly.main(c, NAME, 5, "called", "calledBehindMore");
        Assembly.finish(c, folder, NAME);
    }

    /** {@code try { super(n); } catch (Throwable t) { throw t; } 12 / n;}; with a {@code short}, {@code super(12 / n)}. */
    static void around(ClassWriter c, String parameter) {
        MethodVisitor m = c.visitMethod(ACC_PUBLIC, "<init>", "(" + parameter + ")V", null, null);
        m.visitCode();
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/Throwable");
        m.visitLabel(from);
        m.visitVarInsn(ALOAD, 0);
        if (parameter.equals("S")) {
            Assembly.divide(m, 12);
        } else {
            m.visitVarInsn(ILOAD, 1);
        }
        m.visitMethodInsn(INVOKESPECIAL, LIST, "<init>", "(I)V", false);
        m.visitLabel(to);
        Assembly.divide(m, 12);
        m.visitInsn(POP);
        m.visitInsn(RETURN);
        m.visitLabel(handler);
        m.visitInsn(ATHROW);
        Assembly.end(m);
    }

    /** {@code return new HandlerAroundSuper((parameter) (n - 2)).size() + n}. */
    static void made(ClassWriter c, String name, String parameter) {
        MethodVisitor m = Assembly.maker(c, NAME, name, parameter, 2);
        m.visitMethodInsn(INVOKEVIRTUAL, NAME, "size", "()I", false);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IADD);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }
}
