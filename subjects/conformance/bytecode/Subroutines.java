import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Subroutines as compilers made them for finally before Java 6, and as none made them: jsr, ret and jsr_w. */
public class Subroutines implements Opcodes {
    static void write(Path folder) throws Exception {
        write(folder, "Subroutines", V1_5);
    }

    static void write(Path folder, String name, int version) throws Exception {
        ClassWriter c = Assembly.start(name, version);
        shared(c);
        nested(c);
        looped(c);
        around(c);
        guarded(c);
        handled(c);
        leaving(c);
        outward(c);
        wide(c);
        locked(c);
        reused(c);
        Assembly.main(c, name, 7, "shared", "nested", "looped", "around", "guarded", "handled", "leaving", "outward", "wide", "locked", "reused");
        Assembly.finish(c, folder, name);
    }

    /** Called from two places, one of which is jumped to as well. */
    private static void shared(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "shared", "(I)I");
        Label begin = new Label();
        Label subroutine = new Label();
        Label second = new Label();
        Label end = new Label();
        m.visitLabel(begin);
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFEQ, second);
        m.visitJumpInsn(JSR, subroutine);
        m.visitLabel(second);
        m.visitJumpInsn(JSR, subroutine);
        result(m);
        adding(m, subroutine, 1, 10);
        m.visitLabel(end);
        // A debug table that is wrong: the variable only ever holds addresses.
        m.visitLocalVariable("numbers", "[I", null, begin, end, 1);
        Assembly.end(m);
    }

    /** One subroutine calls another. */
    private static void nested(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "nested", "(I)I");
        Label outer = new Label();
        Label inner = new Label();
        m.visitJumpInsn(JSR, outer);
        m.visitJumpInsn(JSR, outer);
        result(m);
        m.visitLabel(outer);
        m.visitVarInsn(ASTORE, 1);
        m.visitJumpInsn(JSR, inner);
        m.visitIincInsn(0, 100);
        m.visitVarInsn(RET, 1);
        adding(m, inner, 2, 1);
        Assembly.end(m);
    }

    /** The only call, in a loop; a loop in the subroutine. */
    private static void looped(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "looped", "(I)I");
        Label subroutine = new Label();
        Label loop = new Label();
        Label inner = new Label();
        Label back = new Label();
        Assembly.push(m, 4);
        m.visitVarInsn(ISTORE, 1);
        m.visitLabel(loop);
        m.visitJumpInsn(JSR, subroutine);
        m.visitIincInsn(1, -1);
        m.visitVarInsn(ILOAD, 1);
        m.visitJumpInsn(IFGT, loop);
        result(m);
        m.visitLabel(subroutine);
        m.visitVarInsn(ASTORE, 2);
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ISTORE, 3);
        m.visitLabel(inner);
        m.visitVarInsn(ILOAD, 3);
        m.visitJumpInsn(IFLE, back);
        m.visitIincInsn(0, 3);
        m.visitIincInsn(3, -1);
        m.visitJumpInsn(GOTO, inner);
        m.visitLabel(back);
        m.visitVarInsn(RET, 2);
        Assembly.end(m);
    }

    /** What follows the jsr is the head of a loop that the ret closes. */
    private static void around(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "around", "(I)I");
        Label subroutine = new Label();
        Label again = new Label();
        Label head = new Label();
        Label end = new Label();
        Assembly.push(m, 3);
        m.visitVarInsn(ISTORE, 1);
        m.visitJumpInsn(GOTO, head);
        m.visitLabel(again);
        m.visitJumpInsn(JSR, subroutine);
        m.visitLabel(head);
        m.visitIincInsn(1, -1);
        m.visitVarInsn(ILOAD, 1);
        m.visitJumpInsn(IFLT, end);
        m.visitVarInsn(ILOAD, 0);
        m.visitJumpInsn(IFNE, again);
        m.visitJumpInsn(JSR, subroutine);
        m.visitJumpInsn(GOTO, head);
        m.visitLabel(end);
        result(m);
        adding(m, subroutine, 2, 2);
        Assembly.end(m);
    }

    /** try and finally of javac 1.3: the subroutine runs where the body ends, where it returns and where it throws. */
    private static void guarded(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "guarded", "(I)I");
        Label body = new Label();
        Label bodyEnd = new Label();
        Label goesOn = new Label();
        Label handler = new Label();
        Label subroutine = new Label();
        Label end = new Label();
        m.visitTryCatchBlock(body, bodyEnd, handler, null);
        m.visitLabel(body);
        Assembly.push(m, 60);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 1);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 2);
        m.visitJumpInsn(IF_ICMPNE, goesOn);
        m.visitJumpInsn(JSR, subroutine);
        m.visitVarInsn(ILOAD, 1);
        m.visitInsn(IRETURN);
        m.visitLabel(goesOn);
        m.visitJumpInsn(JSR, subroutine);
        m.visitLabel(bodyEnd);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(handler);
        m.visitVarInsn(ASTORE, 2);
        m.visitJumpInsn(JSR, subroutine);
        m.visitVarInsn(ALOAD, 2);
        m.visitInsn(ATHROW);
        m.visitLabel(subroutine);
        m.visitVarInsn(ASTORE, 3);
        m.visitIincInsn(0, -3);
        // Throws out of the method where that has made 0 of 3.
        Assembly.push(m, 7);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IREM);
        m.visitInsn(POP);
        m.visitVarInsn(RET, 3);
        m.visitLabel(end);
        result(m);
        Assembly.end(m);
    }

    /** An exception that is caught within the subroutine. */
    private static void handled(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "handled", "(I)I");
        Label subroutine = new Label();
        Label from = new Label();
        Label to = new Label();
        Label handler = new Label();
        Label back = new Label();
        m.visitTryCatchBlock(from, to, handler, "java/lang/ArithmeticException");
        m.visitJumpInsn(JSR, subroutine);
        m.visitIincInsn(0, -2);
        m.visitJumpInsn(JSR, subroutine);
        result(m);
        m.visitLabel(subroutine);
        m.visitVarInsn(ASTORE, 1);
        m.visitLabel(from);
        Assembly.push(m, 100);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 0);
        m.visitLabel(to);
        m.visitJumpInsn(GOTO, back);
        m.visitLabel(handler);
        m.visitInsn(POP);
        m.visitIincInsn(0, 4);
        m.visitLabel(back);
        m.visitVarInsn(RET, 1);
        Assembly.end(m);
    }

    /** Subroutines that are not come back from: one returns from the method, one jumps out. */
    private static void leaving(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "leaving", "(I)I");
        Label returns = new Label();
        Label jumps = new Label();
        Label away = new Label();
        Label out = new Label();
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 3);
        m.visitJumpInsn(IF_ICMPGT, out);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 1);
        m.visitJumpInsn(IF_ICMPGT, jumps);
        m.visitJumpInsn(JSR, returns);
        m.visitLabel(out);
        m.visitIincInsn(0, 9);
        result(m);
        m.visitLabel(returns);
        m.visitInsn(POP);
        result(m);
        m.visitLabel(jumps);
        m.visitJumpInsn(JSR, away);
        m.visitIincInsn(0, 1);
        result(m);
        m.visitLabel(away);
        m.visitVarInsn(ASTORE, 1);
        m.visitIincInsn(0, 5);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 7);
        m.visitJumpInsn(IF_ICMPEQ, out);
        m.visitVarInsn(RET, 1);
        Assembly.end(m);
    }

    /** The inner subroutine goes straight behind the call of the outer one. */
    private static void outward(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "outward", "(I)I");
        Label outer = new Label();
        Label inner = new Label();
        m.visitJumpInsn(JSR, outer);
        m.visitIincInsn(0, 3);
        result(m);
        m.visitLabel(outer);
        m.visitVarInsn(ASTORE, 1);
        m.visitIincInsn(0, 20);
        m.visitJumpInsn(JSR, inner);
        m.visitLabel(inner);
        m.visitVarInsn(ASTORE, 2);
        m.visitIincInsn(0, 1);
        m.visitVarInsn(RET, 1);
        Assembly.end(m);
    }

    /** The address in a variable that takes two bytes to name. */
    private static void wide(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "wide", "(I)I");
        Label subroutine = new Label();
        Label end = new Label();
        m.visitJumpInsn(JSR, subroutine);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 13);
        m.visitJumpInsn(IF_ICMPGT, end);
        m.visitJumpInsn(JSR, subroutine);
        m.visitLabel(end);
        result(m);
        adding(m, subroutine, 300, 10);
        Assembly.end(m);
    }

    /** synchronized of javac 1.3: the subroutine releases the monitor. */
    private static void locked(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "locked", "(I)I");
        Label body = new Label();
        Label bodyEnd = new Label();
        Label handler = new Label();
        Label handlerEnd = new Label();
        Label release = new Label();
        Label end = new Label();
        m.visitTryCatchBlock(body, bodyEnd, handler, null);
        m.visitTryCatchBlock(handler, handlerEnd, handler, null);
        m.visitLdcInsn("lock");
        m.visitInsn(DUP);
        m.visitVarInsn(ASTORE, 1);
        m.visitInsn(MONITORENTER);
        m.visitLabel(body);
        Assembly.push(m, 12);
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IDIV);
        m.visitVarInsn(ISTORE, 0);
        m.visitJumpInsn(JSR, release);
        m.visitLabel(bodyEnd);
        m.visitJumpInsn(GOTO, end);
        m.visitLabel(handler);
        m.visitVarInsn(ASTORE, 2);
        m.visitJumpInsn(JSR, release);
        m.visitLabel(handlerEnd);
        m.visitVarInsn(ALOAD, 2);
        m.visitInsn(ATHROW);
        m.visitLabel(release);
        m.visitVarInsn(ASTORE, 3);
        m.visitVarInsn(ALOAD, 1);
        m.visitInsn(MONITOREXIT);
        m.visitVarInsn(RET, 3);
        m.visitLabel(end);
        result(m);
        Assembly.end(m);
    }

    /** One variable for the addresses of two subroutines, and for a number in between. */
    private static void reused(ClassWriter c) {
        MethodVisitor m = Assembly.method(c, "reused", "(I)I");
        Label first = new Label();
        Label second = new Label();
        Label end = new Label();
        m.visitJumpInsn(JSR, first);
        m.visitVarInsn(ILOAD, 0);
        m.visitVarInsn(ISTORE, 1);
        m.visitIincInsn(1, 2);
        m.visitVarInsn(ILOAD, 1);
        m.visitVarInsn(ISTORE, 0);
        m.visitJumpInsn(JSR, second);
        m.visitVarInsn(ILOAD, 0);
        Assembly.push(m, 30);
        m.visitJumpInsn(IF_ICMPGT, end);
        m.visitJumpInsn(JSR, first);
        m.visitLabel(end);
        result(m);
        adding(m, first, 1, 10);
        adding(m, second, 1, 15);
        Assembly.end(m);
    }

    private static void result(MethodVisitor m) {
        m.visitVarInsn(ILOAD, 0);
        m.visitInsn(IRETURN);
    }

    /** A subroutine that keeps its return address in a variable and adds to the argument. */
    private static void adding(MethodVisitor m, Label subroutine, int address, int amount) {
        m.visitLabel(subroutine);
        m.visitVarInsn(ASTORE, address);
        m.visitIincInsn(0, amount);
        m.visitVarInsn(RET, address);
    }
}
