"""Makes programs.csv: 16 made-up programs, each on 8 inputs. Run in this directory: python3 programs.py

ns = 11·cons + 4·match + 2·calls, plus an error of 1 % of the program's mean time, whatever the input: a timer that was
interrupted now and then. The programs' times differ by four orders of magnitude. Pure Python, seed 20261121.
"""
import random

random.seed(20261121)
with open("programs.csv", "w", encoding="ascii") as out:
    out.write("ns,program,cons,match,calls\n")
    for program in range(16):
        length = 10 ** random.uniform(2, 6)
        share = [random.uniform(0, 1) ** 2 for _ in range(3)]
        rows = []
        for i in range(8):
            counts = [int(length * (i + 1) / 8 * s * random.uniform(0.9, 1.1)) + 1 for s in share]
            rows.append((11 * counts[0] + 4 * counts[1] + 2 * counts[2], counts))
        mean = sum(time for time, _ in rows) / len(rows)
        for time, counts in rows:
            ns = max(1, round(time + random.gauss(0, 0.01 * mean), 1))
            out.write(f"{ns},p{program:02},{','.join(map(str, counts))}\n")
