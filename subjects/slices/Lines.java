// The example of Chun et al. 2010 (Mantis), figure 3: how many lines there are does not depend on what is done with each.
// slice: Lines.main(String[]) loop 0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

class Lines {
    static int expensive(String line) {
        int sum = 0;                                // out
        for (int i = 0; i < line.length(); i++) {   // out
            sum += line.charAt(i);                  // out
        }
        return sum;                                 // out
    }

    public static void main(String[] args) throws IOException {
        var reader = new BufferedReader(new InputStreamReader(System.in)); // in
        int j = 0;                                  // out
        String line;
        while ((line = reader.readLine()) != null) { // in
            j = j + expensive(line);                // out
        }
        System.out.println(j);                      // out
    }
}
