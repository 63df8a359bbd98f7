package pricetag.border;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.lang.reflect.Array;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** What is written about a value: numbers as they are, all else by size; arrays of primitives with sum, least, largest, and how often each value occurs. */
final class Values {
    /** Different values of an array of which each is counted. */
    private static final int KINDS = 16;
    /** Elements of an array or collection that are described one by one. */
    private static final int ELEMENTS = 64;
    /** Elements of an array of primitives that are looked at. */
    private static final int LOOKED = 1 << 24;
    private static final int DEPTH = 3;

    private Values() {}

    static void real(double value, StringBuilder out) {
        if (value != value || Double.isInfinite(value)) {
            out.append('"').append(value).append('"');
        } else {
            out.append(value);
        }
    }

    static void object(Object value, StringBuilder out, int depth) {
        int length = out.length();
        try {
            write(value, out, depth);
        } catch (Throwable failure) {
            // Its own size() throws, or it changes meanwhile.
            out.setLength(length);
            out.append("{\"of\":\"?\"}");
        }
    }

    private static void write(Object value, StringBuilder out, int depth) throws Exception {
        if (value == null) {
            out.append("null");
        } else if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            out.append(((Number) value).longValue());
        } else if (value instanceof Double || value instanceof Float) {
            real(((Number) value).doubleValue(), out);
        } else if (value instanceof Boolean) {
            out.append((Boolean) value ? 1 : 0);
        } else if (value instanceof Character) {
            out.append((int) (Character) value);
        } else if (value instanceof Enum) {
            out.append(((Enum<?>) value).ordinal());
        } else if (value instanceof String) {
            size(((String) value).length(), out).append('}');
        } else if (value instanceof Object[]) {
            Object[] array = (Object[]) value;
            elements(array, array.length, size(array.length, out), depth).append('}');
        } else if (value.getClass().isArray()) {
            numbers(value, size(Array.getLength(value), out)).append('}');
        } else if (value instanceof Collection) {
            Collection<?> collection = (Collection<?>) value;
            size(collection.size(), out);
            if (value instanceof java.util.List && value.getClass().getName().startsWith("java.util.") && collection.size() <= ELEMENTS) {
                Object[] array = collection.toArray();
                elements(array, array.length, out, depth);
            }
            out.append('}');
        } else if (value instanceof Map) {
            size(((Map<?, ?>) value).size(), out).append('}');
        } else if (value instanceof File) {
            size(((File) value).length(), out).append('}');
        } else if (value instanceof Path) {
            size(Files.isRegularFile((Path) value) ? Files.size((Path) value) : 0, out).append('}');
        } else if (value instanceof FileInputStream) {
            java.nio.channels.FileChannel channel = ((FileInputStream) value).getChannel();
            size(channel.size() - channel.position(), out).append('}');
        } else if (value.getClass() == ByteArrayInputStream.class) {
            size(((ByteArrayInputStream) value).available(), out).append('}');
        } else {
            out.append("{\"of\":\"?\"}");
        }
    }

    private static StringBuilder size(long size, StringBuilder out) {
        return out.append("{\"n\":").append(size);
    }

    private static StringBuilder elements(Object[] array, int length, StringBuilder out, int depth) {
        if (depth >= DEPTH) {
            return out;
        }
        out.append(",\"e\":[");
        for (int i = 0; i < length && i < ELEMENTS; i++) {
            if (i > 0) {
                out.append(',');
            }
            object(array[i], out, depth + 1);
        }
        return out.append(']');
    }

    private static StringBuilder numbers(Object array, StringBuilder out) {
        int length = Math.min(Array.getLength(array), LOOKED);
        TreeMap<Double, Integer> kinds = new TreeMap<Double, Integer>();
        double sum = 0;
        double least = Double.POSITIVE_INFINITY;
        double largest = Double.NEGATIVE_INFINITY;
        long[] bytes = array instanceof byte[] ? new long[256] : null;
        for (int i = 0; i < length; i++) {
            double value;
            if (bytes != null) {
                byte b = ((byte[]) array)[i];
                bytes[b & 255]++;
                value = b;
            } else if (array instanceof int[]) {
                value = ((int[]) array)[i];
            } else if (array instanceof boolean[]) {
                value = ((boolean[]) array)[i] ? 1 : 0;
            } else if (array instanceof char[]) {
                value = ((char[]) array)[i];
            } else {
                value = ((Number) Array.get(array, i)).doubleValue();
            }
            sum += value;
            least = Math.min(least, value);
            largest = Math.max(largest, value);
            if (bytes == null && kinds.size() <= KINDS) {
                Integer known = kinds.get(value);
                kinds.put(value, known == null ? 1 : known + 1);
            }
        }
        if (bytes != null) {
            for (int b = -128; b < 128; b++) {
                if (bytes[b & 255] > 0) {
                    kinds.put((double) b, (int) bytes[b & 255]);
                }
            }
        }
        if (bytes == null && length <= ELEMENTS) {
            out.append(",\"e\":[");
            for (int i = 0; i < length; i++) {
                object(Array.get(array, i), i == 0 ? out : out.append(','), DEPTH);
            }
            out.append(']');
        }
        if (length > 0 && !Double.isNaN(sum) && !Double.isInfinite(sum)) {
            out.append(",\"sum\":").append(sum).append(",\"min\":").append(least).append(",\"max\":").append(largest);
        }
        out.append(",\"kinds\":").append(kinds.size());
        if (kinds.size() <= KINDS) {
            out.append(",\"v\":{");
            String comma = "";
            for (Map.Entry<Double, Integer> entry : kinds.entrySet()) {
                double value = entry.getKey();
                out.append(comma).append('"');
                if (value == Math.rint(value) && Math.abs(value) < 1e15) {
                    out.append((long) value);
                } else {
                    out.append(value);
                }
                out.append("\":").append(entry.getValue());
                comma = ",";
            }
            out.append('}');
        }
        return out;
    }
}
