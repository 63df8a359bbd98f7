/** Methods that only the runtime calls: readObject, writeObject, readResolve, by reflection from the JDK. */
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

public class Serialized {
    static class Node implements Serializable {
        private static final long serialVersionUID = 1;
        int value;
        transient int doubled;
        Node next;

        Node(int value, Node next) {
            this.value = value; // count: 5
            this.next = next;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject(); // count: 5
            out.writeInt(value * 2); // count: 5
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject(); // count: 5
            doubled = in.readInt(); // count: 4
            if (doubled == 4) { // count: 4
                throw new InvalidObjectException("four"); // count: 1
            }
        }
    }

    enum Unit implements Serializable {
        ONE
    }

    static class Single implements Serializable {
        private static final long serialVersionUID = 1;
        static final Single IT = new Single();

        private Object readResolve() {
            return IT; // count: 1
        }
    }

    static byte[] write(Object o) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // count: 4
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(o); // count: 4
        }
        return bytes.toByteArray();
    }

    static Object read(byte[] b) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b))) {
            return in.readObject(); // count: 4
        }
    }

    public static void main(String[] args) throws Exception {
        Node good = new Node(5, new Node(7, null));
        Node bad = new Node(1, new Node(2, new Node(3, null)));
        Node back = (Node) read(write(good)); // count: 1
        int sum = back.doubled + back.next.doubled;
        try {
            sum += ((Node) read(write(bad))).value; // count: 1
        } catch (InvalidObjectException e) {
            sum += 100; // count: 1
        }
        if (read(write(Unit.ONE)) == Unit.ONE) { // count: 1
            sum += 1000; // count: 1
        }
        if (read(write(Single.IT)) == Single.IT) { // count: 1
            sum += 10000; // count: 1
        }
        System.out.println(sum);
    }
}
