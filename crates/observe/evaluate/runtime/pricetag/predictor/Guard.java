package pricetag.predictor;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FilePermission;
import java.net.InetAddress;
import java.net.SocketPermission;
import java.security.Permission;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Ends the evaluation before the program acts: writes or deletes files, opens sockets, starts or ends processes, loads native code of its own, prints on paper.
 *
 * No exception is thrown, which the program might catch: the answer is given and the JVM halts. An exit is the end of the program.
 */
final class Guard extends SecurityManager {
    /** Whether the answer is given, and this JVM may halt. */
    static volatile boolean over;

    private static void refuse(String what) {
        if (!over) {
            Main.finish("it " + what, false);
        }
    }

    /** What stays within this JVM. All that is not listed may act, and is refused: a JDK has some sixty permissions, and newer ones have more. */
    private static final Set<String> HARMLESS =
            new HashSet<>(Arrays.asList(
                    "java.lang.reflect.ReflectPermission", "java.util.PropertyPermission", "java.util.logging.LoggingPermission", "java.io.SerializablePermission",
                    "java.security.SecurityPermission", "java.lang.management.ManagementPermission", "javax.management.MBeanPermission",
                    "javax.management.MBeanServerPermission", "javax.management.MBeanTrustPermission", "javax.security.auth.AuthPermission",
                    "javax.security.auth.PrivateCredentialPermission", "javax.net.ssl.SSLPermission", "java.sql.SQLPermission"));

    /** As HARMLESS, permissions by name; one that ends with a dot stands for all that begin so. */
    private static final String[] HARMLESS_NAMES = {
        "createClassLoader", "getClassLoader", "setContextClassLoader", "enableContextClassLoaderOverride", "closeClassLoader", "createSecurityManager",
        "getenv.", "shutdownHooks", "setFactory", "setIO", "modifyThread", "stopThread", "modifyThreadGroup", "getProtectionDomain",
        "getFileSystemAttributes", "readFileDescriptor", "accessClassInPackage.", "defineClassInPackage.", "accessDeclaredMembers", "getStackTrace",
        "getStackWalkerWithClassReference", "setDefaultUncaughtExceptionHandler", "usePolicy", "localeServiceProvider", "charsetProvider",
        "fileSystemProvider", "loggerFinder", "accessUserInformation", "accessSystemModules", "defineClass", "selectorProvider", "threadFactory",
        "specifyStreamHandler", "getProxySelector", "setProxySelector", "getCookieHandler", "setCookieHandler", "getResponseCache", "setResponseCache",
        "getNetworkInformation", "setDefaultAuthenticator", "requestPasswordAuthentication", "allowHttpTrace",
        "accessEventQueue", "listenToAllAWTEvents", "toolkitModality", "watchMousePointer", "setWindowAlwaysOnTop", "replaceKeyboardFocusManager",
        "sun.", "jdk.", "oracle.jdbc.", "com.sun.",
    };

    private static boolean isHarmless(Permission permission) {
        Class<?> kind = permission.getClass();
        if (HARMLESS.contains(kind.getName())) {
            return true;
        }
        // A permission that the program made itself guards what the program does.
        ClassLoader loader = kind.getClassLoader();
        if (loader != null && loader == Guard.class.getClassLoader()) {
            return true;
        }
        if (!(permission instanceof RuntimePermission || kind.getName().equals("java.net.NetPermission") || kind.getName().equals("java.awt.AWTPermission"))) {
            return false;
        }
        String name = permission.getName();
        for (String harmless : HARMLESS_NAMES) {
            if (harmless.endsWith(".") ? name.startsWith(harmless) : name.equals(harmless)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void checkPermission(Permission permission) {
        if (permission instanceof FilePermission) {
            String actions = permission.getActions();
            if (actions.contains("write") || actions.contains("delete") || actions.contains("execute")) {
                refuse("would " + actions + " " + permission.getName());
            }
        } else if (permission instanceof SocketPermission) {
            refuse("would use the network: " + permission.getName());
        } else if (!isHarmless(permission)) {
            refuse("would act beyond this JVM: " + permission.getClass().getSimpleName() + " " + permission.getName());
        }
    }

    @Override
    public void checkPermission(Permission permission, Object context) {
        checkPermission(permission);
    }

    @Override
    public void checkExit(int status) {
        if (!over) {
            Main.finish(status == 0 ? null : "it exits with status " + status, false);
        }
    }

    @Override
    public void checkExec(String command) {
        refuse("would start the process " + command);
    }

    @Override
    public void checkLink(String library) {
        String home = System.getProperty("java.home");
        String[] places = {home + "/lib", home + "/bin", System.getProperty("sun.boot.library.path", "")};
        boolean named = library.indexOf(File.separatorChar) < 0;
        try {
            // Those of the JDK, which may be named by symbolic links.
            String real = new File(library).getCanonicalPath();
            if (!named && real.startsWith(new File(home).getCanonicalPath() + File.separatorChar)) {
                return;
            }
        } catch (java.io.IOException e) {
            refuse("would load the native library " + library + ", which cannot be found");
        }
        for (String place : places) {
            if (named && new File(place, System.mapLibraryName(library)).exists()) {
                return;
            }
        }
        refuse("would load the native library " + library);
    }

    @Override
    public void checkWrite(String file) {
        if (!file.equals(Hooks.NOWHERE.getPath())) {
            refuse("would write the file " + file);
        }
    }

    @Override
    public void checkWrite(FileDescriptor descriptor) {
        if (!Hooks.isOurs(descriptor)) {
            refuse("would write to an open file");
        }
    }

    @Override
    public void checkDelete(String file) {
        refuse("would delete the file " + file);
    }

    @Override
    public void checkConnect(String host, int port) {
        refuse("would connect to " + host + (port < 0 ? "" : ":" + port));
    }

    @Override
    public void checkConnect(String host, int port, Object context) {
        checkConnect(host, port);
    }

    @Override
    public void checkListen(int port) {
        refuse("would listen on port " + port);
    }

    @Override
    public void checkAccept(String host, int port) {
        refuse("would accept connections from " + host);
    }

    @Override
    public void checkMulticast(InetAddress address) {
        refuse("would use multicast " + address);
    }

    @Override
    public void checkPrintJobAccess() {
        refuse("would print");
    }

    @Override
    public void checkRead(String file) {}

    @Override
    public void checkRead(String file, Object context) {}

    @Override
    public void checkRead(FileDescriptor descriptor) {}

    @Override
    public void checkAccess(Thread thread) {}

    @Override
    public void checkAccess(ThreadGroup group) {}

    @Override
    public void checkPackageAccess(String name) {}

    @Override
    public void checkPackageDefinition(String name) {}

    @Override
    public void checkPropertyAccess(String name) {}

    @Override
    public void checkPropertiesAccess() {}

    @Override
    public void checkCreateClassLoader() {}

    @Override
    public void checkSetFactory() {}

    @Override
    public void checkSecurityAccess(String target) {}
}
