import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Subroutines as compilers made them for finally before Java 6: jsr, ret and jsr_w. Their methods run uncounted and are listed; others of the class count. */
// uncounted: shared, nested, distant
public class Subroutines implements Opcodes {
    static final String NAME = "Subroutines";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V1_5);
        MethodVisitor m = Assembly.method(c, "plain", "(I)I");
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(INEG);
        m.visitInsn(IRETURN);
        Assembly.end(m);

        m = Assembly.method(c, "shared", "(I)I");
        Label subroutine = new Label();
        Label second = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFEQ, second);
        m.visitJumpInsn(JSR, subroutine);
        m.visitLabel(second);
        m.visitJumpInsn(JSR, subroutine);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitLabel(subroutine);
        m.visitVarInsn(ASTORE, 1);
        m.visitIincInsn(0, 10);
        m.visitVarInsn(RET, 1);
        Assembly.end(m);

        m = Assembly.method(c, "nested", "(I)I");
        Label outer = new Label();
        Label inner = new Label();
        m.visitJumpInsn(JSR, outer);
        m.visitJumpInsn(JSR, outer);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitLabel(outer);
        m.visitVarInsn(ASTORE, 1);
        m.visitJumpInsn(JSR, inner);
        m.visitIincInsn(0, 100);
        m.visitVarInsn(RET, 1);
        m.visitLabel(inner);
        m.visitVarInsn(ASTORE, 2);
        m.visitIincInsn(0, 1);
        m.visitVarInsn(RET, 2);
        Assembly.end(m);

        m = Assembly.method(c, "distant", "(I)I");
        Label far = new Label();
        Label back = new Label();
        m.visitJumpInsn(JSR, far);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitLabel(back);
        for (int i = 0; i < 12000; i++) {
            m.visitIincInsn(0, 1);
        }
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitLabel(far);
        m.visitVarInsn(ASTORE, 1);
        m.visitIincInsn(0, 5);
        m.visitVarInsn(RET, 1);
        Assembly.end(m);

        Assembly.main(c, NAME, 5, "plain", "shared", "nested", "distant");
        Assembly.finish(c, folder, NAME);
    }
}
