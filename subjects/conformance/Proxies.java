/** A dynamic proxy; its handler throws a checked exception the interface does not declare. */
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;

public class Proxies {
    public interface Greeter {
        String greet(int n);
    }

    static class Handler implements InvocationHandler {
        int calls;

        @Override
        public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
            calls++; // count: 7
            int n = (Integer) args[0]; // count: 7
            if (n == 4) { // count: 7
                throw new java.io.IOException("four"); // count: 1
            }
            return "hi" + n; // count: 6
        }
    }

    public static void main(String[] args) {
        Handler h = new Handler();
        Greeter g = (Greeter) Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {Greeter.class}, h);
        int length = 0;
        for (int i = 0; i < 7; i++) {
            try {
                length += g.greet(i).length(); // count: 7
            } catch (UndeclaredThrowableException e) {
                length += 100; // count: 1
            }
        }
        System.out.println(length + " " + h.calls);
    }
}
