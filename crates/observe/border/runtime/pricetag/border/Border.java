package pricetag.border;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the probes call. Each thread has a stack of calls that crossed the border: one that entered the component, one that left it, and so on in turn.
 * A call is noted when it crosses; what stays on its side is not. Tokens are places on that stack, -1 for calls that are not noted.
 */
public final class Border {
    /** Required calls of one provided call that are kept one by one; those beyond are only numbered. */
    private static final int KEPT = 4096;

    private static final AtomicLong CALLS = new AtomicLong();
    private static final AtomicInteger THREADS = new AtomicInteger();

    /** One call that crossed. */
    private static final class Crossing {
        final boolean enters;
        final int id;
        final String target;
        final long number;
        final StringBuilder text = new StringBuilder();
        boolean valued;
        int kept;
        long more;

        Crossing(boolean enters, int id, String target, long number) {
            this.enters = enters;
            this.id = id;
            this.target = target;
            this.number = number;
        }
    }

    private static final class State {
        final ArrayList<Crossing> stack = new ArrayList<Crossing>();
        final int thread = THREADS.incrementAndGet();
        /** Set while values are looked at: what that calls is none of the program's. */
        boolean busy;
    }

    private static final ThreadLocal<State> STATES = new ThreadLocal<State>() {
        @Override
        protected State initialValue() {
            return new State();
        }
    };

    private Border() {}

    /** Loads what is needed later, so that no class is loaded while one is being changed. */
    static void warm() {
        State state = STATES.get();
        state.busy = true;
        Values.object(new Object[] {new int[] {1, 2}, "text", 1.5, null}, new StringBuilder(), 0);
        state.busy = false;
    }

    /** A method of the component begins: the token, -1 if it was called from inside. */
    public static int enter(int method, Object receiver) {
        State state = STATES.get();
        int depth = state.stack.size();
        if (state.busy || depth > 0 && state.stack.get(depth - 1).enters) {
            return -1;
        }
        Crossing call = new Crossing(true, method, null, CALLS.incrementAndGet());
        call.text.append("\"a\":[");
        state.stack.add(call);
        return depth;
    }

    /** The component is about to call a method: the token, -1 if that is inside, too. */
    public static int leave(int site, Object receiver) {
        State state = STATES.get();
        int depth = state.stack.size();
        if (state.busy || depth == 0 || !state.stack.get(depth - 1).enters) {
            return -1;
        }
        state.busy = true;
        String target;
        try {
            target = Targets.of(site, receiver);
        } finally {
            state.busy = false;
        }
        if (target == null) {
            return -1;
        }
        Crossing call = new Crossing(false, site, target, 0);
        state.stack.add(call);
        return depth;
    }

    private static Crossing at(State state, int token) {
        return token < 0 || token >= state.stack.size() ? null : state.stack.get(token);
    }

    private static boolean comma(Crossing call) {
        if (call == null) {
            return false;
        }
        if (call.valued) {
            call.text.append(',');
        }
        call.valued = true;
        return true;
    }

    public static void argument(long value, int token) {
        if (token >= 0) {
            Crossing call = at(STATES.get(), token);
            if (comma(call)) {
                call.text.append(value);
            }
        }
    }

    public static void argument(double value, int token) {
        if (token >= 0) {
            Crossing call = at(STATES.get(), token);
            if (comma(call)) {
                Values.real(value, call.text);
            }
        }
    }

    public static void argument(Object value, int token) {
        if (token >= 0) {
            State state = STATES.get();
            Crossing call = at(state, token);
            if (comma(call)) {
                look(state, value, call.text);
            }
        }
    }

    private static void look(State state, Object value, StringBuilder text) {
        state.busy = true;
        try {
            Values.object(value, text, 0);
        } finally {
            state.busy = false;
        }
    }

    public static void returned(long value, int token) {
        if (token >= 0) {
            end(token, Long.toString(value));
        }
    }

    public static void returned(double value, int token) {
        if (token >= 0) {
            StringBuilder text = new StringBuilder();
            Values.real(value, text);
            end(token, text.toString());
        }
    }

    public static void returned(Object value, int token) {
        if (token >= 0) {
            StringBuilder text = new StringBuilder();
            look(STATES.get(), value, text);
            end(token, text.toString());
        }
    }

    public static void returned(int token) {
        if (token >= 0) {
            end(token, null);
        }
    }

    public static void threw(Throwable failure, int token) {
        if (token >= 0) {
            end(token, "!");
        }
    }

    /** The call with this token is over, and all that was noted above it. */
    private static void end(int token, String result) {
        State state = STATES.get();
        Crossing call = at(state, token);
        if (call == null) {
            return;
        }
        while (state.stack.size() > token) {
            state.stack.remove(state.stack.size() - 1);
        }
        if (call.enters) {
            provided(state, call, token, result);
        } else if (token > 0) {
            required(state.stack.get(token - 1), call, result);
        }
    }

    private static void result(String result, StringBuilder text) {
        if (result != null) {
            text.append(result.equals("!") ? ",\"x\":1" : ",\"r\":" + result);
        }
    }

    private static void required(Crossing by, Crossing call, String result) {
        if (by.kept >= KEPT) {
            by.more++;
            return;
        }
        StringBuilder text = by.text;
        if (by.kept == 0) {
            text.append("],\"q\":[");
        } else {
            text.append(',');
        }
        by.kept++;
        text.append("{\"s\":").append(call.id).append(",\"c\":\"").append(call.target.replace("\\", "\\\\").replace("\"", "\\\"")).append("\",\"a\":[");
        text.append(call.text).append(']');
        result(result, text);
        text.append('}');
    }

    private static void provided(State state, Crossing call, int token, String result) {
        StringBuilder line = new StringBuilder(call.text.length() + 64);
        line.append("{\"n\":").append(call.number).append(",\"t\":").append(state.thread);
        line.append(",\"m\":").append(call.id);
        if (token > 0) {
            line.append(",\"i\":").append(state.stack.get(token - 2).number);
        }
        line.append(',').append(call.text).append(']');
        if (call.more > 0) {
            line.append(",\"more\":").append(call.more);
        }
        result(result, line);
        Log.line(line.append("}\n"));
    }
}
