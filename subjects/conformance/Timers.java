/** A scheduled pool and a timer: tasks that cancel themselves after a known number of runs, one that fails. */
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

public class Timers {
    static int ticks;

    static void tick() {
        if (++ticks == 4) { // count: 4
            throw new IllegalStateException(); // count: 1
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
        ScheduledFuture<?> f = pool.scheduleAtFixedRate(Timers::tick, 0, 1, TimeUnit.MILLISECONDS);
        int sum = 0;
        try {
            f.get(); // count: 1
            sum = -1; // count: 0
        } catch (ExecutionException e) {
            sum = 1; // count: 1
        }
        pool.shutdown();
        CountDownLatch done = new CountDownLatch(1);
        Timer timer = new Timer();
        timer.schedule(new TimerTask() {
            int runs;

            @Override
            public void run() {
                if (++runs == 5) { // count: 5
                    cancel(); // count: 1
                    done.countDown(); // count: 1
                }
            }
        }, 0, 1);
        done.await();
        timer.cancel();
        System.out.println(sum + ticks);
    }
}
