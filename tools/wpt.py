"""Runs web-platform-tests in an executable, counts subtests by folder and compares with the lists of what is known to fail.

Usage: tools/wpt.py GIT_DIR ... [--exe PATH] [--folder NAME ...] [--update] [--jobs N] [--timeout SECONDS] [--show] [--only TEXT] [--json FILE] [--server URL]

Each GIT_DIR is the .git directory of a repository with web-platform-tests at its top or in test/fixtures/wpt (the tree of Node's
tests has the folders that concern programs without pages). A folder is taken from the first repository that has it; no work tree
is needed. Of a folder its *.any.js files run, one process per file and variant, around tools/wpt.cjs; without --folder, FOLDERS.

tests/wpt/FOLDER.txt (slashes as dashes) has a line "COUNT FILE" per test with the number of subtests that pass, and under it the
failing ones as "! NAME". A run with fewer passes, or with a failing name that is not listed, is run again alone; if it fails again
it is a regression: it is printed and the exit code is 1. --update writes the lists anew. Another program (--exe of Bun, Deno or
Node) is only counted, never compared. --json writes the names that pass and fail, for comparing programs.

Folders of tests that talk to a server (SERVED) need the repository's own, in a work tree with common, fetch, interfaces, resources, tools, websockets,
xhr/resources and docs/commands.json: `python3.8 wpt --skip-venv-setup serve --config tools/wpt_server.json`, then --server
http://127.0.0.1:8000. Its certificates of 2021 have expired, so what needs https: or wss: fails.
"""

import argparse
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

from node_tests import blobs

HERE = pathlib.Path(__file__).resolve().parent
LISTS = HERE.parent / "tests" / "wpt"
FOLDERS = """url urlpattern encoding streams FileAPI compression dom/events dom/abort html/webappapis/structured-clone html/webappapis/timers
html/infrastructure/safe-passing-of-structured-data webmessaging
html/webappapis/microtask-queuing html/webappapis/atob hr-time user-timing performance-timeline wasm/jsapi wasm/webapi console
webidl/ecmascript-binding web-locks WebCryptoAPI""".split()
# Those that need the repository's server.
SERVED = """fetch/api fetch/content-encoding fetch/content-length fetch/data-urls fetch/h1-parsing fetch/range websockets eventsource""".split()
SHARED = ["common", "resources", "interfaces"]
# Folders with files that the tests of another one load.
NEEDED = {"html/infrastructure/safe-passing-of-structured-data": ["html/webappapis/structured-clone"]}


def checkout(git_dirs, folders, target):
    """Writes the folders and what tests share; returns {folder: root}. A repository's files have a root of their own."""
    roots = {}
    for number, git in enumerate(git_dirs):
        def listed(path):
            return subprocess.run(["git", "--git-dir", git, "ls-tree", "HEAD", path], capture_output=True, text=True, check=True).stdout != ""

        prefix = "test/fixtures/wpt/" if listed("test/fixtures/wpt") else ""
        here = [folder for folder in folders if folder not in roots and listed(prefix + folder)]
        place = target / str(number)
        needed = [other for folder in here for other in NEEDED.get(folder, []) if other not in here]
        for folder in here + needed + SHARED if here else []:
            blobs(git, prefix + folder, place)
        roots.update({folder: place / prefix for folder in here})
    return roots


def run(root, test, variant, options):
    """{name: passed} of one test, and the rest of what it wrote."""
    long = "META: timeout=long" in (root / test).read_text(errors="replace")
    command = [options.exe, *(["run", "-A", "--no-check", "--quiet"] if pathlib.Path(options.exe).name == "deno" else [])]
    env = {k: v for k, v in os.environ.items() if k not in ("NODE_OPTIONS", "BUN_OPTIONS", "FORCE_COLOR", "NO_COLOR")}
    child = subprocess.Popen(
        [*command, str(HERE / "wpt.cjs"), str(root), test, variant], cwd=root, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )
    note = ""
    try:
        out, err = child.communicate(timeout=options.timeout * (3 if long else 1))
    except subprocess.TimeoutExpired:
        note = "(timed out)"
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
    results, notes = collections.OrderedDict(), []
    for line in out.decode(errors="replace").split("\n"):
        start = line.find("\x01{")
        if start < 0:
            continue
        try:
            entry = json.loads(line[start + 1:])
        except ValueError:
            continue
        if "name" in entry:
            # Names are not always unique.
            name, number = entry["name"], 1
            while name in results:
                number += 1
                name = f"{entry['name']} #{number}"
            results[name] = entry["status"] == 0
            if entry["status"] != 0:
                notes.append(f"  {entry['name']}: {entry.get('message')}")
        elif "uncaught" in entry:
            notes.append("  uncaught: " + entry["uncaught"][:400])
    tail = err.decode(errors="replace")[-600:] if not results else ""
    return results, "\n".join([*notes, note, tail]).rstrip("\n")


def read_list(file):
    """{test: (count, failing names)}"""
    known, names = {}, set()
    for line in file.read_text().split("\n") if file.exists() else []:
        if line.startswith("! "):
            names.add(json.loads(line[2:]))
        elif line:
            count, test = line.split(" ", 1)
            names = set()
            known[test] = (int(count), names)
    return known


def worse(results, known):
    """Names that fail and should not; or a note that some are missing."""
    count, failing = known
    new = [name for name, passed in results.items() if not passed and name not in failing]
    passes = sum(results.values())
    return new or ([f"(only {passes} of {count} pass)"] if passes < count else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("git_dir", nargs="+")
    parser.add_argument("--exe", default=os.environ.get("BAO", "target/release/bao"))
    parser.add_argument("--folder", nargs="*", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true", help="prints the failures with their messages")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--json")
    parser.add_argument("--server", help="URL of a running `wpt serve` of the same checkout; its folders are SERVED")
    options = parser.parse_args()
    options.exe = str(pathlib.Path(shutil.which(options.exe) or options.exe).absolute())
    ours = pathlib.Path(options.exe).name.startswith("bao")
    folders = options.folder or (SERVED if options.server else FOLDERS)
    if options.server:
        os.environ["WPT_SERVER"] = options.server.rstrip("/")
    target = pathlib.Path(tempfile.mkdtemp(prefix="wpt-"))
    regressions, record, together = [], {}, [0, 0]
    try:
        roots = checkout(options.git_dir, folders, target)
        for folder in folders:
            if folder not in roots:
                print(f"{folder}: in none of the repositories")
                continue
            root = roots[folder]
            tests = []
            for file in sorted((root / folder).rglob("*.any.js")):
                name = str(file.relative_to(root))
                if options.only in name:
                    tests += [(name, v) for v in re.findall(r"^// META: variant=(.*?)\s*$", file.read_text(errors="replace"), re.M) or [""]]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                results = list(pool.map(lambda pair: run(root, *pair, options), tests))
            listed = LISTS / f"{folder.replace('/', '-')}.txt"
            known = read_list(listed)
            lines, passed, total = [], 0, 0
            for (name, variant), (result, notes) in zip(tests, results):
                if ours and name + variant in known and worse(result, known[name + variant]):
                    result, notes = run(root, name, variant, options)
                    regressions += [f"{name}{variant}: {new}" for new in worse(result, known[name + variant])]
                passes = sum(result.values())
                passed, total = passed + passes, total + len(result)
                record[name + variant] = result
                lines.append(f"{passes} {name}{variant}\n")
                lines += [f"! {json.dumps(failed)}\n" for failed, ok in result.items() if not ok]
                if options.show and notes:
                    print(f"--- {name}{variant}: {passes} of {len(result)}\n{notes}")
            together = [together[0] + passed, together[1] + total]
            print(f"{folder}: {passed} of {total} subtests pass, {len(tests)} runs", flush=True)
            if ours and options.update and not options.only:
                listed.parent.mkdir(exist_ok=True)
                listed.write_text("".join(lines))
        print(f"together: {together[0]} of {together[1]}")
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(record))
    finally:
        shutil.rmtree(target, ignore_errors=True)
    if regressions and not options.update:
        print("regressions:\n" + "\n".join(regressions))
        return 1
    return 0


sys.exit(main())
