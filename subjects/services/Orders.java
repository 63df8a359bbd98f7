import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * A component with a border, and what is outside. What crosses is planted:
 *
 * place(amounts, customer, rush): Stock.reserve once per amount, with 2 · amount + 1; Mail.send once if rush > 3, with the customer; Ledger.book once if there are
 * more than 10 amounts, with their number less 1, and rush; the result is the number of amounts plus rush.
 * place(amount), overloaded: Stock.reserve once, with the amount.
 * accept(text), by way of a bridge: Mail.send with it.
 * each(list): Stock.reserve for each element, by a lambda.
 * low(level): Stock.refill once; that calls a lambda back, which books (level, 7).
 * odd(value): nothing; it is called with null, with a list that contains itself, and with a large array.
 */
public class Orders implements Sink<String> {
    private final Book book;
    private int placed;

    Orders(Book book) {
        this.book = book;
    }

    int place(int[] amounts, String customer, int rush) {
        for (int amount : amounts) {
            Stock.reserve(twice(amount) + 1);
        }
        if (rush > 3) {
            Mail.send(customer);
        }
        if (amounts.length > 10) {
            book.book(amounts.length - 1, rush);
        }
        placed++;
        return amounts.length + rush;
    }

    void place(int amount) {
        Stock.reserve(amount);
    }

    int twice(int amount) {
        return 2 * amount;
    }

    @Override
    public void accept(String text) {
        Mail.send(text);
    }

    void each(List<Integer> list) {
        list.forEach(element -> Stock.reserve(element));
    }

    void low(int level) {
        Stock.refill(level, back -> refilled(back));
    }

    void refilled(int level) {
        book.book(level, 7);
    }

    void odd(Object value) {
        if (value instanceof RuntimeException) {
            throw (RuntimeException) value;
        }
    }
}

interface Sink<T> {
    void accept(T value);
}

interface Book {
    void book(int count, int rush);
}

class Stock {
    static long reserved;

    static void reserve(int amount) {
        reserved += amount;
    }

    static void refill(int level, IntConsumer back) {
        back.accept(level);
    }
}

class Mail {
    static int sent;

    static void send(String text) {
        sent += text.length();
    }
}

class Ledger implements Book {
    static int booked;

    @Override
    public void book(int count, int rush) {
        synchronized (Ledger.class) {
            booked += count + rush;
        }
    }
}

class Main {
    public static void main(String[] args) throws Exception {
        Orders orders = new Orders(new Ledger());
        for (int i = 0; i < 30; i++) {
            int[] amounts = new int[(i * 7) % 23];
            for (int k = 0; k < amounts.length; k++) {
                amounts[k] = (k * 31 + i * 17) % 100;
            }
            orders.place(amounts, "customer".repeat(i % 5), (i * 5) % 8);
        }
        for (int i = 0; i < 9; i++) {
            orders.place(i * i);
            Sink<String> sink = orders;
            sink.accept("x".repeat(i + 2));
            List<Integer> list = new ArrayList<>(Collections.nCopies(i, i + 40));
            orders.each(list);
            orders.low(i + 1);
        }
        orders.odd(null);
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        orders.odd(itself);
        Object[] array = new Object[1];
        array[0] = array;
        orders.odd(array);
        orders.odd(new byte[5_000_000]);
        Map<String, String> map = new HashMap<>();
        map.put("a", "b");
        orders.odd(map);
        try {
            orders.odd(new IllegalStateException("odd"));
        } catch (IllegalStateException expected) {
            Stock.reserved++;
        }
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            int each = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 50; i++) {
                    orders.refilled(each);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(Stock.reserved + " " + Mail.sent + " " + Ledger.booked);
    }
}
