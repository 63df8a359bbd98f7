"""Makes sort.csv: 120 made-up timings of two programs that sort. Run in this directory: python3 sort.py

ns = 900 + 2.1·a·log(a) for `merge` and 300 + 2.1·a·log(a) + 5·moves for `shell`, with 2 % multiplicative noise; in every
seventh row something else ran at the same time and the time is 3 to 20 times longer. Pure Python, seed 20261121.
"""
import math
import random

random.seed(20261121)
with open("sort.csv", "w", encoding="ascii") as out:
    out.write("ns,program,calls,a,alog,moves\n")
    for i in range(120):
        program = "merge" if i % 2 == 0 else "shell"
        a = int(math.exp(random.uniform(3, 10)))
        moves = 0 if program == "merge" else int(a * random.uniform(1, 3))
        base = 900 if program == "merge" else 300
        ns = (base + 2.1 * a * math.log(a) + 5 * moves) * random.gauss(1, 0.02)
        if i % 7 == 3:
            ns *= random.uniform(3, 20)
        out.write(f"{ns:.0f},{program},1,{a},{a * math.log(a):.0f},{moves}\n")
