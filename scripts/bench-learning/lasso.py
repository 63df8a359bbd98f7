"""scikit-learn's exact path for lasso.sh: prints `name seconds detail` per line. scikit-learn 1.9."""
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import lars_path

folder = Path(sys.argv[1])
for name, rows, columns in [("small", 3840, 126), ("large", 3045, 5516)]:
    numbers = np.fromfile(folder / f"{name}.bin", "<f8").reshape(columns + 1, rows)
    x, y = np.asfortranarray(numbers[:-1].T), numbers[-1]
    smallest = np.loadtxt(folder / f"{name}.lambda")[-1]
    best, knots = np.inf, 0
    for _ in range(9 if name == "small" else 2):
        start = time.perf_counter()
        z = x - x.mean(axis=0)
        deviation = np.sqrt((z**2).mean(axis=0))
        z /= np.where(deviation > 0, deviation, 1)
        t = y - y.mean()
        gram = z.T @ z if name == "small" else None
        alphas, _, _ = lars_path(z, t, Xy=z.T @ t, Gram=gram, method="lasso", alpha_min=smallest, copy_X=False)
        best, knots = min(best, time.perf_counter() - start), len(alphas)
    print(f"{name}-lars {best:.5f} {knots} knots")
