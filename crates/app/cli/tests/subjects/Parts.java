import java.nio.file.*;

/** Does its work in classes beside the main one: as many rounds as its input says. */
public class Parts {
    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(Files.readString(Path.of(args[0])).trim());
        Work work = rounds % 2 == 0 ? new Even() : new Odd();
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += work.step(i);
        }
        System.out.println(sum);
    }

    interface Work {
        long step(int i);
    }

    static class Even implements Work {
        public long step(int i) {
            try {
                return 12 / (i % 3);
            } catch (ArithmeticException e) {
                return -1;
            }
        }
    }

    static class Odd implements Work {
        public long step(int i) {
            long sum = 0;
            for (int k = 0; k < i; k++) {
                sum += k;
            }
            return sum;
        }
    }
}
