/**
 * Values of single invocations: with `Requests#serve(int)` as scope, versions are counted anew in every invocation. The invocations of
 * `java Requests` have the arguments 0, 1, 2 and 3, and the second calls itself. `[2]` stands for the third row.
 */
public class Requests {
    static int depth;
    long size;

    int serve(int n) {
        int doubled = n * 2;
        size = doubled;
        for (int i = 0; i < n; i++) {
            depth = i;
        }
        return n == 1 ? serve(7) : doubled;
    }

    public static void main(String[] args) {
        Requests requests = new Requests();
        for (int n = 0; n < 4; n++) {
            requests.serve(n);
        }
    }
}
//= [0] Requests.serve(int).doubled#1 = 0
//= [0] Requests.depth#1 = missing
//= [0] Requests.size#1 = 0
//= [1] Requests.serve(int).doubled#1 = 2
//= [1] Requests.serve(int).doubled#2 = 14
//= [1] Requests.depth#1 = 0
//= [1] Requests.depth#2 = 0
//= [1] Requests.depth#3 = 1
//= [2] Requests.serve(int).doubled#1 = 4
//= [2] Requests.serve(int).doubled#2 = missing
//= [3] Requests.serve(int).doubled#1 = 6
//= [3] Requests.depth#1 = 0
//= [3] Requests.depth#3 = 2
//= [3] Requests.depth#4 = missing
//= [3] Requests.main(String[]).n#1 = missing
//= [0] Requests.serve(int) depth = 1
//= [1] Requests.serve(int) depth = 2
//= [3] Requests.serve(int) depth = 1
