import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sorting two ways, writing a file, and sleeping, in combinations the workload chooses. */
public class Sorting {
    static File target;

    static int func1(int n) {
        int a;
        if (n > 5) {
            a = 17;
            func6();
            a = (int) (a / 3.14);
            a += n;
        } else {
            a = 71;
            func7();
            a = (int) (a / 3.14);
            a += n;
        }
        return a;
    }

    static int func2(int n) {
        int x = n * n;
        x += n;
        int[] a = array();
        if (n > 5) {
            bubbleSort(a);
        } else {
            quickSort(a, 0, a.length - 1);
        }
        return x + a[0];
    }

    static void func3(int n) throws IOException {
        try (BufferedWriter out = new BufferedWriter(new FileWriter(target))) {
            for (int i = 0; i < n; i++) {
                out.write(i + "\n");
            }
        }
    }

    static void func4() {
        func5();
    }

    static void func5() {
        Exactly.sleep(100);
    }

    static void func6() {
        Exactly.sleep(20);
    }

    static void func7() {
        Exactly.sleep(20);
    }

    /** 200 numbers in an order that neither algorithm likes best. */
    static int[] array() {
        int[] a = new int[200];
        int state = 12345;
        for (int i = 0; i < a.length; i++) {
            state = state * 1103515245 + 12345;
            a[i] = (state >>> 16) % 1000;
        }
        return a;
    }

    static void bubbleSort(int[] a) {
        for (int i = 0; i < a.length; i++) {
            for (int j = 1; j < a.length - i; j++) {
                if (a[j - 1] > a[j]) {
                    int t = a[j];
                    a[j] = a[j - 1];
                    a[j - 1] = t;
                }
            }
        }
    }

    static void quickSort(int[] a, int low, int high) {
        if (low >= high) {
            return;
        }
        int pivot = a[low + (high - low) / 2];
        int i = low;
        int j = high;
        while (i <= j) {
            while (a[i] < pivot) {
                i++;
            }
            while (a[j] > pivot) {
                j--;
            }
            if (i <= j) {
                int t = a[i];
                a[i] = a[j];
                a[j] = t;
                i++;
                j--;
            }
        }
        quickSort(a, low, j);
        quickSort(a, i, high);
    }

    /** How often each of the four entry points runs, and with which argument. */
    static int run(int n, int calls1, int calls2, int calls3, int calls4) throws IOException {
        int sum = 0;
        for (int i = 0; i < calls1; i++) {
            sum += func1(n);
        }
        for (int i = 0; i < calls2; i++) {
            sum += func2(n);
        }
        for (int i = 0; i < calls3; i++) {
            func3(n);
        }
        for (int i = 0; i < calls4; i++) {
            func4();
        }
        return sum;
    }

    public static void main(String[] args) throws IOException {
        target = File.createTempFile("sorting", ".txt");
        target.deleteOnExit();
        int sum = 0;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] w = line.trim().split(" ");
            sum += run(Integer.parseInt(w[0]), Integer.parseInt(w[1]), Integer.parseInt(w[2]),
                    Integer.parseInt(w[3]), Integer.parseInt(w[4]));
        }
        System.out.println(sum);
    }
}
