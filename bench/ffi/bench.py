#!/usr/bin/env python3
"""Calls of native addons in bao beside Bun and Node, and of C functions by bun:ffi beside Bun: `./x bench ffi`. Needs gcc. BAO, BUN and NODE are paths; those of
peers may be left out."""
import json, os, shutil, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))


def peers():
    yield "bao", os.environ["BAO"]
    folder = os.path.join(os.environ.get("PEERS_DIR", ""), "node_modules", ".bin")
    for name in ("bun", "node"):
        path = os.environ.get(name.upper()) or shutil.which(name, path=folder) or shutil.which(name)
        if path:
            yield name, path


def table(title, program, argument, accepts):
    results = {}
    for name, path in peers():
        if not accepts(name):
            continue
        run = subprocess.run([path, os.path.join(here, program), argument], capture_output=True, text=True)
        if run.returncode != 0:
            print(f"{name}: ended with {run.returncode}: {run.stderr.strip()[:200]}", file=sys.stderr)
            continue
        results[name] = json.loads(run.stdout)
    print(title.ljust(32) + "".join(name.rjust(10) for name in results))
    for case in next(iter(results.values())):
        print(case.ljust(32) + "".join(f"{result[case]:10.1f}" for result in results.values()))


def main():
    if not shutil.which("gcc"):
        sys.exit("bench: gcc is needed to compile the addon")
    with tempfile.TemporaryDirectory() as folder:
        for source, output in (("addon.c", "addon.node"), ("library.c", "library.so")):
            target = os.path.join(folder, output)
            subprocess.run(["gcc", "-O2", "-shared", "-fPIC", os.path.join(here, source), "-o", target], check=True)
        table("Node-API, nanoseconds a call", "calls.cjs", os.path.join(folder, "addon.node"), lambda name: True)
        library = os.path.join(folder, "library.so")
        table("bun:ffi, nanoseconds a call", "ffi_calls.cjs", library, lambda name: name != "node")


main()
