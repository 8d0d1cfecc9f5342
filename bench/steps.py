"""What steps cost in nanoseconds: a program that prints `CASE NANOSECONDS` lines, in each runtime, in turns, the smallest of each case.

Usage: steps.py await|kernels [WORD…]   (the words go to the program; see run.sh for the environment). OTHER may name a
second build of bao, RUNS the number of turns (4). `taskset -c 1` before it keeps all of them on one core.

`best/bao` is the smallest figure of the peers over bao's: above 1 means that bao is ahead. The last line is its geometric mean.
"""

import math
import os
import pathlib
import subprocess
import sys

from compare import ENVIRONMENT, Runtime, runtimes

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {"await": HERE / "await" / "await.mjs", "kernels": HERE / "kernels" / "kernels.mjs"}

if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
    sys.exit(__doc__)
found = runtimes()
if os.environ.get("OTHER"):
    found.insert(1, Runtime("other", os.environ["OTHER"]))
best = {}
for _ in range(int(os.environ.get("RUNS", "4"))):
    for runtime in found:
        done = subprocess.run(
            [*runtime.argv(PROGRAMS[sys.argv[1]]), *sys.argv[2:]], env=ENVIRONMENT, capture_output=True, text=True, check=True
        )
        for line in done.stdout.splitlines():
            case, nanoseconds = line.split()
            row = best.setdefault(case, {})
            row[runtime.name] = min(row.get(runtime.name, float("inf")), float(nanoseconds))

peers = [runtime.name for runtime in found if runtime.name not in ("bao", "other")]
print(f"{'ns each':20}" + "".join(f"{runtime.name:>10}" for runtime in found) + (f"{'best/bao':>10}" if peers else ""))
factors = []
for case, row in best.items():
    line = f"{case:20}" + "".join(f"{row.get(runtime.name, float('nan')):10.1f}" for runtime in found)
    rivals = [row[name] for name in peers if name in row]
    if rivals:
        factors.append(min(rivals) / row["bao"])
        line += f"{factors[-1]:10.2f}"
    print(line)
if factors:
    print(f"geometric mean of best/bao: {math.exp(sum(map(math.log, factors)) / len(factors)):.2f}")
