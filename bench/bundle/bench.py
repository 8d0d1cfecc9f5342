"""Measures bundlers side by side: processor time, wall time, peak memory and size, runs interleaved.

Usage: BAO=path bench.py [--runs N] [--case NAME] [--tool NAME]

The peers are those that are found below $PEERS_DIR/node_modules (`npm i bun esbuild rolldown three typescript`) or in the
variables BUN and NODE; `three` and `typescript` of the same folder are what is bundled. Cases:

  three    three.js/src ten times, as in esbuild's benchmark
  tsc      TypeScript's compiler, one file of 9 MB

each as it is and minified, with source maps. Numbers are medians. On a busy machine processor time says more than wall time.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

COPIES = 10


def peers_dir():
    found = os.environ.get("PEERS_DIR")
    if not found:
        sys.exit("bench: set PEERS_DIR to a folder with node_modules (npm i bun esbuild rolldown three typescript)")
    return pathlib.Path(found)


def executable(variable, *places):
    """The executable of a variable, or the first of some places that is there."""
    if os.environ.get(variable):
        return os.environ[variable]
    return next((str(place) for place in places if place.exists()), None)


def tools(peers):
    """Names of bundlers with functions that give their command lines for an entry point, a result, and minified or not."""
    modules = peers / "node_modules"
    bao = os.environ.get("BAO") or sys.exit("bench: set BAO to the executable to measure")
    bun = executable("BUN", modules / "bun/bin/bun.exe", modules / ".bin/bun")
    node = executable("NODE", *map(pathlib.Path, filter(None, [shutil.which("node")])))
    esbuild = executable("ESBUILD", *modules.glob("@esbuild/*/bin/esbuild"))
    rolldown = modules / "rolldown/bin/cli.mjs"

    def like_bun(path):
        return lambda entry, out, minify: [
            path, "build", entry, f"--outfile={out}", "--sourcemap=linked", "--target=node",
            *(["--minify"] if minify else []),
        ]

    found = {"bao": like_bun(bao)}
    if bun:
        found["bun"] = like_bun(bun)
    if esbuild:
        found["esbuild"] = lambda entry, out, minify: [
            esbuild, "--bundle", entry, f"--outfile={out}", "--sourcemap", "--format=esm", "--platform=node",
            "--log-level=error",
            *(["--minify"] if minify else []),
        ]
    if node and rolldown.exists():
        found["rolldown"] = lambda entry, out, minify: [
            node, str(rolldown), entry, "-o", out, "--sourcemap", "--platform=node", "--logLevel=silent",
            *(["--minify"] if minify else []),
        ]
    return found


def cases(peers, folder):
    """Names of cases with their entry points; what is missing is left out."""
    modules = peers / "node_modules"
    found = {}
    three = modules / "three/src"
    if three.exists():
        base = folder / "three"
        lines = []
        for index in range(COPIES):
            shutil.copytree(three, base / f"copy{index}")
            lines.append(f'import * as three{index} from "./three/copy{index}/Three.js";\nexport {{ three{index} }};')
        # Beside the results: Bun puts them into the folder of the entry point.
        entry = folder / "three.js"
        entry.write_text("\n".join(lines))
        found["three"] = str(entry)
    compiler = modules / "typescript/lib/typescript.js"
    if compiler.exists():
        entry = folder / "tsc.js"
        shutil.copy(compiler, entry)
        found["tsc"] = str(entry)
    return found


def measure(argv, out, cwd):
    """One run: processor seconds, wall seconds, peak bytes, size of the code."""
    pathlib.Path(out).unlink(missing_ok=True)
    begun = time.monotonic()
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(argv, cwd=cwd, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0 or not pathlib.Path(out).exists():
            log.seek(0)
            raise RuntimeError(f"{' '.join(argv)}\n{log.read().decode(errors='replace')[-2000:]}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, pathlib.Path(out).stat().st_size


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--case", default="")
    parser.add_argument("--tool", action="append")
    options = parser.parse_args()
    peers = peers_dir()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="bench-bundle-") as name:
        folder = pathlib.Path(name)
        found = {tool: argv for tool, argv in tools(peers).items() if not options.tool or tool in options.tool}
        for case, entry in cases(peers, folder).items():
            if options.case not in case:
                continue
            for minify in (False, True):
                runs = {tool: [] for tool in found}
                for _ in range(options.runs):
                    for tool, argv in found.items():
                        out = str(folder / f"{case}-{tool}.js")
                        try:
                            runs[tool].append(measure(argv(entry, out, minify), out, folder))
                        except RuntimeError as error:
                            print(f"{tool}: {error}", file=sys.stderr)
                print(f"{case}{' minified' if minify else ''}")
                print(f"  {'':10} {'cpu s':>7} {'wall s':>7} {'peak MB':>8} {'size kB':>9}")
                for tool, results in runs.items():
                    if not results:
                        continue
                    cpu, wall, peak, size = (statistics.median(column) for column in zip(*results))
                    print(f"  {tool:10} {cpu:7.2f} {wall:7.2f} {peak / 1e6:8.0f} {size / 1e3:9.1f}")


main()
