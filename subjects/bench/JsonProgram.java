import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Jackson: reads a document of 8,000 orders as a tree and as objects, and writes it again. */
final class JsonProgram implements Bench.Program {
    /** An order. */
    public static final class Order {
        public long id;
        public String customer;
        public boolean paid;
        public double total;
        public List<Item> items = new ArrayList<>();
        public Map<String, String> tags = new LinkedHashMap<>();
    }

    /** What was ordered. */
    public static final class Item {
        public String name;
        public int count;
        public double price;
    }

    private final ObjectMapper mapper = new ObjectMapper();
    private final byte[] document;

    JsonProgram() throws Exception {
        document = mapper.writeValueAsBytes(orders(8_000, 11));
    }

    /** Orders made up from a seed. */
    static List<Order> orders(int count, long seed) {
        Random random = new Random(seed);
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Order order = new Order();
            order.id = random.nextLong() >>> 20;
            order.customer = "customer \"" + random.nextInt(1_000) + "\" \u00fc\n";
            order.paid = random.nextBoolean();
            order.total = random.nextInt(1_000_000) / 100.0;
            for (int k = random.nextInt(5); k >= 0; k--) {
                Item item = new Item();
                item.name = Integer.toString(random.nextInt(), 36);
                item.count = random.nextInt(50);
                item.price = random.nextInt(10_000) / 8.0;
                order.items.add(item);
            }
            order.tags.put("k" + random.nextInt(9), "v" + random.nextInt());
            orders.add(order);
        }
        return orders;
    }

    @Override
    public long run() throws Exception {
        JsonNode tree = mapper.readTree(document);
        long sum = Bench.sum(mapper.writeValueAsBytes(tree));
        Order[] orders = mapper.readValue(document, Order[].class);
        return 31 * sum + Bench.sum(mapper.writeValueAsBytes(orders));
    }
}
