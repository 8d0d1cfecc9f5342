"""Test runners side by side: BAO=path [BUN=path] [RUNS=10] python3 bench/test-runner/bench.py [CASE...]

Cases: files (1,000 files of two tests), tests (10,000 tests in one file), heavy (10 files that compute), parallel (the heavy files
in two processes). Runs are interleaved; the numbers are medians of wall time, processor time and peak memory, and the ratio of bao's
to Bun's. On a busy machine processor time says more than wall time.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = int(os.environ.get("RUNS", "10"))
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "CI", "GITHUB_ACTIONS", "CLAUDECODE")}


def make(root):
    files = root / "files"
    files.mkdir()
    for i in range(1000):
        (files / f"f{i}.test.ts").write_text(
            'import { test, expect } from "bun:test";\n'
            f'test("adds {i}", () => {{\n  expect({i} + 1).toBe({i + 1});\n}});\n'
            f'test("text {i}", () => {{\n  expect("a".repeat(3)).toBe("aaa");\n}});\n'
        )
    tests = root / "tests"
    tests.mkdir()
    (tests / "all.test.ts").write_text(
        'import { test, expect, describe } from "bun:test";\n'
        'for (let g = 0; g < 100; g++) describe("group " + g, () => {\n'
        '  for (let i = 0; i < 50; i++) test("sync " + i, () => { expect(i + g).toBe(i + g); });\n'
        '  for (let i = 0; i < 50; i++) test("async " + i, async () => { await null; expect([i, g]).toEqual([i, g]); });\n'
        "});\n"
    )
    heavy = root / "heavy"
    heavy.mkdir()
    for i in range(10):
        (heavy / f"h{i}.test.ts").write_text(
            'import { test, expect } from "bun:test";\n'
            "for (let n = 0; n < 20; n++) test(`sorts ${n}`, () => {\n"
            "  const list = Array.from({ length: 20000 }, (_, k) => ({ key: (k * 7919 + n) % 20011, text: `item ${k}` }));\n"
            "  list.sort((a, b) => a.key - b.key);\n"
            "  const groups = Object.groupBy(list, (item) => item.key % 10);\n"
            "  expect(Object.keys(groups)).toHaveLength(10);\n"
            "  expect(JSON.parse(JSON.stringify(list.slice(0, 2000)))).toEqual(list.slice(0, 2000));\n"
            "});\n"
        )
    return {
        "files": (files, []),
        "tests": (tests, []),
        "heavy": (heavy, []),
        "parallel": (heavy, ["--parallel=2"]),
    }


def run(program, folder, words):
    started = time.perf_counter()
    child = subprocess.Popen(
        [program, "test", *words], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{program} test failed in {folder}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    programs = [("bao", os.environ["BAO"])]
    if os.environ.get("BUN"):
        programs.append(("bun", os.environ["BUN"]))
    with tempfile.TemporaryDirectory() as root:
        cases = make(pathlib.Path(root))
        for case in sys.argv[1:] or cases:
            folder, words = cases[case]
            found = {name: [] for name, _ in programs}
            for turn in range(RUNS + 1):
                for name, program in programs:
                    numbers = run(program, folder, words)
                    # The first run fills caches.
                    if turn > 0:
                        found[name].append(numbers)
            medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in found.items()}
            for name, (wall, cpu, memory) in medians.items():
                print(f"{case:10} {name:4} {wall * 1000:8.1f} ms  {cpu * 1000:8.1f} ms cpu  {memory:6.1f} MB")
            if len(medians) == 2:
                ratios = [a / b for a, b in zip(medians["bao"], medians["bun"])]
                print(f"{case:10} ratio {ratios[0]:6.2f}  {ratios[1]:13.2f}  {ratios[2]:11.2f}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
