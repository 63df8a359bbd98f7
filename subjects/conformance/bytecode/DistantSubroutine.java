import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A subroutine that only jsr_w reaches. */
public class DistantSubroutine implements Opcodes {
    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start("DistantSubroutine", V1_5);
        distant(c);
        Assembly.main(c, "DistantSubroutine", 5, "distant");
        Assembly.finish(c, folder, "DistantSubroutine");
    }

    static void distant(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "distant", "(I)I");
        Label far = new Label();
        Label back = new Label();
        Label end = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFEQ, back);
        m.visitJumpInsn(JSR, far);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(back);
        for (int i = 0; i < 12000; i++) {
            m.visitIincInsn(0, 1);
        }
        m.visitLabel(end);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        m.visitLabel(far);
        m.visitVarInsn(ASTORE, 1);
        m.visitIincInsn(0, 5);
        m.visitVarInsn(RET, 1);
        Assembly.end(m);
    }
}
