/** Virtual, interface and super dispatch; abstract classes; calls on null. */
public class VirtualDispatch {
    abstract static class Animal {
        int sounds;

        abstract int sound();

        int twice() {
            sounds += 2; // count: 12
            return sound() + sound(); // count: 12
        }
    }

    static class Dog extends Animal {
        @Override
        int sound() {
            return 1; // count: 16
        }
    }

    static class Puppy extends Dog {
        @Override
        int sound() {
            return super.sound() + 10; // count: 8
        }
    }

    static class Cat extends Animal {
        @Override
        int sound() {
            return 100; // count: 8
        }

        @Override
        int twice() {
            return super.twice() + 1; // count: 4
        }
    }

    public static void main(String[] args) {
        Animal[] all = {new Dog(), new Puppy(), new Cat(), null};
        all[0] = new Puppy();
        all[1] = new Dog();
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            for (Animal a : all) {
                try {
                    sum += a.twice(); // count: 16
                } catch (NullPointerException e) {
                    sum += 5000; // count: 4
                }
            }
        }
        System.out.println(sum);
    }
}
