import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Reports from an H2 database in memory whose cost depends on the data: customers, products and orders with skewed keys, amounts and texts. One
 * call of {@link #report} is one observation: one to sixteen of eight kinds of queries, a few of which each report likes. What is known before it
 * are the length of its SQL and the number of its queries.
 *
 * <p>Orders refer to customers and products with probability falling as a power of their number, so that equal ranges of keys hold very
 * different numbers of rows; amounts are log-normal, notes a few words of Zipf's frequencies. The same seed gives the same rows and queries.
 */
public final class Queries {
    private static final int CUSTOMERS = 1_000;
    private static final int PRODUCTS = 300;
    private static final int ORDERS = 12_000;
    /** Statements with two parameters each: a range of keys or amounts, or a key and a limit. */
    private static final String[] STATEMENTS = {
        "select count(*), sum(amount), max(placed) from orders where customer between ? and ?",
        "select c.city, count(*), avg(o.amount) from orders o join customers c on o.customer = c.id where o.amount between ? and ? group by c.city order by 2 desc",
        "select o.id, o.amount, o.note from orders o where o.product between ? and ? order by o.amount desc, o.id",
        "select p.category, sum(o.amount) from orders o join products p on o.product = p.id where o.placed between ? and ? group by p.category having count(*) > 3 order by p.category",
        "select distinct note from orders where amount between ? and ? order by note",
        "select c.id, c.name, (select count(*) from orders o where o.customer = c.id) n from customers c where c.id between ? and ? order by n desc, c.id",
        "select a.customer, count(*) from orders a join orders b on a.customer = b.customer and a.product < b.product where a.customer between ? and ? group by a.customer",
        "select count(*) from orders where note like '%' || cast(? as varchar) || '%' or amount > ?",
    };
    private final Connection connection;
    private final PreparedStatement[] statements = new PreparedStatement[STATEMENTS.length];

    Queries() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:evaluation;QUERY_CACHE_SIZE=0;OPTIMIZE_REUSE_RESULTS=FALSE");
        connection.setAutoCommit(false);
        fill(new Random(42));
        for (int i = 0; i < STATEMENTS.length; i++) {
            statements[i] = connection.prepareStatement(STATEMENTS[i]);
        }
    }

    /** One observation: for each query its number and its two parameters. */
    public long report(String sql, int[] plan) throws SQLException {
        return work(plan);
    }

    private long work(int[] plan) throws SQLException {
        long check = 1;
        for (int i = 0; i < plan.length; i += 3) {
            check = 31 * check + query(plan[i], plan[i + 1], plan[i + 2]);
        }
        return check;
    }

    private long query(int number, int low, int high) throws SQLException {
        PreparedStatement statement = statements[number];
        statement.setInt(1, low);
        statement.setInt(2, high);
        long check = 17;
        try (ResultSet rows = statement.executeQuery()) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                for (int i = 1; i <= columns; i++) {
                    String value = rows.getString(i);
                    check = 31 * check + (value == null ? 0 : value.length());
                }
            }
        }
        return check;
    }

    private void fill(Random random) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table customers(id int primary key, name varchar(40), city varchar(20))");
            statement.execute("create table products(id int primary key, category varchar(20), price int)");
            statement.execute("create table orders(id int primary key, customer int, product int, amount int, placed int, note varchar(80))");
            statement.execute("create index of_customer on orders(customer)");
            statement.execute("create index of_product on orders(product)");
            statement.execute("create index of_amount on orders(amount)");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into customers values(?, ?, ?)")) {
            for (int i = 0; i < CUSTOMERS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "customer " + random.nextInt(100_000));
                insert.setString(3, "city " + skewed(random, 60));
                insert.execute();
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into products values(?, ?, ?)")) {
            for (int i = 0; i < PRODUCTS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "category " + skewed(random, 25));
                insert.setInt(3, amount(random));
                insert.execute();
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into orders values(?, ?, ?, ?, ?, ?)")) {
            for (int i = 0; i < ORDERS; i++) {
                insert.setInt(1, i);
                insert.setInt(2, skewed(random, CUSTOMERS));
                insert.setInt(3, skewed(random, PRODUCTS));
                insert.setInt(4, amount(random));
                insert.setInt(5, i / 8 + random.nextInt(200));
                insert.setString(6, note(random));
                insert.execute();
            }
        }
        connection.commit();
    }

    private static int skewed(Random random, int size) {
        return (int) (size * Math.pow(random.nextDouble(), 2.2));
    }

    private static int amount(Random random) {
        return (int) Math.exp(5 + 1.4 * random.nextGaussian());
    }

    private static String note(Random random) {
        StringBuilder note = new StringBuilder();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            note.append("word").append((int) Math.pow(400, random.nextDouble())).append(' ');
        }
        return note.toString().trim();
    }

    /** Parameters of a statement: ranges of log-uniform width anywhere. */
    private static int[] parameters(int number, Random random) {
        int size;
        switch (number) {
            case 0:
            case 5:
            case 6:
                size = CUSTOMERS;
                break;
            case 2:
                size = PRODUCTS;
                break;
            case 3:
                size = ORDERS / 8 + 200;
                break;
            case 7:
                return new int[] {random.nextInt(400), (int) Math.exp(5 + 4 * random.nextDouble())};
            default:
                int low = amount(random);
                return new int[] {low, low + (int) (low * Math.pow(300, random.nextDouble()) / 100)};
        }
        int width = (int) Math.pow(size / (number == 6 ? 20.0 : 1), random.nextDouble());
        int low = random.nextInt(size);
        return new int[] {low, low + width};
    }

    public static void main(String[] args) throws SQLException {
        if (args.length < 1) {
            System.err.println("usage: Queries OBSERVATIONS [WARM-UP CALLS]");
            System.exit(2);
        }
        int observations = Integer.parseInt(args[0]);
        int warmUp = args.length > 1 ? Integer.parseInt(args[1]) : 600;
        Queries queries = new Queries();
        long check = 0;
        for (int i = -warmUp; i < observations; i++) {
            // Warm-up calls are other reports, by another method.
            Random random = new Random(new SplittableRandom(i).nextLong());
            int[] liked = random.ints(3, 0, STATEMENTS.length).toArray();
            int[] plan = new int[3 * (int) Math.pow(17, random.nextDouble())];
            StringBuilder sql = new StringBuilder();
            for (int at = 0; at < plan.length; at += 3) {
                plan[at] = liked[random.nextInt(liked.length)];
                System.arraycopy(parameters(plan[at], random), 0, plan, at + 1, 2);
                sql.append(STATEMENTS[plan[at]]).append(";\n");
            }
            check += i < 0 ? queries.work(plan) : queries.report(sql.toString(), plan);
        }
        System.out.println(check);
    }
}
