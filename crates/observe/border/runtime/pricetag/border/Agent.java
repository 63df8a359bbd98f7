package pricetag.border;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Sends each class of the component to Pricetag while it is loaded, and gets it back with probes at the component's border.
 *
 * The argument is a file with one setting a line: port, token, where the calls are written, the component as a regular expression over names with dots, and
 * whether calls of files and sockets count.
 */
public final class Agent implements ClassFileTransformer {
    /** Loads what belongs to the JDK, as the boot loader does: none of it is a component. */
    private static final ClassLoader PLATFORM = ClassLoader.getSystemClassLoader().getParent();

    private final DataOutputStream out;
    private final DataInputStream in;
    private final Pattern component;

    private Agent(Socket socket, Pattern component) throws IOException {
        this.out = new DataOutputStream(new java.io.BufferedOutputStream(socket.getOutputStream()));
        this.in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
        this.component = component;
    }

    public static void premain(String argument, Instrumentation instrumentation) {
        try {
            List<String> settings = Files.readAllLines(Paths.get(argument), StandardCharsets.UTF_8);
            int port = Integer.parseInt(settings.get(0));
            Pattern component = Pattern.compile(settings.get(3));
            Targets.component = component;
            Targets.resources = settings.get(4).equals("resources");
            Border.warm();
            Agent agent = new Agent(new Socket(InetAddress.getLoopbackAddress(), port), component);
            agent.out.writeUTF(settings.get(1));
            agent.out.flush();
            if (agent.in.readInt() != 1) {
                throw new IOException("Pricetag does not answer");
            }
            Log.open(settings.get(2));
            instrumentation.addTransformer(agent);
        } catch (Throwable failure) {
            System.err.println("pricetag: " + failure + "; the program runs unobserved");
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (name == null || redefined != null || loader == null || loader == PLATFORM || name.startsWith("pricetag/border/") || name.contains("$$Lambda")) {
            return null;
        }
        if (!component.matcher(name.replace('/', '.')).matches()) {
            return null;
        }
        try {
            boolean found = Class.forName("pricetag.border.Border", false, loader) == Border.class;
            return ask(found, bytes);
        } catch (Throwable failure) {
            System.err.println("pricetag: class " + name.replace('/', '.') + " is not observed: " + failure);
            return null;
        }
    }

    /** One class at a time. */
    private synchronized byte[] ask(boolean found, byte[] bytes) throws IOException {
        out.writeByte(found ? 1 : 0);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
        int sites = in.readInt();
        for (int i = 0; i < sites; i++) {
            int id = in.readInt();
            Targets.add(id, in.readUTF(), in.readUTF(), in.readUTF(), in.readByte() != 0);
        }
        int length = in.readInt();
        if (length == 0) {
            return null;
        }
        byte[] changed = new byte[length];
        in.readFully(changed);
        return changed;
    }
}
