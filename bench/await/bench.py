"""What steps of promises cost in nanoseconds: await.mjs in each runtime, in turns, the smallest of each case.

Usage: bench.py [COUNT] (see ../run.sh for the environment; OTHER may name a second build of bao). `taskset -c 1` before it
keeps all of them on one core.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from compare import ENVIRONMENT, Runtime, runtimes

count = sys.argv[1] if len(sys.argv) > 1 else "100000"
found = runtimes()
if os.environ.get("OTHER"):
    found.insert(1, Runtime("other", os.environ["OTHER"]))
best = {}
for _ in range(int(os.environ.get("RUNS", "4"))):
    for runtime in found:
        done = subprocess.run(
            [*runtime.argv(HERE / "await.mjs"), count], env=ENVIRONMENT, capture_output=True, text=True, check=True
        )
        for line in done.stdout.splitlines():
            case, nanoseconds = line.split()
            row = best.setdefault(case, {})
            row[runtime.name] = min(row.get(runtime.name, float("inf")), float(nanoseconds))

print(f"{'ns each':18}" + "".join(f"{runtime.name:>9}" for runtime in found))
for case, row in best.items():
    print(f"{case:18}" + "".join(f"{row.get(runtime.name, float('nan')):9.1f}" for runtime in found))
