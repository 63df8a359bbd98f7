import java.nio.file.Path;
import org.objectweb.asm.Opcodes;

/** Subroutines in the last version of class files that may have them, whose other methods may have stack map frames. */
public class LateSubroutines implements Opcodes {
    static void write(Path folder) throws Exception {
        Subroutines.write(folder, "LateSubroutines", V1_6);
    }
}
