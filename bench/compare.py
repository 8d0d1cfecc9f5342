"""Measures whole processes side by side: wall time and peak memory, runs interleaved so that noise hits all alike.

Usage: compare.py startup|cpu   (see run.sh for the environment)

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
    """One process: (wall seconds, peak bytes, output), or None when it fails."""
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
    return (wall, usage.ru_maxrss * 1024, text) if os.waitstatus_to_exitcode(status) == 0 else None


def measure(program, peers, runs):
    """Medians per runtime name: {"bao": (seconds, bytes)}; a runtime that cannot run the program is left out."""
    usable = []
    first = None
    for runtime in peers:
        # Twice, so that caches on disk are written and read.
        run_once(runtime.argv(program))
        result = run_once(runtime.argv(program))
        if result is None:
            continue
        if first is None:
            first = result[2]
        elif result[2] != first:
            print(f"note: {runtime.name} prints something else for {program.name}", file=sys.stderr)
        usable.append(runtime)
    samples = {runtime.name: [] for runtime in usable}
    for _ in range(runs):
        for runtime in usable:
            result = run_once(runtime.argv(program))
            if result:
                samples[runtime.name].append(result[:2])
    return {
        name: (statistics.median(s[0] for s in list_), statistics.median(s[1] for s in list_))
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


def main():
    kind = sys.argv[1]
    runs = int(os.environ.get("RUNS", 30)) if kind == "startup" else int(os.environ.get("CPU_RUNS", 5))
    peers = runtimes()
    wanted = os.environ.get("CASE", "")
    print(f"{kind}: " + ", ".join(f"{r.name} {r.version()}" for r in peers) + f"; median of {runs}")
    head = f"{'case':<20}" + "".join(f"{r.name + ' ms':>10}" for r in peers) + f"{'ratio':>13}"
    head += "".join(f"{r.name + ' MB':>10}" for r in peers) + f"{'ratio':>13}"
    print(head)
    times, sizes = [], []
    with tempfile.TemporaryDirectory(prefix="bao-bench-") as scratch:
        for name, program in (startup_cases if kind == "startup" else cpu_cases)(pathlib.Path(scratch)):
            if wanted not in name:
                continue
            results = measure(program, peers, runs)
            line = f"{name:<20}"
            for index, unit in ((0, 1e-3), (1, 1e6)):
                for runtime in peers:
                    value = results.get(runtime.name)
                    line += f"{value[index] / unit:>10.1f}" if value else f"{'-':>10}"
                quotient, best = ratio(results, index)
                line += f"{quotient:>8.2f} {best:<4}" if quotient else f"{'-':>13}"
                if quotient:
                    (times, sizes)[index].append(quotient)
            print(line, flush=True)
    if len(times) > 1:
        mean = lambda values: math.exp(sum(map(math.log, values)) / len(values))
        print(f"geometric mean of the ratios to the best peer: time {mean(times):.2f}, memory {mean(sizes):.2f}")


if __name__ == "__main__":
    main()
