/** Inner, local and anonymous classes; access to private members of the nest; a captured variable. */
public class InnerClasses {
    private int secret = 1;

    class Inner {
        private int own = secret + 1; // count: 4

        int sum() {
            return own + secret; // count: 4
        }
    }

    interface Shape {
        int area(int scale);
    }

    static int total(Shape s) {
        return s.area(1) + s.area(2); // count: 3
    }

    public static void main(String[] args) {
        InnerClasses outer = new InnerClasses();
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            Inner in = outer.new Inner(); // count: 4
            in.own += i; // count: 4
            sum += in.sum(); // count: 4
        }
        final int side = sum;
        class Square implements Shape {
            @Override
            public int area(int scale) {
                return side * side * scale; // count: 2
            }
        }
        sum += total(new Square());
        sum += total(new Shape() {
            int calls;

            @Override
            public int area(int scale) {
                calls++; // count: 2
                return side * scale + calls; // count: 2
            }
        }) + total(new Shape() {
            @Override
            public int area(int scale) {
                return scale; // count: 2
            }
        });
        System.out.println(sum);
    }
}
