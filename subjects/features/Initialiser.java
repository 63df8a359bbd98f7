/** Stores that run a class initialiser, which assigns before them. After `java Initialiser 7`: */
public class Initialiser {
    static class Config {
        static int level = 3;
        static double scale = 0.5;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        Config.level = n;
        Config.scale = n / 2.0;
        System.out.println(Config.level + Config.scale);
    }
}
//= Initialiser$Config.level#1 = 3
//= Initialiser$Config.level#2 = 7
//= Initialiser$Config.level#3 = missing
//= Initialiser$Config.scale#1 = 0.5
//= Initialiser$Config.scale#2 = 3.5
