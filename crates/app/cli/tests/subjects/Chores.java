import java.nio.file.Files;
import java.nio.file.Path;

/** Small methods of some work each, as often as the input says: none has half of the time, and every block is a place to plant a cost in. */
public class Chores {
    static int[] shuffled(int n, int seed) {
        int[] numbers = new int[n];
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245 + 12345;
            numbers[i] = seed >>> 8;
        }
        return numbers;
    }

    static void sort(int[] numbers) {
        for (int gap = numbers.length / 2; gap > 0; gap /= 2) {
            for (int i = gap; i < numbers.length; i++) {
                int moved = numbers[i], j = i;
                while (j >= gap && numbers[j - gap] > moved) {
                    numbers[j] = numbers[j - gap];
                    j -= gap;
                }
                numbers[j] = moved;
            }
        }
    }

    static int divisors(int n) {
        int found = 0;
        for (int i = 1; i * i <= n; i++) {
            if (n % i == 0) {
                found += i * i == n ? 1 : 2;
            }
        }
        return found;
    }

    static String spelled(int[] numbers) {
        StringBuilder text = new StringBuilder();
        for (int number : numbers) {
            text.append(number % 10 == 0 ? "ten" : Integer.toString(number)).append(' ');
        }
        return text.toString();
    }

    static int words(String text) {
        int count = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); i++) {
            boolean letter = text.charAt(i) != ' ';
            if (letter && !inside) {
                count++;
            }
            inside = letter;
        }
        return count;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(Files.readString(Path.of(args[0])).trim());
        long total = 0;
        for (int round = 0; round < rounds; round++) {
            int[] numbers = shuffled(2000, round);
            sort(numbers);
            total += words(spelled(numbers));
            for (int i = 0; i < 20; i++) {
                total += divisors(numbers[i * 100] % 20_000);
            }
        }
        System.out.println(total);
    }
}
