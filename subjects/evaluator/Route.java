import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The longest of all shortest ways in a network: {@code java Route FILE}. A line of the file is an edge, {@code from to length}, or a remark. */
public final class Route {
    private final List<int[]> edges = new ArrayList<>();
    private int nodes;

    private Route() {}

    public static void main(String[] args) throws IOException {
        Route route = new Route();
        route.read(args[0]);
        long[][] distances = route.begin();
        route.relax(distances);
        System.out.println(longest(distances));
    }

    private void read(String file) throws IOException {
        try (BufferedReader reader = new BufferedReader(new FileReader(file))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("#")) {
                    continue;
                }
                if (line.startsWith("!")) {
                    nodes++;
                    continue;
                }
                String[] words = line.split(" ");
                int[] edge = {Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2])};
                nodes = Math.max(nodes, Math.max(edge[0], edge[1]) + 1);
                edges.add(edge);
            }
        }
    }

    private long[][] begin() {
        long[][] distances = new long[nodes][];
        for (int i = 0; i < nodes; i++) {
            distances[i] = new long[nodes];
            for (int j = 0; j < nodes; j++) {
                distances[i][j] = i == j ? 0 : Integer.MAX_VALUE;
            }
        }
        for (int[] edge : edges) {
            distances[edge[0]][edge[1]] = edge[2];
        }
        return distances;
    }

    /** Floyd 1962; a copy of each row is made, which costs memory. */
    private void relax(long[][] distances) {
        for (int k = 0; k < nodes; k++) {
            for (int i = 0; i < nodes; i++) {
                long[] row = Arrays.copyOf(distances[i], nodes);
                for (int j = 0; j < nodes; j++) {
                    row[j] = Math.min(row[j], distances[i][k] + distances[k][j]);
                }
                distances[i] = row;
            }
        }
    }

    private static long longest(long[][] distances) {
        long longest = 0;
        for (long[] row : distances) {
            for (long distance : row) {
                longest = distance < Integer.MAX_VALUE ? Math.max(longest, distance) : longest;
            }
        }
        return longest;
    }
}
