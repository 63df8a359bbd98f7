"""Data and frozen paths of scikit-learn for tests/lasso.rs.

Run in this directory: python make.py && Rscript make.R
Made with scikit-learn 1.9.1, numpy 2.4.6 (Python 3.11); then R 4.2.2 with glmnet 4.1-6.

NAME.csv holds y, w and the columns. NAME.lars holds one knot per line: alpha and the coefficients of
lars_path(method="lasso") without intercept, for 1/(2n)·RSS + alpha·sum|b|.
"""
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path

rng = np.random.default_rng(20261121)


def case(name, x, y, w=None):
    w = np.ones(len(y)) if w is None else w
    columns = ",".join(f"c{j + 1}" for j in range(x.shape[1]))
    table = np.column_stack([y, w, x])
    np.savetxt(f"{name}.csv", table, fmt="%.17g", delimiter=",", header="y,w," + columns, comments="")
    r = np.sqrt(w / w.sum() * len(y))
    alphas, _, coefs = lars_path(x * r[:, None], y * r, method="lasso", eps=1e-300)
    np.savetxt(f"{name}.lars", np.column_stack([alphas, coefs.T]), fmt="%.17g")


def counts(n, p):
    """Poisson counts that share a common size, as the counts of one program do."""
    size = np.exp(rng.normal(0, 1, n))
    return rng.poisson(np.outer(size, 20 * 2.0 ** rng.uniform(-2, 3, p))).astype(float)


def priced(x, noise=0.03):
    p = x.shape[1]
    price = np.where(rng.uniform(size=p) < 0.4, rng.uniform(1, 10, p), 0)
    price[0] = 5
    return (50 + x @ price) * np.exp(rng.normal(0, noise, len(x)))


x = counts(60, 6)
y = priced(x)
case("counts", x, y)
case("relative", x, y, 1 / np.maximum(np.abs(y), np.quantile(np.abs(y), 0.05)) ** 2)
w = rng.uniform(0.5, 2, 60)
w[[3, 17, 40]] = 0
case("zero-weights", x, y, w)
d = np.column_stack([x, x[:, 1], x[:, 4], x[:, 1]])
case("duplicates", d, y)
case("constant", np.column_stack([x[:, :3], np.full(60, 7.0), x[:, 3:], np.zeros(60)]), y)
case("sum", np.column_stack([x, x[:, 0] + 2 * x[:, 2]]), y)
z = x.copy()
z[::5] = 0
case("zero-rows", z, priced(z))
x = counts(15, 40)
case("more-columns", x, priced(x))
case("one-row", np.array([[3.0, 5.0, 2.0]]), np.array([40.0]))
x = counts(50, 5) * np.array([1e12, 1e-9, 1, 1e3, 1e-3])
case("ranges", x, x @ np.array([3e-12, 2e9, 1, 0, 500]) + rng.normal(0, 5, 50))
h = np.array([[1.0]])
while len(h) < 16:
    h = np.block([[h, h], [h, -h]])
h = h[:, 1:9]
case("ties", h, h @ np.array([3.0, 3, -3, 3, 1, -1, 0, 0]))
diabetes = load_diabetes(scaled=False)
take = np.arange(0, 442, 4)
case("diabetes", diabetes.data[take], diabetes.target[take])
t = np.linspace(0, 1, 40)
case("drops", np.column_stack([t, t**2, t**3, t**4, np.sin(5 * t), rng.normal(size=40)]), np.cos(6 * t) + rng.normal(0, 0.02, 40))
x = rng.normal(size=(40, 10)) @ rng.normal(size=(10, 10))
y = x @ rng.normal(size=10) + rng.normal(size=40)
case("mixed", x, (y - y.mean()) / y.std())
