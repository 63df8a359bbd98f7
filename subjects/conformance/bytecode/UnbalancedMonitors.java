import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Monitors left without being entered and entered without being left: returns and unlocks that throw IllegalMonitorStateException. */
public class UnbalancedMonitors implements Opcodes {
    static final String NAME = "UnbalancedMonitors";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V11);
        MethodVisitor m = Assembly.method(c, "exitOnly", "(I)I");
        m.visitTypeInsn(NEW, "java/lang/Object");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        m.visitVarInsn(ASTORE, 1);
        Label skip = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_2);
        m.visitJumpInsn(IF_ICMPLT, skip);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITOREXIT);
        m.visitIincInsn(0, 5);
        m.visitLabel(skip);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        Assembly.end(m);

        m = Assembly.method(c, "enterOnly", "(I)I");
        m.visitTypeInsn(NEW, "java/lang/Object");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        m.visitVarInsn(ASTORE, 1);
        skip = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_2);
        m.visitJumpInsn(IF_ICMPLT, skip);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITORENTER);
        m.visitIincInsn(0, 5);
        m.visitLabel(skip);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN); // throws if the monitor is held
        Assembly.end(m);

        // The same, with a handler over the return.
        m = Assembly.method(c, "caughtAtReturn", "(I)I");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/IllegalMonitorStateException");
        m.visitTypeInsn(NEW, "java/lang/Object");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        m.visitVarInsn(ASTORE, 1);
        skip = new Label();
        m.visitLabel(from);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_2);
        m.visitJumpInsn(IF_ICMPLT, skip);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITORENTER);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITOREXIT);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_3);
        m.visitJumpInsn(IF_ICMPLE, skip);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITORENTER);
        m.visitLabel(skip);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitLabel(to);
        m.visitLabel(handler);
        m.visitInsn(POP);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(POP);
        Assembly.push(m, 77);
        m.visitInsn(IRETURN);
        Assembly.end(m);
        Assembly.main(c, NAME, 5, "exitOnly", "enterOnly", "caughtAtReturn");
        Assembly.finish(c, folder, NAME);
    }
}
