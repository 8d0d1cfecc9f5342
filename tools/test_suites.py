#!/usr/bin/env python3
"""Runs the test suites of published libraries, and prints the counts of bao beside those of what they are made for.

    python3 tools/test_suites.py FOLDER [NAME...] [--exe bao] [--bun bun] [--node node] [--no-own] [--show]

There are two kinds. SUITES are written for a runner that `bao test` stands in for: they run under `bao test` and under that
runner. PROGRAMS bring their runner along (Mocha, AVA, Jest, `node --test`, plain programs): the same commands run twice, once
with `node` being bao, once with `node` being Node.

FOLDER holds a clone of each library (or a part of them) under the names of the two tables, with its dependencies installed so that
its own runner works (`npm install`, `pnpm install`, `bao install`). Nothing of the suites is changed: what a runner's
configuration file says (setup files, aliases, an environment with a DOM) is given to bao as options and as a preload that is
written to a temporary file. `--show` lists the tests that fail under bao and pass under their own runner or Node.
The own runner's answer is kept in FOLDER/NAME.own.json and asked again with --fresh only.
"""
import argparse
import collections
import json
import os
import re
import shutil
import signal
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



def programs(directory, *steps, prepare=(), env=None, needs=None):
    """`steps`: lists of a runner's name and its arguments, after which `tests` tells what they say apart; `prepare`: commands
    that run first, once for each executable; `needs`: a variable of the environment without which the suite cannot run."""
    return {"directory": directory, "steps": steps, "prepare": prepare, "env": env or {}, "needs": needs}


# Limits of seconds are raised: the machine may do other things.
PATIENT = ["--timeout", "60000"]
PROGRAMS = {
    "axios": programs("axios", ["mocha", *PATIENT, "--exit", "test/unit/**/*.js"]),
    "chokidar": programs("chokidar", ["node:test", "index.test.js"], prepare=["tsc"]),
    "commander": programs("commander.js", ["node:test"]),
    "cross-spawn": programs("node-cross-spawn", ["jest", "--env", "node", "--testTimeout", "60000"]),
    "eslint": programs(
        "eslint", ["mocha", *PATIENT, "--exit", "tests/lib/rules/*.js"], ["mocha", *PATIENT, "--exit", "tests/lib/{linter,config,languages,services,shared,rule-tester}/**/*.js"],
    ),
    "express": programs("express", ["mocha", *PATIENT, "--require", "test/support/env", "--check-leaks", "--exit", "test/", "test/acceptance/"]),
    "fastify": programs("fastify", ["node:test", "test/**/*.test.js", "test/**/*.test.mjs"]),
    "fs-extra": programs("node-fs-extra", ["mocha", *PATIENT, "--exit", "lib/**/__tests__/**/*.test.js"], ["files", "test.mjs"]),
    "got": programs("got", ["ava", "--timeout=10m"], env={"NODE_OPTIONS": "--import=tsx/esm"}),
    "graphql": programs("graphql-js", ["mocha", *PATIENT, "--exit", "src/**/__tests__/**/*-test.ts"]),
    "http-proxy": programs("node-http-proxy", ["mocha", *PATIENT, "test/*-test.js"]),
    "jose": programs("jose", ["ava", "--timeout=10m"], env={"NODE_OPTIONS": "--enable-source-maps --import=ts-blank-space/register"}),
    "koa": programs("koa", ["node:test"]),
    "marked": programs("marked", ["node:test", "test/run-spec-tests.js"], ["node:test", "test/unit/*.test.js"], ["files", "test/umd-test.js", "test/cjs-test.cjs"], prepare=["npm run build:reset", "npm run build"]),
    "mocha": programs("mocha", ["mocha", "--timeout", "20000", "test/unit/**/*.spec.cjs", "test/node-unit/**/*.spec.{cjs,js}"], ["mocha", *PATIENT, "test/reporters/*.spec.{cjs,js}"]),
    "multer": programs("multer", ["mocha", *PATIENT, "--exit", "--check-leaks", "test/"]),
    "nodemailer": programs("nodemailer", ["node:test", "--test-concurrency=1", "test/**/*-test.js", "test/**/*.test.js"]),
    "archiver": programs("node-archiver", ["mocha", *PATIENT, "--exit"]),
    "pg": programs("node-postgres/packages/pg", ["files", "test/unit/**/*-tests.js", "test/integration/**/*-tests.js"], needs="PGHOST"),
    "pino": programs("pino", ["node:test", "test/*.test.js", "test/*.test.mjs", "test/esm/*.test.mjs", "test/transport/*.test.js", "test/transport/*.test.mjs"]),
    "semver": programs("node-semver", ["files", "test/**/*.js"]),
    "send": programs("send", ["mocha", *PATIENT, "--check-leaks", "--exit"]),
    "ssh2": programs("ssh2", ["files", "test/test-*.js"]),
    "terser": programs("terser", ["mocha", *PATIENT, "--exit", "test/mocha"], ["files", "test/compress.js"]),
    "undici": programs("undici", ["node:test", "--expose-gc", "--test-timeout=180000", "test/*.js"]),
    "ws": programs("ws", ["mocha", *PATIENT, "--exit", "--throw-deprecation", "test/*.test.js"]),
    "yargs": programs("yargs", ["mocha", *PATIENT, "--exit", "--enable-source-maps", "--check-leaks", "--require", "./test/before.mjs", "./test/*.mjs"], prepare=["tsc -p tsconfig.test.json"]),
    "yjs": programs("yjs", ["lib0", "./tests/index.js", "--repetition-time", "50"], env={"NODE_ENV": "development"}),
}

# Each result is written when it is there: what a limit cuts off keeps what it had.
MOCHA_REPORTER = """
const { appendFileSync } = require("node:fs");
const { stringify } = JSON;
module.exports = function (runner) {
  const say = (state) => (test, error) => appendFileSync(REPORT, stringify([test.fullTitle(), state, error && String(error.stack ?? error)]) + "\\n");
  runner.on("pass", say("passed"));
  runner.on("fail", say("failed"));
  runner.on("pending", say("skipped"));
};
"""
NODE_REPORTER = """
import { basename } from "node:path";
const { stringify } = JSON;
export default async function* (events) {
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.details?.type === "suite") continue;
    const state = data.skip !== undefined || data.todo !== undefined ? "skipped" : type === "test:pass" ? "passed" : "failed";
    const error = data.details?.error?.cause ?? data.details?.error;
    yield stringify([`${basename(data.file ?? "")} ${data.name}`, state, state === "failed" ? String(error?.stack ?? error) : undefined]) + "\\n";
  }
}
"""

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
    """Exit code, -1 after `limit` seconds, and what was printed. What the command started ends with it."""
    child = subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )
    try:
        text, _ = child.communicate(timeout=limit)
        return child.returncode, text
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        text, _ = child.communicate()
        return -1, text


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


def script_of(folder, package, name):
    """The file that a package's command runs; a package's own suite is run by its own command."""
    own = json.loads((folder / "package.json").read_text())
    if own.get("name") == package:
        return str((folder / (own["bin"] if isinstance(own["bin"], str) else own["bin"][name])).resolve())
    at = next((at for at in [folder, *folder.parents] if (at / "node_modules" / package / "package.json").exists()), None)
    if at is None:
        raise SystemExit(f"{folder} has no {package}: install its dependencies")
    bins = json.loads((at / "node_modules" / package / "package.json").read_text())["bin"]
    return str((at / "node_modules" / package / (bins if isinstance(bins, str) else bins[name])).resolve())


def matching(folder, patterns):
    found = []
    for pattern in patterns:
        found += sorted(str(path.relative_to(folder)) for path in folder.glob(pattern) if "node_modules" not in path.relative_to(folder).parts)
    return found


def lines_of(file):
    """Names and states of what a reporter of ours has written so far, and the errors among it."""
    if not os.path.exists(file):
        return [], ""
    lines = [json.loads(line) for line in Path(file).read_text(errors="replace").splitlines() if line.endswith("]")]
    return [(name, state) for name, state, _ in lines], "".join(f"\n{name}\n{(error or '')[:1500]}\n" for name, state, error in lines if state == "failed")


def step(runner, words, folder, env, limit, place):
    """(names and states, what was printed) of one step of a suite."""
    out, failures = f"{place}/report", ""
    if os.path.exists(out):
        os.unlink(out)
    if runner == "files":
        states, said = [], ""
        for file in matching(folder, words):
            code, text = run(["node", f"./{file}"], folder, env, min(limit, 180))
            states.append((file, "failed" if code != 0 else "passed"))
            said += f"\n{file}: {code}\n{text[-2000:] if code != 0 else ''}"
        return states, said
    if runner == "mocha":
        reporter = f"{place}/reporter.cjs"
        Path(reporter).write_text(MOCHA_REPORTER.replace("REPORT", json.dumps(out)))
        code, text = run(["node", script_of(folder, "mocha", "mocha"), *words, "--reporter", reporter], folder, env, limit)
        states, failures = lines_of(out)
    elif runner == "node:test":
        reporter = f"{place}/reporter.mjs"
        Path(reporter).write_text(NODE_REPORTER)
        flags = [word for word in words if word.startswith("-")]
        files = matching(folder, [word for word in words if not word.startswith("-")])
        code, text = run(
            ["node", "--test", *flags, f"--test-reporter={reporter}", f"--test-reporter-destination={out}", *files], folder, env, limit,
        )
        states, failures = lines_of(out)
    elif runner == "ava":
        code, text = run(["node", script_of(folder, "ava", "ava"), "--tap", *words], folder, env, limit)
        lines = re.findall(r"^(not ok|ok) \d+ - (.*?)( # (?:SKIP|TODO).*)?$", text, re.M)
        states = [(name, "skipped" if skip else "passed" if word == "ok" else "failed") for word, name, skip in lines]
    elif runner == "jest":
        code, text = run(["node", script_of(folder, "jest", "jest"), *words, "--json", f"--outputFile={out}"], folder, env, limit)
        states = from_json(Path(out).read_text())[0] if os.path.exists(out) else []
    else:
        code, text = run(["node", *words], folder, env, limit)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        names = re.findall(r"^\s*\[\d+/\d+\] (.*)$", plain, re.M)
        failed = len(re.findall(r"^\s*FAILURE", plain, re.M))
        states = [(name, "passed") for name in names[: len(names) - failed]] + [("a test", "failed")] * failed
    # A run that was cut off, or ended before its end, is a failure whatever it said.
    if code < 0 or (code != 0 and not any(state == "failed" for _, state in states)):
        states.append((f"{runner} {' '.join(words)} ended with {code}", "failed"))
    return states, f"{failures}\n{text[-20000:]}\nended with {code}\n"


def with_node(exe, one, root, options):
    """(names and states, broken files) of a suite that brings its runner, with `node` being `exe`."""
    folder = root / one["directory"]
    states, said = [], ""
    with tempfile.TemporaryDirectory(prefix="suite-") as place:
        os.makedirs(f"{place}/bin")
        os.makedirs(f"{place}/home")
        os.symlink(Path(shutil.which(exe) or exe).resolve(), f"{place}/bin/node")
        bins = [str(at / "node_modules/.bin") for at in [folder, *folder.parents] if (at / "node_modules/.bin").is_dir()]
        env = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "NO_COLOR", "NODE_OPTIONS")}
        env |= {"CI": "1", "HOME": f"{place}/home", "PATH": ":".join([f"{place}/bin", *bins, env["PATH"]]), **one["env"]}
        for command in one["prepare"]:
            code, text = run(["sh", "-c", command], folder, {**env, "NODE_OPTIONS": ""}, options.limit)
            said += f"{command}\n{text[-3000:]}\nended with {code}\n"
        for runner, *words in one["steps"]:
            more, text = step(runner, words, folder, env, options.limit, place)
            states += [(squeeze(name), state) for name, state in more]
            said += text
    name = "node" if Path(exe).name == "node" else Path(exe).stem
    (root / f"{name}.{one['name']}.log").write_text(said)
    return states, []


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
    for name in options.names or [*SUITES, *PROGRAMS]:
        one = {**(SUITES.get(name) or PROGRAMS[name]), "name": name}
        if not (root / one["directory"]).exists():
            continue
        if one.get("needs") and one["needs"] not in os.environ:
            print(f"  {name}: not run, {one['needs']} is not set", file=sys.stderr)
            continue
        brings = name in PROGRAMS
        runner = "node" if brings else one["own"][0]
        kept = root / f"{name}.own.json"
        own = None
        if not options.no_own:
            if kept.exists() and not options.fresh:
                own = [tuple(item) for item in json.loads(kept.read_text())]
            else:
                own, broken = with_node(options.node or "node", one, root, options) if brings else with_runner(one, root, options)
                kept.write_text(json.dumps(own))
                if broken:
                    print(f"  {runner}: {len(broken)} files did not load, the first: {broken[0]}", file=sys.stderr)
        under_exe = with_node if brings else under
        ours = [] if options.no_bao else under_exe(options.exe, one, root, options)[0]
        row = f"| {name} | {version_of(one, root)} | {runner} | {shown(counts_of(own)) if own is not None else ''} | {shown(counts_of(ours))} |"
        if options.bun:
            row += f" {shown(counts_of(under_exe(options.bun, one, root, options)[0]))} |"
        print(row, flush=True)
        if options.show and own is not None:
            gone = missing(own, ours)
            # Titles are formatted differently in places: they are of interest where the number differs, too.
            differs = counts_of(own).passed + counts_of(own).failed != counts_of(ours).passed + counts_of(ours).failed
            for title, state in gone[:60]:
                if state == "fails" or differs:
                    print(f"    {state}: {title}")


main()
