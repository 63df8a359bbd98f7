package pricetag.predictor;

/** A formula in postfix notation, its words separated by blanks: numbers, features as `f0`, operators. */
final class Formula {
    private Formula() {}

    static double evaluate(String words, double[] features) {
        double[] stack = new double[words.length() + 1];
        int top = 0;
        for (String word : words.split(" ")) {
            if (word.matches("f[0-9]+")) {
                stack[top++] = features[Integer.parseInt(word.substring(1))];
                continue;
            }
            switch (word) {
                case "ln":
                    stack[top - 1] = Math.log(stack[top - 1]);
                    continue;
                case "exp":
                    stack[top - 1] = Math.exp(stack[top - 1]);
                    continue;
                case "sin":
                    stack[top - 1] = Math.sin(stack[top - 1]);
                    continue;
                case "arctan":
                    stack[top - 1] = Math.atan(stack[top - 1]);
                    continue;
                case "if":
                    double condition = stack[top - 3];
                    stack[top - 3] = condition == 0 || condition != condition ? stack[top - 1] : stack[top - 2];
                    top -= 2;
                    continue;
                default:
                    break;
            }
            if (!isOperator(word)) {
                stack[top++] = Double.parseDouble(word);
                continue;
            }
            top--;
            stack[top - 1] = apply(word, stack[top - 1], stack[top]);
        }
        return stack[0];
    }

    private static boolean isOperator(String word) {
        return "+ * / ^ min max < <= > >= == !=".indexOf(word) >= 0 && !Character.isDigit(word.charAt(0));
    }

    private static double apply(String word, double a, double b) {
        switch (word) {
            case "+":
                return a + b;
            case "*":
                return a * b;
            case "/":
                return a / b;
            case "^":
                return Math.pow(a, b);
            case "min":
                return b < a || a != a ? b : a;
            case "max":
                return b > a || a != a ? b : a;
            case "<":
                return a < b ? 1 : 0;
            case "<=":
                return a <= b ? 1 : 0;
            case ">":
                return a > b ? 1 : 0;
            case ">=":
                return a >= b ? 1 : 0;
            case "==":
                return a == b ? 1 : 0;
            case "!=":
                return a != b ? 1 : 0;
            default:
                throw new IllegalArgumentException(word);
        }
    }
}
