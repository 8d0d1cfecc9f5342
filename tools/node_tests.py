"""Runs Node's own tests (test/parallel, test/sequential, test/wasi, and the folders below) and compares with the lists of what passes.

Usage: tools/node_tests.py GIT_DIR [--exe PATH] [--area NAME ...] [--update] [--jobs N] [--timeout SECONDS] [--show] [--only TEXT]

GIT_DIR is the .git directory of a clone of denoland/node_test (Node 25.8.1's test tree; no work tree needed: the blobs are
read with `git cat-file --batch`). An area is what stands after `test-` in a file's name; `--area fs` runs test-fs.js and
test-fs-*.js. The folders async-hooks, es-module, module-hooks, test-runner, report and client-proxy are areas of their own. Without --area, all areas that
have a list run. The area `rest` is what of parallel and sequential belongs to no other list.

tests/node/AREA.txt names the files that pass. A file of the list that fails twice is a regression: it is printed and the exit
code is 1. --update writes the lists anew. Another program (--exe of Node or Bun) is only counted, never compared.

A test passes when its process ends with 0 and did not skip itself for want of something (`1..0 # Skipped` counts apart).
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

LISTS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "node"
# Names that test/common/index.js reads as globals. Where one is missing every test would fail before it begins.
GLOBALS = """fetch Headers Request Response FormData WebSocket EventSource MessageChannel MessagePort MessageEvent BroadcastChannel Worker
CompressionStream DecompressionStream navigator Navigator CloseEvent Storage localStorage sessionStorage PerformanceEntry""".split()

# Folders whose files are an area by themselves.
FOLDERS = ["async-hooks", "es-module", "module-hooks", "test-runner", "report", "client-proxy"]

# The area of what belongs to no other.
REST = "rest"

# Areas whose tests take a version of OpenSSL for a sign of TLS, and skip themselves without one. TLS is another library here.
SECURE = {"http2"}


def blobs(git, folder, target):
    """Writes the files below `folder` of HEAD to `target`, and links as links."""
    listing = subprocess.run(["git", "--git-dir", git, "ls-tree", "-rz", "HEAD", folder], capture_output=True, text=True, check=True)
    entries = []
    for line in listing.stdout.split("\0")[:-1]:
        meta, path = line.split("\t", 1)
        entries.append((*meta.split(), path))
    reader = subprocess.Popen(["git", "--git-dir", git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for mode, _, name, path in entries:
        reader.stdin.write(f"{name}\n".encode())
        reader.stdin.flush()
        head = reader.stdout.readline().split()
        if head[1] == b"missing":
            continue
        data = reader.stdout.read(int(head[2]))
        reader.stdout.read(1)
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if mode == "120000":
            os.symlink(data, file)
        else:
            file.write_bytes(data)
            if mode == "100755":
                file.chmod(0o755)
    reader.stdin.close()
    reader.wait()


def run(file, options, root, number):
    """passed, skipped, output"""
    text = file.read_text(errors="replace")
    flags = re.search(r"^// Flags: (.*)$", text, re.M)
    env = {k: v for k, v in os.environ.items() if k not in ("NODE_OPTIONS", "BUN_OPTIONS", "FORCE_COLOR", "NO_COLOR")}
    env.update(NODE_TEST_KNOWN_GLOBALS="0", NODE_SKIP_FLAG_CHECK="1", TEST_THREAD_ID=str(number), TEST_SERIAL_ID=str(number))
    command = [options.exe]
    if options.preload:
        command += ["-r", options.preload]
    command += flags.group(1).split() if flags else []
    child = subprocess.Popen(
        [*command, str(file)], cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=options.timeout)
    except subprocess.TimeoutExpired:
        output = b"(timed out)"
    finally:
        # Whatever the test started ends with it.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    return child.returncode == 0, b"1..0 # Skipped" in output, output.decode(errors="replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("git_dir")
    parser.add_argument("--exe", default=os.environ.get("BAO", "target/release/bao"))
    parser.add_argument("--area", nargs="*", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true", help="prints the last lines of each failure")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=30)
    options = parser.parse_args()
    options.exe = str(pathlib.Path(shutil.which(options.exe) or options.exe).resolve())
    ours = pathlib.Path(options.exe).name.startswith("bao")
    areas = options.area or sorted(path.stem for path in LISTS.glob("*.txt"))
    root = pathlib.Path(tempfile.mkdtemp(prefix="node-tests-"))
    regressions = []
    try:
        for folder in ("test/common", "test/fixtures", "test/parallel", "test/sequential", "test/sqlite", "test/wasi", *(f"test/{name}" for name in FOLDERS)):
            blobs(options.git_dir, folder, root)
        options.preload = None
        if ours:
            options.preload = str(root / "preload.cjs")
            names = ", ".join(f'"{name}"' for name in GLOBALS)
            preload = f"for (const name of [{names}]) if (!(name in globalThis)) globalThis[name] = undefined;\n"
            if set(options.area or []) & SECURE:
                preload += 'Object.defineProperty(process, "versions", { value: { ...process.versions, openssl: "3.5.5" }, configurable: true });\n'
            (root / "preload.cjs").write_text(preload)
        total = [0, 0]
        for area in areas:
            folders, names = ("parallel", "sequential", "wasi"), rf"test-{re.escape(area)}(-.*)?"
            if area in FOLDERS:
                folders, names = (area,), "test-.*"
            others = r"(?!)"
            if area == REST:
                folders, names = ("parallel", "sequential"), "test-.*"
                listed_areas = (path.stem for path in LISTS.glob("*.txt") if path.stem not in (REST, *FOLDERS))
                others = rf"test-({'|'.join(re.escape(name) for name in listed_areas)})(-.*)?\.(js|mjs|cjs)"
            files = sorted(
                file
                for folder in folders
                for file in (root / "test" / folder).iterdir()
                if re.fullmatch(rf"{names}\.(js|mjs|cjs)", file.name)
                and not re.fullmatch(others, file.name)
                and options.only in file.name
            )
            listed = LISTS / f"{area}.txt"
            known = set(listed.read_text().split()) if listed.exists() else set()
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                # Tests of test/sequential need a port or the machine for themselves.
                side = [file for file in files if file.parent.name != "sequential"]
                results = dict(zip(side, pool.map(lambda pair: run(pair[1], options, root, pair[0]), enumerate(side))))
            for file in files:
                if file not in results:
                    results[file] = run(file, options, root, 0)
            passed, skipped = set(), 0
            for file in files:
                ok, skip, output = results[file]
                name = f"{file.parent.name}/{file.name}"
                if not ok and ours and name in known:
                    ok, skip, output = run(file, options, root, 0)
                if ok:
                    passed.add(name)
                    skipped += skip
                elif options.show:
                    print(f"--- {name}\n" + "\n".join(output.splitlines()[-12:]))
                if not ok and ours and name in known:
                    regressions.append(name)
            total = [total[0] + len(passed), total[1] + len(files)]
            print(f"{area}: {len(passed)} of {len(files)} pass ({skipped} skip themselves)", flush=True)
            if ours and options.update and not options.only:
                listed.parent.mkdir(exist_ok=True)
                listed.write_text("".join(f"{name}\n" for name in sorted(passed)))
        print(f"together: {total[0]} of {total[1]}")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if regressions and not options.update:
        print("regressions:\n" + "\n".join(regressions))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
