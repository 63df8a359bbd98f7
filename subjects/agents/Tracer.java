import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent as others write them: calls {@link #hit} at the start of every method of the classes whose names begin with its first
 * argument. Second argument: {@code trace} does only that; {@code redefine} and {@code retransform} do that to all these classes
 * again when 20 methods have been entered, while they run.
 */
public final class Tracer implements ClassFileTransformer {
    private static final int ENOUGH = 20;
    private static volatile int hits;
    private static Instrumentation instrumentation;
    private static String prefix;
    private static String what;
    private static boolean done;

    public static void premain(String arguments, Instrumentation i) {
        instrumentation = i;
        prefix = arguments.substring(0, arguments.indexOf(','));
        what = arguments.substring(arguments.indexOf(',') + 1);
        i.addTransformer(new Tracer(), what.equals("retransform"));
    }

    /** A method was entered. */
    public static void hit() {
        if (++hits >= ENOUGH && !what.equals("trace")) {
            again();
        }
    }

    private static synchronized void again() {
        if (done) {
            return;
        }
        done = true;
        try {
            for (Class<?> c : instrumentation.getAllLoadedClasses()) {
                if (!mine(c.getName()) || c.isArray() || !instrumentation.isModifiableClass(c)) {
                    continue;
                }
                if (what.equals("retransform")) {
                    instrumentation.retransformClasses(c);
                } else {
                    instrumentation.redefineClasses(new ClassDefinition(c, original(c)));
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean mine(String name) {
        return name.equals(prefix) || name.startsWith(prefix + "$");
    }

    private static byte[] original(Class<?> c) throws Exception {
        try (InputStream in = c.getResourceAsStream("/" + c.getName().replace('.', '/') + ".class")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (name == null || !mine(name)) {
            return null;
        }
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] exceptions) {
                MethodVisitor inner = super.visitMethod(access, method, descriptor, signature, exceptions);
                return new MethodVisitor(Opcodes.ASM9, inner) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, "Tracer", "hit", "()V", false);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }
}
