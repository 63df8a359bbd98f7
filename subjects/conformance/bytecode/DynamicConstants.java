import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Constants and call sites whose bootstrap methods run once, or fail: ldc of a dynamic constant is an instruction that throws. */
public class DynamicConstants implements Opcodes {
    static final String NAME = "DynamicConstants";
    static final String LOOKUP = "Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V11);
        bootstraps(c);
        Handle good = new Handle(H_INVOKESTATIC, NAME, "good", "(" + LOOKUP + "Ljava/lang/Class;)Ljava/lang/Object;", false);
        Handle bad = new Handle(H_INVOKESTATIC, NAME, "bad", "(" + LOOKUP + "Ljava/lang/Class;)Ljava/lang/Object;", false);
        Handle site = new Handle(H_INVOKESTATIC, NAME, "site",
            "(" + LOOKUP + "Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;", false);
        constant(c, "fine", new ConstantDynamic("k", "Ljava/lang/Integer;", good));
        constant(c, "broken", new ConstantDynamic("k", "Ljava/lang/Integer;", bad));

        MethodVisitor m = Assembly.method(c, "siteFails", "(I)I");
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/BootstrapMethodError");
        m.visitIincInsn(0, 1);
        m.visitLabel(from);
        m.visitVarInsn(ILOAD, 0);
        m.visitInvokeDynamicInsn("run", "(I)I", site);
        m.visitInsn(IRETURN);
        m.visitLabel(to);
        m.visitLabel(handler);
        m.visitInsn(POP);
        Assembly.push(m, 50);
        m.visitInsn(IRETURN);
        Assembly.end(m);
        Assembly.main(c, NAME, 4, "fine", "broken", "siteFails");
        Assembly.finish(c, folder, NAME);
    }

    /** {@code n++; return n + ldc}, with an ldc of one word and one of two. */
    static void constant(ClassWriter c, String name, ConstantDynamic value) {
        MethodVisitor m = Assembly.method(c, name, "(I)I");
        m.visitIincInsn(0, 1);
        m.visitVarInsn(ILOAD, 0);
        m.visitLdcInsn(value);
        m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/Integer", "intValue", "()I", false);
        m.visitInsn(IADD);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    static void bootstraps(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "good", "(" + LOOKUP + "Ljava/lang/Class;)Ljava/lang/Object;");
        Assembly.push(m, 40);
        m.visitMethodInsn(INVOKESTATIC, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", false);
        m.visitInsn(ARETURN);
        Assembly.end(m);
        m = Assembly.method(c, "bad", "(" + LOOKUP + "Ljava/lang/Class;)Ljava/lang/Object;");
        m.visitTypeInsn(NEW, "java/lang/IllegalStateException");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V", false);
        m.visitInsn(ATHROW);
        Assembly.end(m);
        m = Assembly.method(c, "site", "(" + LOOKUP + "Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;");
        m.visitInsn(ACONST_NULL);
        m.visitInsn(ARETURN);
        Assembly.end(m);
    }
}
