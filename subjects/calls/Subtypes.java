import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Of the classes of the JDK that a file names, a line each: the numbers of those that are its supertypes, itself included, by reflection. */
public class Subtypes {
    public static void main(String[] args) throws Exception {
        List<String> names = Files.readAllLines(Path.of(args[0]));
        Class<?>[] classes = new Class<?>[names.size()];
        for (int i = 0; i < classes.length; i++) classes[i] = Class.forName(names.get(i), false, null);
        StringBuilder lines = new StringBuilder();
        for (Class<?> below : classes) {
            for (int i = 0; i < classes.length; i++) if (classes[i].isAssignableFrom(below)) lines.append(i).append(' ');
            lines.append('\n');
        }
        System.out.print(lines);
    }
}
