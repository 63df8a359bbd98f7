import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A tracer as one writes it on an afternoon, the peer of scripts/calls-cost.sh: a call at the start of every method, which looks up a number for the receiver's class and the
 * method and writes it to a buffered stream, one thread at a time. Arguments: the packages or classes to trace, as the beginning of their internal names, and the file.
 */
public final class NaiveTracer implements ClassFileTransformer {
    private static final int BUFFER = 1 << 20;
    private static final Map<Class<?>, Map<String, Integer>> numbers = new HashMap<>();
    private static int next;
    private static long events;
    private static DataOutputStream out;
    private static String prefix;

    public static void premain(String arguments, Instrumentation instrumentation) throws IOException {
        prefix = arguments.substring(0, arguments.indexOf(','));
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(arguments.substring(arguments.indexOf(',') + 1)), BUFFER));
        instrumentation.addTransformer(new NaiveTracer());
        Runtime.getRuntime().addShutdownHook(new Thread(NaiveTracer::end));
    }

    /** A method was entered; a static one or a constructor without an object. */
    public static void entered(Object receiver, String method) {
        Class<?> of = receiver == null ? null : receiver.getClass();
        synchronized (numbers) {
            Map<String, Integer> methods = numbers.get(of);
            if (methods == null) numbers.put(of, methods = new HashMap<>());
            Integer number = methods.get(method);
            if (number == null) methods.put(method, number = next++);
            events++;
            try {
                out.writeInt(number);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void end() {
        synchronized (numbers) {
            try {
                out.flush();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            System.err.println("traced " + events);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (name == null || !name.startsWith(prefix)) return null;
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] exceptions) {
                MethodVisitor inner = super.visitMethod(access, method, descriptor, signature, exceptions);
                boolean receiver = (access & Opcodes.ACC_STATIC) == 0 && !method.equals("<init>");
                return new MethodVisitor(Opcodes.ASM9, inner) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        if (receiver) super.visitVarInsn(Opcodes.ALOAD, 0);
                        else super.visitInsn(Opcodes.ACONST_NULL);
                        super.visitLdcInsn(name + "." + method + descriptor);
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, "NaiveTracer", "entered", "(Ljava/lang/Object;Ljava/lang/String;)V", false);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }
}
