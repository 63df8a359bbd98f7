import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What generators of class files share. A generator's file is named after the class it writes and has a {@code static void write(Path)}. */
public final class Assembly implements Opcodes {
    private Assembly() {
    }

    /** Runs generators: a folder, then their names. */
    public static void main(String[] args) throws Exception {
        for (int i = 1; i < args.length; i++) {
            Class.forName(args[i]).getDeclaredMethod("write", Path.class).invoke(null, Paths.get(args[0]));
        }
    }

    /** A class whose largest stacks and local variables are computed, and from version 50 on its frames, too. */
    public static ClassWriter start(String name, int version) {
        int compute = (version & 0xffff) < V1_7 ? ClassWriter.COMPUTE_MAXS : ClassWriter.COMPUTE_FRAMES;
        ClassWriter c = new ClassWriter(compute) {
            @Override
            protected String getCommonSuperClass(String a, String b) {
                return "java/lang/Object";
            }
        };
        c.visit(version, ACC_PUBLIC | ACC_SUPER, name, null, "java/lang/Object", null);
        MethodVisitor m = c.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 0);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        m.visitInsn(RETURN);
        m.visitMaxs(0, 0);
        m.visitEnd();
        return c;
    }

    /** A static method. */
    public static MethodVisitor method(ClassWriter c, String name, String descriptor) {
        MethodVisitor m = c.visitMethod(ACC_PUBLIC | ACC_STATIC, name, descriptor, null, null);
        m.visitCode();
        return m;
    }

    /** Ends a method. */
    public static void end(MethodVisitor m) {
        m.visitMaxs(0, 0);
        m.visitEnd();
    }

    /** Pushes a number. */
    public static void push(MethodVisitor m, int n) {
        if (n >= -1 && n <= 5) {
            m.visitInsn(ICONST_0 + n);
        } else if (n == (byte) n) {
            m.visitIntInsn(BIPUSH, n);
        } else if (n == (short) n) {
            m.visitIntInsn(SIPUSH, n);
        } else {
            m.visitLdcInsn(n);
        }
    }

    /** {@code dividend / n} by a constructor's first argument. */
    public static void divide(MethodVisitor m, int dividend) {
        push(m, dividend);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IDIV);
    }

    /** The beginning of a function of {@code int n}: {@code new owner((parameter) (n - less))} is left on the stack. */
    public static MethodVisitor maker(ClassWriter c, String owner, String name, String parameter, int less) {
        MethodVisitor m = method(c, name, "(I)I");
        m.visitTypeInsn(NEW, owner);
        m.visitInsn(DUP);
        m.visitVarInsn(ILOAD, 0);
        if (less > 0) {
            push(m, less);
            m.visitInsn(ISUB);
        }
        int conversion = "JFDBCS".indexOf(parameter);
        if (conversion >= 0) {
            m.visitInsn(conversion < 3 ? I2L + conversion : I2B + conversion - 3);
        }
        m.visitMethodInsn(INVOKESPECIAL, owner, "<init>", "(" + parameter + ")V", false);
        return m;
    }

    /** {@code System.out.println(int)} of what is on the stack. */
    public static void print(MethodVisitor m) {
        m.visitFieldInsn(GETSTATIC, "java/lang/System", "out", "Ljava/io/PrintStream;");
        m.visitInsn(SWAP);
        m.visitMethodInsn(INVOKEVIRTUAL, "java/io/PrintStream", "println", "(I)V", false);
    }

    /** A {@code main} that calls {@code int f(int)} with 0 to {@code times - 1} and prints the sum; what it throws counts as 1000. */
    public static void main(ClassWriter c, String name, int times, String... functions) {
        MethodVisitor m = method(c, "main", "([Ljava/lang/String;)V");
        push(m, 0);
        m.visitVarInsn(ISTORE, 2);
        for (String function : functions) {
            org.objectweb.asm.Label from = new org.objectweb.asm.Label();
            org.objectweb.asm.Label to = new org.objectweb.asm.Label();
            org.objectweb.asm.Label handler = new org.objectweb.asm.Label();
            org.objectweb.asm.Label next = new org.objectweb.asm.Label();
            org.objectweb.asm.Label loop = new org.objectweb.asm.Label();
            m.visitTryCatchBlock(from, to, handler, "java/lang/Throwable");
            push(m, 0);
            m.visitVarInsn(ISTORE, 1);
            m.visitLabel(loop);
            m.visitLabel(from);
            m.visitVarInsn(ILOAD, 2);
            m.visitVarInsn(ILOAD, 1);
            m.visitMethodInsn(INVOKESTATIC, name, function, "(I)I", false);
            m.visitInsn(IADD);
            m.visitVarInsn(ISTORE, 2);
            m.visitLabel(to);
            m.visitJumpInsn(GOTO, next);
            m.visitLabel(handler);
            m.visitInsn(POP);
            m.visitIincInsn(2, 1000);
            m.visitLabel(next);
            m.visitIincInsn(1, 1);
            m.visitVarInsn(ILOAD, 1);
            push(m, times);
            m.visitJumpInsn(IF_ICMPLT, loop);
        }
        m.visitVarInsn(ILOAD, 2);
        print(m);
        m.visitInsn(RETURN);
        end(m);
    }

    /** Writes the class file. */
    public static void finish(ClassWriter c, Path folder, String name) throws java.io.IOException {
        c.visitEnd();
        Files.write(folder.resolve(name + ".class"), c.toByteArray());
    }
}
