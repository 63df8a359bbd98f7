package pricetag.border;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** What a call of the component reaches: the class whose method runs, found as the JVM finds it, once for each place and class of the receiver. */
final class Targets {
    static Pattern component;
    static boolean resources;

    /** A place of a call: the class that the instruction names, name and descriptor of the method, whether it takes the receiver's method. */
    private static final class Site {
        final String owner;
        final String name;
        final String descriptor;
        final boolean looked;

        Site(String owner, String name, String descriptor, boolean looked) {
            this.owner = owner;
            this.name = name;
            this.descriptor = descriptor;
            this.looked = looked;
        }
    }

    private static final String INSIDE = "";
    private static final ConcurrentHashMap<Integer, Site> SITES = new ConcurrentHashMap<Integer, Site>();
    /** By receiver's class, so that classes can be unloaded. */
    private static final ClassValue<ConcurrentHashMap<Integer, String>> FOUND = new ClassValue<ConcurrentHashMap<Integer, String>>() {
        @Override
        protected ConcurrentHashMap<Integer, String> computeValue(Class<?> type) {
            return new ConcurrentHashMap<Integer, String>();
        }
    };
    private static final String[] FILES = {"java.io.", "java.nio.channels.", "java.nio.file.", "java.net.", "sun.nio.ch.", "sun.nio.fs.", "sun.net."};

    private Targets() {}

    static void add(int id, String owner, String name, String descriptor, boolean looked) {
        SITES.put(id, new Site(owner, name, descriptor, looked));
    }

    /** The class whose method is called; null if the call stays inside, fails on null, or reaches the JDK unasked. */
    static String of(int id, Object receiver) {
        Site site = SITES.get(id);
        if (site == null) {
            return null;
        }
        if (!site.looked) {
            return counts(site.owner) ? site.owner : null;
        }
        if (receiver == null) {
            return null;
        }
        ConcurrentHashMap<Integer, String> found = FOUND.get(receiver.getClass());
        String target = found.get(id);
        if (target == null) {
            target = find(site, receiver.getClass());
            found.put(id, target);
        }
        return target == INSIDE ? null : target;
    }

    private static String find(Site site, Class<?> receiver) {
        String name = receiver.getName();
        int spun = name.indexOf("$$Lambda");
        if (spun >= 0) {
            return inside(name.substring(0, spun)) || jdk(name) ? INSIDE : site.owner;
        }
        if (Proxy.isProxyClass(receiver)) {
            return site.owner;
        }
        Class<?> declaring = receiver;
        try {
            declaring = declaring(site, receiver);
        } catch (Throwable unresolved) {
            // Some class that it names is missing: taken as the receiver's own.
        }
        String target = declaring.getName();
        return counts(target) ? target : INSIDE;
    }

    private static Class<?> declaring(Site site, Class<?> receiver) {
        for (Class<?> type = receiver; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(site.name) && descriptor(method).equals(site.descriptor)) {
                    return type;
                }
            }
        }
        // A default method: the class that inherits it.
        return receiver;
    }

    private static String descriptor(Method method) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> type : method.getParameterTypes()) {
            text.append(field(type));
        }
        return text.append(')').append(field(method.getReturnType())).toString();
    }

    private static String field(Class<?> type) {
        if (type.isArray()) {
            return type.getName().replace('.', '/');
        }
        if (!type.isPrimitive()) {
            return "L" + type.getName().replace('.', '/') + ";";
        }
        return type == int.class ? "I" : type == void.class ? "V" : type == boolean.class ? "Z" : type == byte.class ? "B" : type == char.class ? "C"
                : type == short.class ? "S" : type == double.class ? "D" : type == float.class ? "F" : "J";
    }

    private static boolean inside(String name) {
        return component.matcher(name).matches();
    }

    private static boolean jdk(String name) {
        return name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.") || name.startsWith("sun.") || name.startsWith("com.sun.");
    }

    /** Whether a call that reaches this class is a required one. */
    private static boolean counts(String name) {
        if (!jdk(name)) {
            return !inside(name);
        }
        if (resources) {
            for (String files : FILES) {
                if (name.startsWith(files)) {
                    return true;
                }
            }
        }
        return false;
    }
}
