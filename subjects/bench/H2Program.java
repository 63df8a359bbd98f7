import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;

/** H2 in memory: joins, grouping, ordering, updates and look-ups by key over a table of 4,000 orders. */
final class H2Program implements Bench.Program {
    private static final String[] QUERIES = {
        "select c.city, count(*), sum(o.amount) from orders o join customers c on o.customer = c.id group by c.city order by 3 desc",
        "select o.id, o.amount from orders o where o.amount > 90000 and o.note like '%7%' order by o.amount desc, o.id limit 100",
        "select c.id, max(o.amount) m from customers c left join orders o on o.customer = c.id group by c.id having count(o.id) > 5 order by m, c.id",
        "select distinct substring(note, 1, 2) s, length(note) l from orders order by s, l",
        "select count(*) from orders a join orders b on a.customer = b.customer where a.amount < b.amount and a.id < 300",
        "select case when amount < 1000 then 'low' when amount < 50000 then 'middle' else 'high' end k, avg(amount) from orders group by k order by k",
    };
    private final Connection connection;

    H2Program() throws Exception {
        connection = DriverManager.getConnection("jdbc:h2:mem:bench");
        connection.setAutoCommit(false);
        Random random = new Random(42);
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table customers(id int primary key, name varchar(40), city varchar(20))");
            statement.execute("create table orders(id int primary key, customer int, amount int, note varchar(60))");
            statement.execute("create index of_customer on orders(customer)");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into customers values(?, ?, ?)")) {
            for (int i = 0; i < 400; i++) {
                insert.setInt(1, i);
                insert.setString(2, "customer " + random.nextInt(100_000));
                insert.setString(3, "city " + random.nextInt(25));
                insert.execute();
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into orders values(?, ?, ?, ?)")) {
            for (int i = 0; i < 4_000; i++) {
                insert.setInt(1, i);
                insert.setInt(2, random.nextInt(400));
                insert.setInt(3, random.nextInt(100_000));
                insert.setString(4, "note " + Long.toString(random.nextLong(), 36));
                insert.execute();
            }
        }
        connection.commit();
    }

    @Override
    public long run() throws Exception {
        long sum = 17;
        for (int round = 0; round < 3; round++) {
            sum = 31 * sum + round();
        }
        return sum;
    }

    private long round() throws Exception {
        long sum = 17;
        try (Statement statement = connection.createStatement()) {
            for (String query : QUERIES) {
                try (ResultSet rows = statement.executeQuery(query)) {
                    sum = 31 * sum + sum(rows);
                }
            }
            sum = 31 * sum + statement.executeUpdate("update orders set amount = amount + 1 where customer < 100");
        }
        try (PreparedStatement byKey = connection.prepareStatement("select customer, amount, note from orders where id = ?")) {
            for (int i = 0; i < 4_000; i += 3) {
                byKey.setInt(1, i * 7 % 4_000);
                try (ResultSet rows = byKey.executeQuery()) {
                    sum = 31 * sum + sum(rows);
                }
            }
        }
        connection.rollback();
        return sum;
    }

    private static long sum(ResultSet rows) throws Exception {
        long sum = 1;
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            for (int i = 1; i <= columns; i++) {
                sum = 31 * sum + String.valueOf(rows.getString(i)).hashCode();
            }
        }
        return sum;
    }
}
