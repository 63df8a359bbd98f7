import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Every opcode but those of subroutines, each executed: short and long forms, all constants, conversions, comparisons and stack moves. */
public class AllOpcodes implements Opcodes {
    static final String NAME = "AllOpcodes";

    static void write(Path folder) throws Exception {
        ClassWriter c = Assembly.start(NAME, V11);
        c.visitField(ACC_STATIC, "s", "I", null, null).visitEnd();
        c.visitField(0, "f", "J", null, null).visitEnd();
        constants(c);
        locals(c);
        arrays(c);
        stack(c);
        arithmetic(c);
        branches(c);
        objects(c);
        far(c);
        wide(c);
        String[] all = {"constants", "locals", "arrays", "stack", "arithmetic", "branches", "objects", "far", "wide"};
        Assembly.main(c, NAME, 4, all);
        Assembly.finish(c, folder, NAME);
    }

    static MethodVisitor function(ClassWriter c, String name) {
        return Assembly.method(c, name, "(I)I");
    }

    static void giveBack(MethodVisitor m) {
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
        Assembly.end(m);
    }

    static void drop(MethodVisitor m, boolean two) {
        m.visitInsn(two ? POP2 : POP);
    }

    static void constants(ClassWriter c) {
        MethodVisitor m = function(c, "constants");
        m.visitInsn(NOP);
        for (int o = ACONST_NULL; o <= DCONST_1; o++) {
            m.visitInsn(o);
            drop(m, o == LCONST_0 || o == LCONST_1 || o == DCONST_0 || o == DCONST_1);
        }
        Assembly.push(m, 100);
        m.visitInsn(POP);
        Assembly.push(m, 1000);
        m.visitInsn(POP);
        for (Object o : new Object[] {70000, 1.5f, "text", Type.getObjectType("java/lang/String"), Type.getMethodType("()V")}) {
            m.visitLdcInsn(o);
            m.visitInsn(POP);
        }
        // So many strings that the constants behind them have indices of two bytes: ldc_w.
        for (int i = 0; i < 260; i++) {
            m.visitLdcInsn("constant" + i);
            m.visitInsn(POP);
        }
        m.visitLdcInsn(5000000000L);
        m.visitInsn(POP2);
        m.visitLdcInsn(2.75);
        m.visitInsn(POP2);
        giveBack(m);
    }

    static void locals(ClassWriter c) {
        MethodVisitor m = function(c, "locals");
        int[] loads = {ILOAD, LLOAD, FLOAD, DLOAD, ALOAD};
        int[] ones = {ICONST_1, LCONST_1, FCONST_1, DCONST_1, ACONST_NULL};
        for (int type = 0; type < 5; type++) {
            int width = type == 1 || type == 3 ? 2 : 1;
            for (int slot = type == 0 ? 1 : 0; slot < 6; slot++) {
                if (slot == 0) {
                    continue; // the parameter
                }
                m.visitInsn(ones[type]);
                m.visitVarInsn(loads[type] + (ISTORE - ILOAD), slot);
                m.visitVarInsn(loads[type], slot);
                drop(m, width == 2);
            }
        }
        m.visitIincInsn(0, 3);
        giveBack(m);
        for (int type = 1; type < 5; type++) {
            slotZero(c, "zero" + type, loads[type], ones[type]);
        }
    }

    /** A method without parameters whose slot 0 holds a value of another type. */
    static void slotZero(ClassWriter c, String name, int load, int one) {
        MethodVisitor m = Assembly.method(c, name, "()V");
        m.visitInsn(one);
        m.visitVarInsn(load + (ISTORE - ILOAD), 0);
        m.visitVarInsn(load, 0);
        drop(m, load == LLOAD || load == DLOAD);
        m.visitInsn(RETURN);
        Assembly.end(m);
    }

    static void arrays(ClassWriter c) {
        MethodVisitor m = function(c, "arrays");
        int[] kinds = {T_INT, T_LONG, T_FLOAT, T_DOUBLE, -1, T_BYTE, T_CHAR, T_SHORT, T_BOOLEAN};
        int[] ones = {ICONST_1, LCONST_1, FCONST_1, DCONST_1, ACONST_NULL, ICONST_1, ICONST_1, ICONST_1, ICONST_1};
        int[] loads = {IALOAD, LALOAD, FALOAD, DALOAD, AALOAD, BALOAD, CALOAD, SALOAD, BALOAD};
        for (int i = 0; i < kinds.length; i++) {
            Assembly.push(m, 3);
            if (kinds[i] < 0) {
                m.visitTypeInsn(ANEWARRAY, "java/lang/String");
            } else {
                m.visitIntInsn(NEWARRAY, kinds[i]);
            }
            m.visitInsn(DUP);
            m.visitVarInsn(ILOAD, 0); // 3 is out of range
            m.visitInsn(ones[i]);
            m.visitInsn(loads[i] + (IASTORE - IALOAD));
            m.visitInsn(DUP);
            m.visitInsn(ARRAYLENGTH);
            m.visitInsn(POP);
            m.visitVarInsn(ILOAD, 0);
            m.visitInsn(loads[i]);
            drop(m, loads[i] == LALOAD || loads[i] == DALOAD);
        }
        Assembly.push(m, 2);
        Assembly.push(m, 3);
        m.visitMultiANewArrayInsn("[[[I", 2);
        m.visitInsn(POP);
        giveBack(m);
    }

    static void stack(ClassWriter c) {
        MethodVisitor m = function(c, "stack");
        int[][] forms = {{DUP, 1, 2}, {DUP_X1, 2, 3}, {DUP_X2, 3, 4}, {DUP2, 2, 4}, {DUP2_X1, 3, 5}, {DUP2_X2, 4, 6}, {SWAP, 2, 2}};
        for (int[] form : forms) {
            for (int i = 0; i < form[1]; i++) {
                m.visitVarInsn(ILOAD, 0);
            }
            m.visitInsn(form[0]);
            for (int i = 1; i < form[2]; i++) {
                m.visitInsn(IADD);
            }
            m.visitVarInsn(ISTORE, 0);
        }
        m.visitInsn(LCONST_1);
        m.visitInsn(DUP2);
        m.visitInsn(POP2);
        m.visitInsn(POP2);
        giveBack(m);
    }

    static void arithmetic(ClassWriter c) {
        MethodVisitor m = function(c, "arithmetic");
        int[] ones = {ICONST_2, LCONST_1, FCONST_2, DCONST_1};
        int[] binary = {IADD, ISUB, IMUL, IDIV, IREM};
        for (int type = 0; type < 4; type++) {
            for (int o : binary) {
                m.visitInsn(ones[type]);
                m.visitInsn(ones[type]);
                m.visitInsn(o + type);
                drop(m, type % 2 == 1);
            }
            m.visitInsn(ones[type]);
            m.visitInsn(INEG + type);
            drop(m, type % 2 == 1);
        }
        for (int type = 0; type < 2; type++) {
            for (int o : new int[] {ISHL, ISHR, IUSHR, IAND, IOR, IXOR}) {
                m.visitInsn(ones[type]);
                m.visitInsn(o <= LUSHR ? ICONST_1 : ones[type]);
                m.visitInsn(o + type);
                drop(m, type == 1);
            }
        }
        // i2l i2f i2d, l2i l2f l2d, f2i f2l f2d, d2i d2l d2f
        for (int from = 0; from < 4; from++) {
            int o = I2L + 3 * from;
            for (int to = 0; to < 4; to++) {
                if (to != from) {
                    m.visitInsn(ones[from]);
                    m.visitInsn(o++);
                    drop(m, to % 2 == 1);
                }
            }
        }
        for (int o = I2B; o <= I2S; o++) {
            m.visitInsn(ICONST_M1);
            m.visitInsn(o);
            m.visitInsn(POP);
        }
        int[][] compare = {{LCMP, LCONST_1}, {FCMPL, FCONST_1}, {FCMPG, FCONST_1}, {DCMPL, DCONST_0}, {DCMPG, DCONST_0}};
        for (int[] form : compare) {
            m.visitInsn(form[1]);
            m.visitInsn(form[1]);
            m.visitInsn(form[0]);
            m.visitInsn(POP);
        }
        // Division by what may be zero: by 0 when called with 2.
        Assembly.push(m, 12);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_2);
        m.visitInsn(ISUB);
        m.visitInsn(IDIV);
        m.visitInsn(POP);
        giveBack(m);
        for (int type = 1; type < 4; type++) {
            MethodVisitor r = Assembly.method(c, "return" + type, "()" + "IJFD".charAt(type));
            r.visitInsn(ones[type]);
            r.visitInsn(IRETURN + type);
            Assembly.end(r);
        }
    }

    static void branches(ClassWriter c) {
        MethodVisitor m = function(c, "branches");
        for (int o = IFEQ; o <= IF_ACMPNE; o++) {
            Label over = new Label();
            if (o >= IF_ACMPEQ) {
                m.visitInsn(ACONST_NULL);
                m.visitInsn(ACONST_NULL);
            } else {
                m.visitVarInsn(ILOAD, 0);
                Assembly.push(m, 2);
                if (o < IF_ICMPEQ) {
                    m.visitInsn(ISUB);
                }
            }
            m.visitJumpInsn(o, over);
            m.visitIincInsn(0, 0);
            m.visitLabel(over);
        }
        for (int o : new int[] {IFNULL, IFNONNULL}) {
            Label over = new Label();
            m.visitInsn(ACONST_NULL);
            m.visitJumpInsn(o, over);
            m.visitInsn(NOP);
            m.visitLabel(over);
        }
        Label[] cases = {new Label(), new Label(), new Label()};
        Label other = new Label();
        Label end = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitTableSwitchInsn(0, 2, other, cases);
        for (Label label : cases) {
            m.visitLabel(label);
            m.visitIincInsn(0, 1);
        }
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(other);
        m.visitIincInsn(0, 100);
        m.visitLabel(end);
        Label one = new Label();
        Label two = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitLookupSwitchInsn(two, new int[] {Integer.MIN_VALUE, 3, 103}, new Label[] {one, one, two});
        m.visitLabel(one);
        m.visitIincInsn(0, 7);
        m.visitLabel(two);
        giveBack(m);
    }

    static void objects(ClassWriter c) {
        MethodVisitor m = function(c, "objects");
        for (int type = 1; type < 5; type++) {
            m.visitMethodInsn(INVOKESTATIC, NAME, "zero" + type, "()V", false);
        }
        for (int type = 1; type < 4; type++) {
            m.visitMethodInsn(INVOKESTATIC, NAME, "return" + type, "()" + "IJFD".charAt(type), false);
            drop(m, type % 2 == 1);
        }
        m.visitVarInsn(ILOAD, 0);
        m.visitFieldInsn(PUTSTATIC, NAME, "s", "I");
        m.visitFieldInsn(GETSTATIC, NAME, "s", "I");
        m.visitInsn(POP);
        m.visitTypeInsn(NEW, NAME);
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, NAME, "<init>", "()V", false);
        m.visitVarInsn(ASTORE, 1);
        m.visitVarInsn(ALOAD, 1);
        m.visitLdcInsn(9L);
        m.visitFieldInsn(PUTFIELD, NAME, "f", "J");
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, NAME, "f", "J");
        m.visitInsn(POP2);
        m.visitVarInsn(ALOAD, 1);
        m.visitMethodInsn(INVOKEVIRTUAL, "java/lang/Object", "hashCode", "()I", false);
        m.visitInsn(POP);
        m.visitLdcInsn("word");
        m.visitTypeInsn(CHECKCAST, "java/lang/CharSequence");
        m.visitInsn(DUP);
        m.visitTypeInsn(INSTANCEOF, "java/lang/String");
        m.visitInsn(POP);
        m.visitMethodInsn(INVOKEINTERFACE, "java/lang/CharSequence", "length", "()I", true);
        m.visitInsn(POP);
        Handle bootstrap = new Handle(H_INVOKESTATIC, "java/lang/invoke/StringConcatFactory", "makeConcatWithConstants",
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/String;"
            + "[Ljava/lang/Object;)Ljava/lang/invoke/CallSite;", false);
        m.visitVarInsn(ILOAD, 0);
        m.visitInvokeDynamicInsn("join", "(I)Ljava/lang/String;", bootstrap, "n=\u0001");
        m.visitInsn(POP);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITORENTER);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITOREXIT);
        Label fine = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(ICONST_3);
        m.visitJumpInsn(IF_ICMPNE, fine);
        m.visitTypeInsn(NEW, "java/lang/IllegalStateException");
        m.visitInsn(DUP);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/IllegalStateException", "<init>", "()V", false);
        m.visitInsn(ATHROW);
        m.visitLabel(fine);
        m.visitMethodInsn(INVOKESTATIC, NAME, "self", "()Ljava/lang/Object;", false);
        m.visitInsn(POP);
        giveBack(m);
        MethodVisitor self = Assembly.method(c, "self", "()Ljava/lang/Object;");
        self.visitInsn(ACONST_NULL);
        self.visitInsn(ARETURN);
        Assembly.end(self);
    }

    /** Jumps over 40,000 bytes: goto_w, and conditional branches that need an island. */
    static void far(ClassWriter c) {
        MethodVisitor m = function(c, "far");
        Label end = new Label();
        Label body = new Label();
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFNE, body);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(body);
        for (int i = 0; i < 13000; i++) {
            m.visitIincInsn(0, 1);
        }
        m.visitLabel(end);
        giveBack(m);
    }

    /** Slots above 255 and increments of two bytes. */
    static void wide(ClassWriter c) {
        MethodVisitor m = function(c, "wide");
        int[] ones = {ICONST_1, LCONST_1, FCONST_1, DCONST_1, ACONST_NULL};
        for (int type = 0; type < 5; type++) {
            int slot = 300 + 10 * type;
            m.visitInsn(ones[type]);
            m.visitVarInsn(ISTORE + type, slot);
            m.visitVarInsn(ILOAD + type, slot);
            drop(m, type == 1 || type == 3);
        }
        m.visitIincInsn(300, 1000);
        m.visitIincInsn(0, -1000);
        giveBack(m);
    }
}
