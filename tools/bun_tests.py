#!/usr/bin/env python3
"""Runs Bun's own tests and compares with the lists of what passes.

Usage: tools/bun_tests.py GIT_DIR [AREA ...] [--exe PATH] [--update] [--jobs N] [--timeout SECONDS] [--show] [--fresh] [--json FILE]
       [--logs FOLDER] [--beside FILE]

GIT_DIR is the .git directory of a clone of oven-sh/bun (or of a copy of it; no work tree needed). Its files are laid out once in
$XDG_CACHE_HOME/bao-build/bun-tests, by commit, and the packages of its tests are installed there by the executable itself;
--fresh does that anew. An AREA is a folder or a file below test/, as js/node/fs, or the files of a folder without its subfolders, as
"js/node/*"; without one, all areas that have a list run.

No test is changed: `bunExe()` is process.execPath, and bao runs under the name `bun` (a link or copy in a temporary folder), by which commands
present themselves as Bun's. Each file runs in a process group of its own with a limit of time, an own
HOME and TMPDIR, no terminal, and a network namespace where only the loopback exists (--share-network: without one).

tests/bun_suite/AREA.txt has a line "PASSES FILE" for each file in which something passes. A file with fewer passes than its line
says is run again alone; if it fails again it is a regression: it is printed and the exit code is 1. --update writes the lists
anew; a count falls only if the file says so twice. Another program (--exe of Bun) is only counted, never compared. --logs keeps
the whole output of each file. --beside takes what --json wrote for another executable and prints both by area and by file.
"""

import argparse
import atexit
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

LISTS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "bun_suite"
TEST_FILE = re.compile(r"[._](test|spec)\.[cm]?[jt]sx?$")
COUNT = re.compile(r"^\s*(\d+) (pass|fail|skip|todo)$", re.M)


def lay_out(git_dir, exe, fresh):
    """The folder with the work tree of HEAD and the packages of its tests."""
    head = subprocess.run(["git", "--git-dir", git_dir, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "bao-build" / "bun-tests"
    tree = cache / head[:16]
    if fresh:
        shutil.rmtree(tree, ignore_errors=True)
    if tree.exists():
        return tree
    cache.mkdir(parents=True, exist_ok=True)
    made = pathlib.Path(tempfile.mkdtemp(dir=cache))
    env = dict(os.environ, GIT_INDEX_FILE=str(made / ".index"))
    subprocess.run(["git", "--git-dir", git_dir, "read-tree", "HEAD"], env=env, check=True)
    # The exit code tells of blobs that a partial copy of the repository lacks: the tests that need them fail by themselves.
    subprocess.run(["git", "--git-dir", git_dir, "--work-tree", str(made), "checkout-index", "-a", "-f", "-q"], env=env, check=False)
    without_github(made / "package.json")
    for folder, options in ((made, []), (made / "test", ["--linker", "hoisted"])):
        subprocess.run([exe, "install", "--ignore-scripts", *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    made.rename(tree)
    return tree


def named_bun(exe):
    """A hard link to the executable, or a copy, whose name is `bun`."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bun-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        os.link(exe, folder / "bun")
    except OSError:
        shutil.copy2(exe, folder / "bun")
    return str(folder / "bun")


def without_github(path):
    """Takes the packages that only GitHub has out of a package.json: no test needs them, and a registry may be all that is reached."""
    manifest = json.loads(path.read_text())
    for kind in ("dependencies", "devDependencies"):
        wanted = manifest.get(kind, {})
        manifest[kind] = {name: at for name, at in wanted.items() if not at.startswith("github:")}
    path.write_text(json.dumps(manifest, indent=2))


def files_of(test, area):
    """The test files of an area, as paths below test/."""
    if area.endswith("/*"):
        folder = area.removesuffix("/*")
        return sorted(f"{folder}/{name}" for name in os.listdir(test / folder) if TEST_FILE.search(name))
    path = test / area
    if path.is_file():
        return [area]
    if not path.is_dir():
        sys.exit(f"{area}: no such file or folder below {test}")
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "node_modules"]
        found += [os.path.relpath(os.path.join(folder, name), test) for name in names if TEST_FILE.search(name)]
    return sorted(found)


def run(file, test, options):
    """Counts of one file by kind, and the last of its output if something failed."""
    scratch = tempfile.mkdtemp(prefix="bun-tests-")
    env = {name: value for name, value in os.environ.items() if name not in ("CI", "NODE_OPTIONS", "BUN_OPTIONS")}
    env.update(
        PATH=f"{os.path.dirname(options.exe)}:{env['PATH']}", HOME=f"{scratch}/home", TMPDIR=scratch, BUN_GARBAGE_COLLECTOR_LEVEL="0"
    )
    os.mkdir(env["HOME"])
    alone = [] if options.share_network else ["unshare", "-n"]
    loopback = "" if options.share_network else "ip link set lo up 2>/dev/null; "
    child = subprocess.Popen(
        [*alone, "sh", "-c", f'{loopback}exec "$0" test --timeout 15000 "./$1"', options.exe, file],
        cwd=test, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )
    late = False
    try:
        output, _ = child.communicate(timeout=options.timeout)
    except subprocess.TimeoutExpired:
        late = True
    finally:
        # Whatever the test started ends with it.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if late:
        output, _ = child.communicate()
    shutil.rmtree(scratch, ignore_errors=True)
    text = output.decode(errors="replace")
    if options.logs:
        (options.logs / file.replace("/", "+")).write_text(text)
    counts = collections.Counter()
    for number, kind in COUNT.findall(text):
        counts[kind] = int(number)
    tail = "" if child.returncode == 0 else "\n".join(text.splitlines()[-15:]) + ("\n(timed out)" if late else "")
    return counts, tail


def list_of(area):
    return LISTS / f"{area.replace('/*', '-files').replace('/', '-').removesuffix('.ts')}.txt"


def known_of(path):
    """Passes by file, as a list has them; its first line names the area."""
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    return {file: int(passes) for passes, file in (line.split(" ", 1) for line in lines)}


def print_beside(mine, path):
    """The passes of another executable and of this one, by area and for each file where this one has fewer."""
    theirs = {file: counts.get("pass", 0) for file, counts in json.loads(pathlib.Path(path).read_text()).items()}
    areas = collections.defaultdict(collections.Counter)
    behind = []
    for file, counts in mine.items():
        pair = theirs.get(file, 0), counts.get("pass", 0)
        area = areas["/".join(file.split("/")[:-1][:3])]
        area.update(files=1, theirs=pair[0], ours=pair[1])
        if pair[1] < pair[0]:
            behind.append((pair[0] - pair[1], file, *pair))
    for area, sums in sorted(areas.items()):
        print(f"| {area} | {sums['files']} | {sums['theirs']} | {sums['ours']} |")
    for _, file, other, own in sorted(behind, reverse=True):
        print(f"{file}: {own} of {other}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("git_dir")
    parser.add_argument("areas", nargs="*")
    parser.add_argument("--exe", default=os.environ.get("BAO", "target/release/bao"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true", help="prints the last lines of each file that fails")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--share-network", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--json", help="writes the counts of all files")
    parser.add_argument("--logs", type=pathlib.Path, help="a folder for the output of each file")
    parser.add_argument("--beside", help="counts that --json wrote with another executable")
    options = parser.parse_args()
    options.exe = str(pathlib.Path(shutil.which(options.exe) or options.exe).resolve())
    if options.logs:
        options.logs.mkdir(parents=True, exist_ok=True)
    ours = pathlib.Path(options.exe).name.startswith("bao")
    test = lay_out(options.git_dir, options.exe, options.fresh) / "test"
    if ours:
        options.exe = named_bun(options.exe)
    areas = options.areas or [path.read_text().split("\n", 1)[0] for path in sorted(LISTS.glob("*.txt"))]
    regressions, everything, total = [], {}, collections.Counter()
    for area in areas:
        files = files_of(test, area.strip("/"))
        known = known_of(list_of(area.strip("/")))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = dict(zip(files, pool.map(lambda file: run(file, test, options), files)))
        sums = collections.Counter()
        for file in files:
            counts, tail = results[file]
            if ours and counts["pass"] < known.get(file, 0):
                again = run(file, test, options)
                if again[0]["pass"] > counts["pass"]:
                    results[file] = counts, tail = again
            if ours and counts["pass"] < known.get(file, 0):
                regressions.append(f"{file}: {counts['pass']} pass, the list has {known[file]}")
            if options.show and (tail or counts["fail"]):
                print(f"--- {file}\n{tail}")
            everything[file] = dict(counts)
            sums.update(counts)
            sums["files"] += 1
            sums["green"] += counts["pass"] > 0 and counts["fail"] == 0 and tail == ""
        total.update(sums)
        print(f"{area}: {sums['pass']} pass, {sums['fail']} fail; {sums['green']} of {sums['files']} files green", flush=True)
        if ours and options.update:
            LISTS.mkdir(exist_ok=True)
            lines = [f"{results[file][0]['pass']} {file}\n" for file in files if results[file][0]["pass"] > 0]
            list_of(area.strip("/")).write_text("".join([f"{area.strip('/')}\n", *lines]))
    print(f"together: {total['pass']} pass, {total['fail']} fail; {total['green']} of {total['files']} files green")
    if options.beside:
        print_beside(everything, options.beside)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(everything))
    if regressions and not options.update:
        print("regressions:\n" + "\n".join(regressions))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
