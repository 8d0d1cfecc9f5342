#!/usr/bin/env python3
"""Runs the test suites of published libraries under `bao test` and under their own runner, and prints the counts of both.

    python3 tools/test_suites.py FOLDER [NAME...] [--exe bao] [--bun bun] [--node node] [--no-own] [--show] [--save FILE]

FOLDER holds a clone of each library (or a part of them) under the names of SUITES, with its dependencies installed so that
its own runner works (`npm install`, `pnpm install`, `bao install`). Nothing of the suites is changed: what a runner's
configuration file says (setup files, aliases, an environment with a DOM) is given to bao as options and as a preload that is
written to a temporary file. `--show` lists the tests that fail under bao and pass under their own runner.
The own runner's answer is kept in FOLDER/NAME.own.json and asked again with --fresh only.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# A DOM of the library's own jsdom, as vitest's and Jest's environments make it: the window's properties become globals.
JSDOM = """
const { JSDOM, VirtualConsole } = require("jsdom");
const dom = new JSDOM("<!DOCTYPE html>", {
  url: "http://localhost:3000", pretendToBeVisual: true, runScripts: "dangerously",
  virtualConsole: new VirtualConsole().sendTo ? new VirtualConsole().sendTo(globalThis.console) : new VirtualConsole().forwardTo(globalThis.console),
});
const { window } = dom;
const keep = new Set(KEEP);
const bound = (value) => typeof value === "function" && !value.prototype ? value.bind(window) : value;
for (const key of Object.getOwnPropertyNames(window)) {
  if (key.startsWith("_") || keep.has(key) || (key in globalThis && /^(?:Infinity|NaN|undefined|eval|global(?:This)?|console|process|[a-z]+[A-Z]?\\w*URI\\w*|parse(?:Int|Float)|is(?:NaN|Finite)|escape|unescape|set\\w+|clear\\w+|queueMicrotask|structuredClone|performance|crypto|fetch)$/.test(key))) continue;
  if (/^(?:Object|Function|Array|Number|Boolean|String|Symbol|Date|Promise|RegExp|\\w*Error|JSON|Math|Intl|\\w*Array\\w*|Atomics|DataView|\\w*Map|BigInt|\\w*Set|WeakRef|Proxy|Reflect|FinalizationRegistry|Iterator|WebAssembly|DisposableStack|AsyncDisposableStack|URL|URLSearchParams|TextEncoder|TextDecoder)$/.test(key)) continue;
  let own;
  Object.defineProperty(globalThis, key, {
    configurable: true,
    get: () => own ? own.value : bound(window[key]),
    set: (value) => { own = { value }; },
  });
}
for (const key of ["addEventListener", "dispatchEvent", "removeEventListener"]) globalThis[key] = window[key].bind(window);
globalThis.window = globalThis.self = globalThis.top = globalThis.parent = globalThis;
globalThis.document = window.document;
globalThis.jsdom = dom;
""".replace("KEEP", json.dumps(["Event", "EventTarget", "AbortController", "AbortSignal", "Blob", "File", "FormData", "Headers"]).replace('"Event", "EventTarget", ', ""))

# What vitest's option `globals` says: global functions are vitest's, whose tests get a context and no callback.
GLOBALS = """
const vitest = require("vitest");
const names = "test it describe suite beforeAll beforeEach afterEach afterAll onTestFinished onTestFailed expect expectTypeOf assertType assert chai vi vitest";
for (const name of names.split(" ")) if (vitest[name] !== undefined) globalThis[name] = vitest[name];
"""

RESTORE = 'const { beforeEach, vi } = require("vitest"); beforeEach(() => { vi.restoreAllMocks(); });\n'
RESET = 'const { beforeEach, jest } = require("@jest/globals"); beforeEach(() => { jest.resetAllMocks(); jest.restoreAllMocks(); });\n'


def suite(directory, own, bao=(), preload=None, files=None, env=None):
    """`own`: the words of its own runner's command, the first `vitest`, `jest` or `bun`; `bao`: arguments of `bao test`;
    `files`: a glob of test files, where their names are not those that bao looks for."""
    return {"directory": directory, "own": list(own), "bao": list(bao), "preload": preload, "files": files, "env": env or {}}


ANSI = 'expect.addSnapshotSerializer(require("jest-serializer-ansi-escapes"));\n'

RUN = ["vitest", "run"]
ISOLATE = "--isolate"
# Its bunfig.toml asks for coverage, which takes time.
NO_BUNFIG = "--config=/dev/null"
NO_TYPES = ["--typecheck.enabled=false"]
SUITES = {
    "zod": suite("zod", [*RUN, *NO_TYPES, "--project", "zod"], [ISOLATE, "--conditions", "@zod/source", "--preload", "./scripts/fail-on-console.ts", "./packages/zod"]),
    "valibot": suite("valibot/library", RUN),
    "date-fns": suite("date-fns", RUN, files="src/**/test.ts"),
    "remeda": suite("remeda/packages/remeda", [*RUN, "--project", "runtime"]),
    "superstruct": suite("superstruct", RUN, [ISOLATE]),
    "ts-pattern": suite("ts-pattern", ["jest"], [ISOLATE]),
    "ufo": suite("ufo", RUN, [ISOLATE]),
    "defu": suite("defu", RUN, [ISOLATE]),
    "neverthrow": suite("neverthrow", RUN, [ISOLATE]),
    "hono": suite("hono", [*RUN, "--project", "main", "--coverage.enabled=false"], [ISOLATE, NO_BUNFIG, "./src", "./build"], GLOBALS),
    "redux": suite("redux", RUN, [ISOLATE], GLOBALS),
    "immer": suite("immer", [*RUN, "--config", "vitest.config.ts"], [ISOLATE], GLOBALS, files="__tests__/**/*.[jt]s*"),
    "query-core": suite("query/packages/query-core", [*RUN, *NO_TYPES], [ISOLATE, "--conditions", "@tanstack/custom-condition"], JSDOM + RESTORE),
    "react-query": suite(
        "query/packages/react-query", [*RUN, *NO_TYPES],
        [ISOLATE, "--conditions", "@tanstack/custom-condition", "--preload", "./test-setup.ts", "./src"], JSDOM + RESTORE,
    ),
    "zustand": suite("zustand", RUN, [ISOLATE, "--preload", "./tests/setup.ts", "./tests"], JSDOM + GLOBALS),
    "react-hook-form": suite(
        "react-hook-form", ["jest", "--config", "./scripts/jest/jest.config.js", "--selectProjects", "Web"],
        [ISOLATE, "--preload", "./scripts/jest/setup.ts", "./src"], JSDOM + RESET,
    ),
    "jest-extended": suite("jest-extended", ["jest", "--color=true"], [ISOLATE, "./test"], ANSI, env={"FORCE_COLOR": "1"}),
    "elysia": suite("elysia", ["bun", "test"]),
}

Counts = collections.namedtuple("Counts", "passed failed skipped")


def squeeze(name):
    return re.sub(r"\s+", " ", name).strip()


def counts_of(states):
    count = collections.Counter(state for _, state in states)
    return Counts(count["passed"], count["failed"], count["skipped"])


def from_json(text):
    """Names and states of vitest's or Jest's JSON report, and the files that did not load."""
    report = json.loads(text)
    states, broken = [], []
    for file in report["testResults"]:
        if not file["assertionResults"] and file["status"] == "failed":
            broken.append((file["name"], file.get("message", "").split("\n")[0]))
        for one in file["assertionResults"]:
            if one["ancestorTitles"][:1] and re.fullmatch(r"[\w./-]+\.(?:test|test-d)\.tsx?", one["ancestorTitles"][0]):
                continue  # what the type checker says of the same tests
            name = " ".join(str(part) for part in [*one["ancestorTitles"], one["title"]])
            state = {"passed": "passed", "failed": "failed"}.get(one["status"], "skipped")
            states.append((squeeze(name), state))
    return states, broken


def from_junit(text):
    """Names and states of a JUnit report."""
    states, broken = [], []

    def walk(node, names, is_file):
        for child in node:
            if child.tag == "testsuite":
                walk(child, names if is_file else [*names, child.get("name", "")], False)
            elif child.tag == "testcase":
                name = squeeze(" ".join([*names, child.get("name", "")]))
                state = "failed" if child.find("failure") is not None or child.find("error") is not None else \
                    "skipped" if child.find("skipped") is not None else "passed"
                states.append((name, state))

    for file in ElementTree.fromstring(text):
        walk(file, [], False)
    return states, broken


def run(command, cwd, env, limit):
    try:
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, timeout=limit, text=True, errors="replace", check=False)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        return -1, ((late.stdout or b"") + (late.stderr or b"")).decode(errors="replace")


def with_runner(one, root, options):
    """(names and states, broken files, version) under the suite's own runner."""
    folder = root / one["directory"]
    words = one["own"]
    env = {**os.environ, "CI": "1", **one["env"]}
    if options.node:
        env["PATH"] = f"{Path(options.node).parent}:{env['PATH']}"
    with tempfile.TemporaryDirectory() as place:
        if words[0] == "bun":
            return under(options.bun, one, root, options)
        out = f"{place}/report.json"
        binary = next(
            (at / "node_modules/.bin" / words[0] for at in [folder, *folder.parents] if (at / "node_modules/.bin" / words[0]).exists()), words[0],
        )
        report = ["--reporter=json", f"--outputFile={out}"] if words[0] == "vitest" else ["--json", f"--outputFile={out}"]
        code, text = run([str(binary), *words[1:], *report], folder, env, options.limit)
        if not os.path.exists(out):
            print(f"{words[0]} in {folder} ended with {code}:\n{text[-2000:]}", file=sys.stderr)
            return [], [("", "no report")]
        return from_json(Path(out).read_text())


def under(exe, one, root, options, extra=()):
    """(names and states, broken files) under `exe test`."""
    folder = root / one["directory"]
    env = {**os.environ, "CI": "1", **one["env"]}
    with tempfile.TemporaryDirectory() as place:
        out = f"{place}/report.xml"
        words = [exe, "test", "--reporter=junit", f"--reporter-outfile={out}", *extra]
        if one["preload"]:
            # In the folder of the library, whose packages it asks for.
            preload = folder / "node_modules/.test_suites_preload.cjs"
            preload.parent.mkdir(exist_ok=True)
            preload.write_text(one["preload"])
            words += ["--preload", str(preload)]
        words += one["bao"]
        if one["files"]:
            words += sorted(f"./{path.relative_to(folder)}" for path in folder.glob(one["files"]) if "node_modules" not in path.parts)
        code, text = run(words, folder, env, options.limit)
        (root / f"{Path(exe).stem}.{one['name']}.log").write_text(text)
        if not os.path.exists(out):
            print(f"{exe} in {folder} ended with {code}:\n{text[-2000:]}", file=sys.stderr)
            return [], [("", "no report")]
        states, broken = from_junit(Path(out).read_text())
        return states, broken


def missing(own, ours):
    """Names that passed with their own runner and not with ours."""
    passed = collections.Counter(name for name, state in own if state == "passed")
    passed.subtract(collections.Counter(name for name, state in ours if state == "passed"))
    failed = {name for name, state in ours if state == "failed"}
    return [(name, "fails" if name in failed else "absent") for name, count in passed.items() if count > 0]


def version_of(one, root):
    folder = root / one["directory"]
    for name in ("package.json.orig", "package.json"):
        if (folder / name).exists():
            return json.loads((folder / name).read_text()).get("version", "")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--exe", default="bao")
    parser.add_argument("--bun", default="")
    parser.add_argument("--node", default="", help="the node that runs vitest and jest")
    parser.add_argument("--no-own", action="store_true", help="bao only")
    parser.add_argument("--no-bao", action="store_true", help="own runners only")
    parser.add_argument("--fresh", action="store_true", help="run their own runners again")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--limit", type=int, default=400, help="seconds for one run")
    options = parser.parse_intermixed_args()
    root = options.folder.resolve()
    shown = lambda c: f"{c.passed} / {c.failed} / {c.skipped}"
    print("| library | version | runner | own: pass / fail / skip | bao | " + ("Bun |" if options.bun else ""))
    print("|---|---|---|---|---|" + ("---|" if options.bun else ""))
    for name in options.names or SUITES:
        one = {**SUITES[name], "name": name}
        if not (root / one["directory"]).exists():
            continue
        kept = root / f"{name}.own.json"
        own = None
        if not options.no_own:
            if kept.exists() and not options.fresh:
                own = [tuple(item) for item in json.loads(kept.read_text())]
            else:
                own, broken = with_runner(one, root, options)
                kept.write_text(json.dumps(own))
                if broken:
                    print(f"  {one['own'][0]}: {len(broken)} files did not load, the first: {broken[0]}", file=sys.stderr)
        ours = [] if options.no_bao else under(options.exe, one, root, options)[0]
        row = f"| {name} | {version_of(one, root)} | {one['own'][0]} | {shown(counts_of(own)) if own is not None else ''} | {shown(counts_of(ours))} |"
        if options.bun:
            row += f" {shown(counts_of(under(options.bun, one, root, options)[0]))} |"
        print(row, flush=True)
        if options.show and own is not None:
            gone = missing(own, ours)
            # Titles are formatted differently in places: they are of interest where the number differs, too.
            differs = counts_of(own).passed + counts_of(own).failed != counts_of(ours).passed + counts_of(ours).failed
            for title, state in gone[:60]:
                if state == "fails" or differs:
                    print(f"    {state}: {title}")


main()
