package pricetag.predictor;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Predicts what the program in this archive costs on the input that its arguments name, and prints the answer as one line of JSON.
 *
 * The program runs with counters at the few places that the formula needs, and is ended as soon as none of them can grow any more. It does not act: see Guard.
 * `META-INF/pricetag/predictor.txt` says what to count and what follows from it; `Spec.rs` writes it.
 */
public final class Main {
    private static final String FOLDER = "/META-INF/pricetag/";
    /** Exit code of an answer that is none. */
    private static final int UNKNOWN = 3;

    private static final List<String[]> features = new ArrayList<>();
    private static String formula = "";
    private static String main = "";
    private static String target = "";
    private static String unit = "";
    private static double[] interval;
    private static double least = Double.NaN;
    private static long limit = Long.MAX_VALUE;
    private static int counters;
    private static int groups;
    private static boolean neverStops;
    private static boolean survey;
    private static PrintStream out;
    private static double[] values;
    private static boolean answered;
    private static boolean guarded;
    private static String[] usual;
    private static String unusual;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        Hooks.begun = System.nanoTime();
        out = System.out;
        survey = Boolean.getBoolean("pricetag.survey");
        read();
        if (Boolean.getBoolean("pricetag.waits")) {
            arguments = asked(arguments);
        }
        values = new double[features.size()];
        unusual = unusual(arguments);
        for (int i = 0; i < values.length; i++) {
            String trouble = known(i, arguments);
            if (trouble != null) {
                finish(unusual == null ? trouble : trouble + "; " + unusual, false);
            }
        }
        Hooks.own = new long[counters];
        Hooks.others = new long[counters];
        Hooks.done = new boolean[groups];
        Hooks.doneAt = new long[groups];
        Hooks.open = groups + (neverStops ? 1 : 0);
        Hooks.goesOn = survey || Boolean.getBoolean("pricetag.goes-on");
        Hooks.owner = Thread.currentThread();
        if (counters == 0 && !survey) {
            finish(null, true);
        }
        OutputStream nowhere = new java.io.FileOutputStream(Hooks.NOWHERE);
        System.setOut(new PrintStream(nowhere));
        System.setErr(new PrintStream(nowhere));
        System.setProperty("java.awt.headless", "true");
        watch();
        if (Boolean.getBoolean("pricetag.sample")) {
            new Sampler(Thread.currentThread()).start();
        }
        // Not initialised before the guard stands.
        Method program = Class.forName(main, false, Main.class.getClassLoader()).getMethod("main", String[].class);
        program.setAccessible(true);
        guard(arguments);
        try {
            program.invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            finish("it failed: " + e.getCause(), false);
        }
        // As the JVM itself waits: threads may start others before they end.
        for (Thread other = another(); other != null; other = another()) {
            other.join();
        }
        finish(null, false);
    }

    /** Waits, with all in place that needs no input, for a line with the program's arguments, encoded as in addresses. Without one nobody asks. */
    private static String[] asked(String[] arguments) throws Exception {
        InputStream lines = System.in;
        // The program has no input: the line is ours.
        System.setIn(new ByteArrayInputStream(new byte[0]));
        guard(arguments);
        Class.forName(main, false, Main.class.getClassLoader());
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = lines.read();
        for (; next >= 0 && next != '\n'; next = lines.read()) {
            line.write(next);
        }
        if (next < 0) {
            Runtime.getRuntime().halt(0);
        }
        Hooks.begun = System.nanoTime();
        String text = line.toString("UTF-8");
        String[] words = text.isEmpty() ? new String[0] : text.split(" ", -1);
        for (int i = 0; i < words.length; i++) {
            words[i] = URLDecoder.decode(words[i], "UTF-8");
        }
        return words;
    }

    private static void guard(String[] arguments) throws Exception {
        if (guarded) {
            return;
        }
        guarded = true;
        try {
            System.setSecurityManager(new Guard());
        } catch (UnsupportedOperationException e) {
            again(arguments);
        }
    }

    /** Since Java 18 a program is kept from acting only where a JVM is told so as it starts: one that is tells the answer. Java 24 and later have none. */
    private static void again(String[] arguments) throws Exception {
        String java = System.getProperty("java.specification.version");
        if (Boolean.getBoolean("pricetag.again") || !java.startsWith("1.") && Integer.parseInt(java) >= 24) {
            finish("Java " + System.getProperty("java.version") + " cannot keep it from acting, which Java 8 to 23 can", false);
        }
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(Arrays.asList("-Djava.security.manager=allow", "-Dpricetag.again=true", "-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(Arrays.asList(arguments));
        Process other;
        try {
            other = new ProcessBuilder(command).inheritIO().start();
        } catch (IOException e) {
            finish("no other JVM could be started that keeps it from acting: " + e.getMessage(), false);
            return;
        }
        synchronized (Main.class) {
            answered = true;
        }
        Runtime.getRuntime().halt(other.waitFor());
    }

    /** A thread that keeps the JVM from ending; null if there is none but this one. Stack traces would miss one that is just beginning. */
    private static Thread another() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] threads = new Thread[64];
        while (all.enumerate(threads, true) == threads.length) {
            threads = new Thread[2 * threads.length];
        }
        for (Thread thread : threads) {
            if (thread != null && thread != Thread.currentThread() && !thread.isDaemon()) {
                return thread;
            }
        }
        return null;
    }

    private static void read() throws IOException {
        try (BufferedReader reader = open("predictor.txt")) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] words = line.split("\t", -1);
                switch (words[0]) {
                    case "feature":
                        features.add(words);
                        break;
                    case "formula":
                        formula = words[1];
                        break;
                    case "main":
                        main = words[1];
                        break;
                    case "arguments":
                        usual = Arrays.copyOfRange(words, 1, words.length);
                        break;
                    case "target":
                        target = words[1];
                        unit = words[2];
                        break;
                    case "interval":
                        interval = new double[] {Double.parseDouble(words[1]), Double.parseDouble(words[2]), Double.parseDouble(words[3])};
                        break;
                    case "least":
                        least = Double.parseDouble(words[1]);
                        break;
                    case "limit":
                        limit = Long.getLong("pricetag.limit", Long.parseLong(words[1]));
                        break;
                    case "counters":
                        counters = Integer.parseInt(words[1]);
                        groups = Integer.parseInt(words[2]);
                        neverStops = words[3].equals("1");
                        break;
                    default:
                        break;
                }
            }
        }
    }

    /** How a command line differs from those of the training, of which `{` begins a part that differed there, too; null if it does not. */
    private static String unusual(String[] arguments) {
        if (usual == null) {
            return null;
        }
        if (arguments.length != usual.length) {
            return "the number of arguments is " + arguments.length + ", and was " + usual.length + " in training: give the program's arguments alone, as they were there";
        }
        for (int i = 0; i < usual.length; i++) {
            if (usual[i].indexOf('{') < 0 && !usual[i].equals(arguments[i])) {
                return "argument " + (i + 1) + " is " + arguments[i] + ", and was " + usual[i] + " in training";
            }
        }
        return null;
    }

    private static BufferedReader open(String name) throws IOException {
        InputStream stream = Main.class.getResourceAsStream(FOLDER + name);
        if (stream == null) {
            throw new IOException(name + " is missing in this archive");
        }
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    /** Finds a value that is known before the run; what is wrong if it is not. */
    private static String known(int index, String[] arguments) {
        String[] feature = features.get(index);
        if (feature[2].equals("constant")) {
            values[index] = Double.parseDouble(feature[3]);
            return null;
        }
        if (feature[2].equals("counter")) {
            return null;
        }
        int at = Integer.parseInt(feature[3]);
        if (at >= arguments.length) {
            return "argument " + (at + 1) + " is missing, of which " + feature[1] + " follows";
        }
        String text = arguments[at];
        try {
            switch (feature[2]) {
                case "bytes":
                case "lines":
                    values[index] = measure(new File(text), feature[2].equals("lines"));
                    return null;
                case "is":
                    values[index] = text.equals(feature[6]) ? 1 : 0;
                    return null;
                default:
                    values[index] = Double.parseDouble(text);
                    return null;
            }
        } catch (NumberFormatException e) {
            return "argument " + (at + 1) + " is no number: " + text;
        } catch (IOException e) {
            return "argument " + (at + 1) + " cannot be read: " + e.getMessage();
        }
    }

    private static double measure(File file, boolean lines) throws IOException {
        long bytes = 0;
        long ends = 0;
        int last = '\n';
        byte[] buffer = new byte[1 << 16];
        try (InputStream stream = new FileInputStream(file)) {
            if (!lines) {
                long size = file.length();
                if (file.isFile()) {
                    return size;
                }
            }
            for (int n = stream.read(buffer); n > 0; n = stream.read(buffer)) {
                bytes += n;
                for (int i = 0; i < n; i++) {
                    if (buffer[i] == '\n') {
                        ends++;
                    }
                }
                last = buffer[n - 1];
            }
        }
        return lines ? ends + (last == '\n' ? 0 : 1) : bytes;
    }

    private static void watch() {
        if (limit == Long.MAX_VALUE) {
            return;
        }
        Thread watch = new Thread("pricetag limit") {
            @Override
            public void run() {
                try {
                    Thread.sleep(limit);
                } catch (InterruptedException e) {
                    return;
                }
                finish("the evaluation takes more than " + limit + " ms", false);
            }
        };
        watch.setDaemon(true);
        watch.start();
    }

    /** Gives the answer and ends this JVM; never returns. `why` says why there is none. */
    static void finish(String why, boolean early) {
        synchronized (Main.class) {
            if (answered) {
                // Another thread gives the answer.
                while (true) {
                    try {
                        Main.class.wait();
                    } catch (InterruptedException e) {
                        // This JVM is about to end.
                    }
                }
            }
            answered = true;
        }
        long took = System.nanoTime() - Hooks.begun;
        boolean known = why == null;
        String line;
        try {
            line = survey ? surveyed(why, took) : answer(why, early, took);
        } catch (Throwable e) {
            known = false;
            line = "{\"schema\":1,\"status\":\"unknown\",\"reason\":" + quoted("the answer failed: " + e) + "}";
        }
        out.println(line);
        out.flush();
        Guard.over = true;
        Runtime.getRuntime().halt(known ? 0 : UNKNOWN);
    }

    private static String surveyed(String why, long took) {
        StringBuilder line = new StringBuilder("{\"schema\":1,\"status\":");
        line.append(why == null ? "\"ok\"" : "\"unknown\"").append(",\"reason\":").append(quoted(why));
        line.append(",\"took_ns\":").append(took).append(",\"marks\":[");
        for (int i = 0; i < groups; i++) {
            line.append(i == 0 ? "" : ",").append(Hooks.done[i] ? String.valueOf(Hooks.doneAt[i]) : "null");
        }
        return line.append("]}").toString();
    }

    private static String answer(String given, boolean early, long took) throws IOException {
        String why = given;
        boolean counted = false;
        for (int i = 0; i < values.length; i++) {
            String[] feature = features.get(i);
            if (feature[2].equals("counter")) {
                int counter = Integer.parseInt(feature[3]);
                counted = true;
                if (counter < Hooks.own.length) {
                    values[i] = Hooks.own[counter] + Hooks.others[counter];
                }
            }
        }
        double value = Double.NaN;
        if (why == null) {
            value = Formula.evaluate(formula, values);
            if (value < 0 && least == least) {
                value = least;
            }
            if (value != value || Double.isInfinite(value)) {
                why = "the formula has no value here";
            }
        }
        int unseen = Hooks.unseen;
        StringBuilder line = new StringBuilder("{\"schema\":1,\"status\":");
        line.append(why != null ? "\"unknown\"" : unusual != null || unseen >= 0 ? "\"unvalidated\"" : "\"ok\"");
        line.append(",\"target\":").append(quoted(target)).append(",\"unit\":").append(quoted(unit));
        line.append(",\"value\":").append(why == null ? String.valueOf(value) : "null");
        if (why == null && interval != null) {
            double a = value * interval[1];
            double b = value * interval[2];
            line.append(",\"low\":").append(Math.min(a, b)).append(",\"high\":").append(Math.max(a, b)).append(",\"level\":").append(interval[0]);
        }
        line.append(",\"tier\":").append(!counted ? "\"inputs\"" : early ? "\"prefix\"" : "\"run\"");
        line.append(",\"reason\":").append(quoted(why != null ? why : unusual != null ? unusual : unseen >= 0 ? "it ran code that no training run had reached: " + place(unseen) : null));
        line.append(",\"redirected\":").append(Hooks.redirected).append(",\"took_ns\":").append(took);
        StringBuilder outside = new StringBuilder();
        line.append(",\"features\":{");
        for (int i = 0; i < values.length; i++) {
            String[] feature = features.get(i);
            line.append(i == 0 ? "" : ",").append(quoted(feature[1])).append(':').append(why == null ? String.valueOf(values[i]) : "null");
            if (!feature[4].isEmpty() && (values[i] < Double.parseDouble(feature[4]) || values[i] > Double.parseDouble(feature[5]))) {
                outside.append(outside.length() == 0 ? "" : ",").append(quoted(feature[1]));
            }
        }
        line.append("},\"outside\":[").append(why == null ? outside : "").append(']');
        String stacks = Sampler.seen();
        if (!stacks.isEmpty()) {
            line.append(",\"stacks\":[").append(stacks).append(']');
        }
        return line.append('}').toString();
    }

    private static String place(int number) throws IOException {
        try (BufferedReader reader = open("unseen.txt")) {
            for (int i = 0; i < number; i++) {
                reader.readLine();
            }
            return reader.readLine();
        }
    }

    static String quoted(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder line = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ') {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        return line.append('"').toString();
    }
}
