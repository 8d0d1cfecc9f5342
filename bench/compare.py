"""Measures whole processes side by side: wall time and peak memory, runs interleaved so that noise hits all alike.

Usage: compare.py startup|cpu|core   (see run.sh for the environment)

`core` shows processor time (user and system, all threads) too: on a busy machine it says more than wall time does.

The numbers are medians. Peak memory is `ru_maxrss` of the child; Linux counts the parent's pages until exec, so values
below this script's own size (about 12 MB) would not show. A ratio below 1 means that bao is better than the best peer.
"""

import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from startup.generate import commonjs_tree, esm_graph

HERE = pathlib.Path(__file__).resolve().parent
# What would change a runtime's behaviour stays out.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("BAO_LIB", "NODE_OPTIONS", "BUN_OPTIONS", "FORCE_COLOR")}
ENVIRONMENT["NO_COLOR"] = "1"


class Runtime:
    """An executable and the words between its name and the program's file."""

    def __init__(self, name, path, words=()):
        self.name = name
        self.path = path
        self.words = list(words)

    def argv(self, program):
        return [self.path, *self.words, str(program)]

    def version(self):
        try:
            done = subprocess.run([self.path, "--version"], capture_output=True, text=True, timeout=20)
            return done.stdout.strip().splitlines()[0] if done.returncode == 0 else "?"
        except (OSError, IndexError, subprocess.TimeoutExpired):
            return "?"


def find(variable, name, inside):
    """A peer's path: the variable, PATH, or a file below $PEERS_DIR/node_modules."""
    if os.environ.get(variable):
        return os.environ[variable]
    found = shutil.which(name)
    if found:
        return found
    peers = os.environ.get("PEERS_DIR")
    for pattern in inside if peers else ():
        for path in sorted(pathlib.Path(peers, "node_modules").glob(pattern)):
            if os.access(path, os.X_OK):
                return str(path)
    return None


def runtimes():
    found = [
        Runtime("bao", os.environ["BAO"]),
        Runtime("bun", find("BUN", "bun", ["bun/bin/bun.exe", "@oven/*/bin/bun"])),
        Runtime("node", find("NODE", "node", ["node/bin/node"])),
        Runtime("deno", find("DENO", "deno", ["@deno/*/deno", "deno/deno"]), ["run", "-A", "--quiet"]),
    ]
    return [runtime for runtime in found if runtime.path]


def run_once(argv):
    """One process: (wall seconds, peak bytes, processor seconds, output), or None when it fails."""
    with tempfile.TemporaryFile() as out:
        begin = time.perf_counter_ns()
        pid = os.posix_spawn(
            argv[0],
            argv,
            ENVIRONMENT,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
            ],
        )
        _, status, usage = os.wait4(pid, 0)
        wall = (time.perf_counter_ns() - begin) / 1e9
        out.seek(0)
        text = out.read()
    cpu = usage.ru_utime + usage.ru_stime
    return (wall, usage.ru_maxrss * 1024, cpu, text) if os.waitstatus_to_exitcode(status) == 0 else None


def measure(program, peers, runs):
    """Medians per runtime name: {"bao": (seconds, bytes, processor seconds)}; a runtime that cannot run the program is left out."""
    usable = []
    first = None
    for runtime in peers:
        # Twice, so that caches on disk are written and read.
        run_once(runtime.argv(program))
        result = run_once(runtime.argv(program))
        if result is None:
            continue
        if first is None:
            first = result[3]
        elif result[3] != first:
            print(f"note: {runtime.name} prints something else for {program.name}", file=sys.stderr)
        usable.append(runtime)
    samples = {runtime.name: [] for runtime in usable}
    for _ in range(runs):
        for runtime in usable:
            result = run_once(runtime.argv(program))
            if result:
                samples[runtime.name].append(result[:3])
    return {
        name: tuple(statistics.median(sample[index] for sample in list_) for index in range(3))
        for name, list_ in samples.items()
        if list_
    }


def ratio(results, index):
    """bao over the best peer, with that peer's name."""
    peers = {name: values[index] for name, values in results.items() if name != "bao"}
    if "bao" not in results or not peers:
        return None, ""
    best = min(peers, key=peers.get)
    return results["bao"][index] / peers[best], best


def startup_cases(folder):
    yield "hello.js", HERE / "startup" / "hello.js"
    yield "hello.ts (warm)", HERE / "startup" / "hello.ts"
    yield "50 ES modules", esm_graph(folder / "esm", 50)
    yield "65 CommonJS modules", commonjs_tree(folder / "commonjs", 65, 500_000)
    yield "5,000 ES modules", esm_graph(folder / "large", 5000)


def cpu_cases(_folder):
    for path in sorted((HERE / "cpu").glob("*.js")):
        yield path.stem, path


def core_cases(folder):
    """The core modules; BENCH_TREE is a tree of 20,000 small files in 200 folders and one file of 16 MiB."""
    tree = folder / "tree"
    for number in range(200):
        inner = tree / f"d{number}"
        inner.mkdir(parents=True)
        for i in range(100):
            (inner / f"f{i}.txt").write_text(f"file {number} {i}\n" + "A line of text, as files have.\n" * (i % 60))
    (tree / "large.bin").write_bytes(bytes(range(256)) * 65536)
    ENVIRONMENT["BENCH_TREE"] = str(tree)
    for path in sorted((HERE / "core").glob("*.*js")):
        yield path.stem, path


# Kind: its cases, the number of runs with the variable that changes it, and the columns (index of a sample, unit, name).
WALL, MEMORY, PROCESSOR = (0, 1e-3, "ms"), (1, 1e6, "MB"), (2, 1e-3, "cpu")
KINDS = {
    "startup": (startup_cases, "RUNS", 30, [WALL, MEMORY]),
    "cpu": (cpu_cases, "CPU_RUNS", 5, [WALL, MEMORY]),
    "core": (core_cases, "CPU_RUNS", 5, [WALL, PROCESSOR, MEMORY]),
}


def main():
    kind = sys.argv[1]
    cases, variable, runs, columns = KINDS[kind]
    runs = int(os.environ.get(variable, runs))
    peers = runtimes()
    wanted = os.environ.get("CASE", "")
    print(f"{kind}: " + ", ".join(f"{r.name} {r.version()}" for r in peers) + f"; median of {runs}")
    head = f"{'case':<20}"
    for _, _, unit in columns:
        head += "".join(f"{r.name + ' ' + unit:>10}" for r in peers) + f"{'ratio':>13}"
    print(head)
    ratios = {index: [] for index, _, _ in columns}
    with tempfile.TemporaryDirectory(prefix="bao-bench-") as scratch:
        for name, program in cases(pathlib.Path(scratch)):
            if wanted not in name:
                continue
            results = measure(program, peers, runs)
            line = f"{name:<20}"
            for index, unit, _ in columns:
                for runtime in peers:
                    value = results.get(runtime.name)
                    line += f"{value[index] / unit:>10.1f}" if value else f"{'-':>10}"
                quotient, best = ratio(results, index)
                line += f"{quotient:>8.2f} {best:<4}" if quotient else f"{'-':>13}"
                if quotient:
                    ratios[index].append((quotient, name))
            print(line, flush=True)
    names = {WALL[0]: "time", MEMORY[0]: "memory", PROCESSOR[0]: "processor time"}
    means, worst = [], []
    for index, list_ in ratios.items():
        if len(list_) > 1:
            means.append(f"{names[index]} {math.exp(sum(math.log(value) for value, _ in list_) / len(list_)):.2f}")
            worst.append(f"{names[index]} {max(list_)[0]:.2f} ({max(list_)[1]})")
    if means:
        print("geometric mean of the ratios to the best peer: " + ", ".join(means))
        print("worst row: " + ", ".join(worst))


if __name__ == "__main__":
    main()
