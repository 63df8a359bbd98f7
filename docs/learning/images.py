"""Makes images.csv: 240 made-up runs of an image filter. Run in this directory: python3 images.py

ns = (150000 + 38·width·height + 0.9·bytes) with 3 % multiplicative noise. `pixels` is not given on purpose; `rows` is a
copy of `height`, `version` a constant, `frames`, `tags` and `colours` do not matter. Pure Python, seed 20261121.
"""
import random

random.seed(20261121)
with open("images.csv", "w", encoding="ascii") as out:
    out.write("ns,width,height,rows,bytes,frames,tags,colours,version\n")
    for _ in range(240):
        width, height = random.randint(64, 2048), random.randint(64, 1536)
        size = int(width * height * random.uniform(0.05, 1.5)) + 600
        idle = [random.randint(1, 60), random.randint(0, 25), random.randint(2, 256)]
        ns = (150000 + 38 * width * height + 0.9 * size) * random.gauss(1, 0.03)
        out.write(",".join(map(str, [round(ns), width, height, height, size, *idle, 3])) + "\n")
