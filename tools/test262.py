"""Runs a seeded sample of test262 through bao, each test in a process of its own.

Usage: BAO=path tools/test262.py GIT_DIR [--seed N] [--count N] [--filter TEXT] [--shell PATH] [--list-failures] [--verbose]

GIT_DIR is the .git directory of a clone of tc39/test262 (no work tree needed). A script test becomes a CommonJS file with
the harness in front of it; a module test stays a file of its own whose first import loads the harness. `bao FILE` has no way
to run a global script, so a script test that fails as CommonJS is run again by an indirect eval: where that passes, the
CommonJS wrapper and not the engine is the reason, and it is counted apart ("wrapper").

The host object $262 exists only as far as the language can express it (detachArrayBuffer, global); tests that use more
are skipped and counted.

With --shell, every run is repeated by the engine's own shell (tools/engine_shell.sh builds it from the same library that bao
links), as a global script or a module, and the runs that only one of the two passes are listed.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Proposals that the engine does not ship, and normative optional parts that it leaves out.
MISSING_FEATURES = {
    "decorators",
    "import-defer",
    "import-bytes",
    "import-text",
    "source-phase-imports",
    "source-phase-imports-module-source",
    "ShadowRealm",
    "tail-call-optimization",
    "legacy-regexp",
    "IsHTMLDDA",
    "cross-realm",
    "host-gc-required",
    "immutable-arraybuffer",
    "nonextensible-applies-to-private",
    "await-dictionary",
    "Intl.Era-monthcode",
    "iterator-chunking",
    "iterator-includes",
    "Iterator.prototype.join",
}

# A shell does not end at a rejection that nobody handles; some tests leave such promises behind.
PRELUDE = """var print = console.log;
process.on("unhandledRejection", () => {});
var $262 = { global: globalThis, detachArrayBuffer(buffer) { buffer.transfer(); } };
"""


SHELL_PRELUDE = "var $262 = { global: globalThis, detachArrayBuffer };\n"


class Repository:
    """Files of the HEAD of a git directory, read through one `git cat-file --batch`."""

    def __init__(self, git_dir):
        names = subprocess.run(
            ["git", "--git-dir", git_dir, "ls-tree", "-r", "-z", "--name-only", "HEAD", "test/language", "test/built-ins", "harness"],
            check=True,
            capture_output=True,
        ).stdout.decode()
        self.names = [name for name in names.split("\0") if name]
        self.reader = subprocess.Popen(
            ["git", "--git-dir", git_dir, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.cache = {}

    def read(self, name):
        if name in self.cache:
            return self.cache[name]
        self.reader.stdin.write(f"HEAD:{name}\n".encode())
        self.reader.stdin.flush()
        header = self.reader.stdout.readline().split()
        if header[1] == b"missing":
            raise FileNotFoundError(name)
        data = self.reader.stdout.read(int(header[2]))
        self.reader.stdout.read(1)
        if name.startswith("harness/"):
            self.cache[name] = data
        return data


def metadata(text):
    """The YAML block of a test, as far as test262 uses YAML: flat keys, lists, one nested map (`negative`)."""
    found = re.search(r"/\*---\r?\n?(.*?)---\*/", text, re.S)
    result = {"flags": [], "features": [], "includes": [], "negative": None}
    if not found:
        return result
    lines = found[1].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    index = 0
    while index < len(lines):
        match = re.match(r"(flags|features|includes|negative):\s*(.*)$", lines[index])
        index += 1
        if not match:
            continue
        key, rest = match[1], match[2].strip()
        block = []
        while index < len(lines) and re.match(r"\s+\S|\s*$", lines[index]):
            block.append(lines[index].strip())
            index += 1
        if key == "negative":
            result[key] = dict(part.split(":", 1) for part in block if ":" in part)
            result[key] = {name.strip(): value.strip() for name, value in result[key].items()}
        else:
            listed = rest + " " + " ".join(block)
            result[key] = [item for item in re.split(r"[\[\],\s]+", listed) if item not in ("", "-")]
    return result


class Runner:
    def __init__(self, bao, repository, scratch):
        self.bao = bao
        self.repository = repository
        self.scratch = scratch
        self.known = set(repository.names)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("BAO_LIB", "FORCE_COLOR")}
        # Thousands of different files would only fill the cache.
        self.environment.update(NO_COLOR="1", BAO_CACHE="0", TZ="America/Los_Angeles")
        # Scripts are named .cjs below; whatever they import is a module.
        for kind in ("commonjs", "module"):
            (scratch / kind).mkdir()
            (scratch / kind / "package.json").write_text('{ "type": "module" }\n')

    def harness(self, meta, prelude=PRELUDE):
        names = ["assert.js", "sta.js"] + (["doneprintHandle.js"] if "async" in meta["flags"] else []) + meta["includes"]
        text = prelude + "\n".join(self.repository.read(f"harness/{name}").decode() for name in dict.fromkeys(names))
        # Parts of the harness look for it on the global object, where a script's functions would be.
        return text + "\nglobalThis.$DONE = $DONE;" if "async" in meta["flags"] else text

    def process(self, file, command=None):
        child = subprocess.Popen(
            command or [self.bao, file.name],
            cwd=file.parent,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        timer = threading.Timer(30, child.kill)
        timer.start()
        output, _ = child.communicate()
        timer.cancel()
        return child.returncode, output.decode(errors="replace")

    def judge(self, meta, result):
        """None when the outcome is the expected one, else why not."""
        code, output = result
        if code < 0:
            return "killed by " + (signal.Signals(-code).name if -code in set(signal.Signals) else str(-code))
        negative = meta["negative"]
        if negative:
            if code == 0:
                return f"no {negative['type']} ({negative['phase']})"
            if not re.search(rf"(?m)^(?:\S+:(?:\d+:\d+ )?(?:uncaught exception: )?)?\[?(?:Uncaught )?{re.escape(negative['type'])}\b", output):
                return f"another error than {negative['type']}: {first_error(output)}"
            return None
        if code != 0:
            return first_error(output)
        if "async" in meta["flags"] and "Test262:AsyncTestComplete" not in output:
            return first_error(output) if output.strip() else "$DONE was not called"
        return None

    def place(self, kind, name, text):
        file = self.scratch / kind / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
        return file

    def fixtures(self, kind, name, text):
        """What the test imports lies beside it, and so does what those files import."""
        folder = name.rpartition("/")[0]
        for word in re.findall(r"""["'`]\.{1,2}/([^"'`\n]+)["'`]""", text):
            other = f"{folder}/{word}"
            target = self.scratch / kind / other
            if other in self.known and other != name and not target.exists():
                data = self.repository.read(other)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                self.fixtures(kind, other, data.decode(errors="replace"))

    def run(self, name, meta, source, variant):
        """(outcome, detail) of one variant; outcome is pass, fail or wrapper."""
        text = source.decode(errors="replace")
        if variant == "module":
            self.fixtures("module", name, text)
            body = source
            if "raw" not in meta["flags"]:
                globals_ = self.place("module", name[: -len(".js")] + ".harness.cjs", b"(0, eval)(" + js_string(self.harness(meta)) + b");\n")
                body = f'import "./{globals_.name}"; '.encode() + source
            file = self.place("module", name, body)
            why = self.judge(meta, self.process(file))
            return ("fail", why) if why else ("pass", None)
        self.fixtures("commonjs", name, text)
        front = b'"use strict";\n' if variant == "strict" else b""
        harness = b"" if "raw" in meta["flags"] else self.harness(meta).encode() + b"\n"
        file_name = name[: -len(".js")] + ".cjs"
        file = self.place("commonjs", file_name, front + harness + source)
        why = self.judge(meta, self.process(file))
        if why is None:
            return "pass", None
        script = b"(0, eval)(" + js_string(harness.decode()) + b");\n(0, eval)(" + js_string((front + source).decode(errors="surrogateescape")) + b");\n"
        again = self.judge(meta, self.process(self.place("commonjs", file_name, script)))
        return ("wrapper", why) if again is None else ("fail", why if "killed" in why else again)

    def run_shell(self, shell, name, meta, source, variant):
        """Why the engine's shell does not pass one variant, or None."""
        kind = "module" if variant == "module" else "commonjs"
        self.fixtures(kind, name, source.decode(errors="replace"))
        command = [shell]
        if "raw" not in meta["flags"]:
            harness = self.place(kind, name[: -len(".js")] + ".shell-harness.js", self.harness(meta, SHELL_PRELUDE).encode())
            command += ["-f", harness.name]
        front = b'"use strict";\n' if variant == "strict" else b""
        file = self.place(kind, name[: -len(".js")] + ".shell.js", front + source)
        # A module that imports itself does so by its own name.
        if variant == "module":
            file = self.place(kind, name, source)
        command += ["-m" if variant == "module" else "-f", file.name]
        code, output = self.process(file, command)
        # The shell ends with an error where a rejection is left without a handler; see PRELUDE.
        if code == 3 and not meta["negative"] and "Unhandled rejection:" in output:
            code = 0
        return self.judge(meta, (code, output))


def js_string(text):
    """A JavaScript string literal in bytes."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return ('"' + re.sub(r'[\\"\n\r\u2028\u2029]', lambda m: escapes[m[0]], text) + '"').encode(errors="surrogateescape")


def first_error(output):
    for line in output.splitlines():
        if re.match(r"(?:\S+:\d+:\d+ )?\[?(?:Uncaught )?\w*(?:Error|Exception|Rejection)\b|Test262:AsyncTestFailure", line):
            return line[:160]
    return next((line[:160] for line in output.splitlines() if line.strip()), "failed and said nothing")


def variants(meta):
    flags = meta["flags"]
    if "module" in flags:
        return ["module"]
    if "raw" in flags or "noStrict" in flags:
        return ["sloppy"]
    if "onlyStrict" in flags:
        return ["strict"]
    return ["sloppy", "strict"]


def skip_reason(repository, meta, text):
    missing = MISSING_FEATURES.intersection(meta["features"])
    if missing:
        return "feature " + sorted(missing)[0]
    if "CanBlockIsFalse" in meta["flags"]:
        return "main thread may block"
    whole = text + "".join(repository.read(f"harness/{name}").decode() for name in meta["includes"])
    for host in ("createRealm", "evalScript", "gc", "agent", "AbstractModuleSource", "IsHTMLDDA"):
        if re.search(rf"\$262\.{host}\b", whole):
            return f"$262.{host}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("git_dir")
    parser.add_argument("--seed", type=int, default=262)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--filter", default="")
    parser.add_argument("--shell", help="the engine's own shell, to compare with")
    parser.add_argument("--list-failures", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    os.nice(10)
    repository = Repository(options.git_dir)
    tests = [n for n in repository.names if n.startswith("test/") and n.endswith(".js") and "_FIXTURE" not in n and options.filter in n]
    random.Random(options.seed).shuffle(tests)
    tests = sorted(tests[: options.count])
    skipped = collections.Counter()
    folders = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(list)
    compared = collections.Counter()
    differences = []
    begin = time.time()
    with tempfile.TemporaryDirectory(prefix="bao-test262-") as scratch:
        runner = Runner(os.path.abspath(os.environ["BAO"]), repository, pathlib.Path(scratch))
        for index, name in enumerate(tests):
            source = repository.read(name)
            text = source.decode(errors="replace")
            meta = metadata(text)
            reason = skip_reason(repository, meta, text)
            if reason:
                skipped[reason] += 1
                continue
            folder = "/".join(name.split("/")[1:3])
            for variant in variants(meta):
                outcome, detail = runner.run(name, meta, source, variant)
                if options.shell:
                    why = runner.run_shell(os.path.abspath(options.shell), name, meta, source, variant)
                    compared["both pass" if outcome != "fail" and why is None else "both fail" if outcome == "fail" and why else "differ"] += 1
                    if outcome == "fail" and why is None:
                        differences.append(f"only the shell passes: {variant} {name}: {detail}")
                    elif outcome != "fail" and why:
                        differences.append(f"only bao passes: {variant} {name}: {why}")
                folders[folder][outcome] += 1
                if outcome != "pass":
                    reasons[outcome].append((name, variant, detail))
            if options.verbose and index % 500 == 499:
                print(f"{index + 1} of {len(tests)} files, {time.time() - begin:.0f} s", file=sys.stderr, flush=True)
            if index % 1000 == 999:
                for kind in ("commonjs", "module"):
                    shutil.rmtree(pathlib.Path(scratch, kind, "test"), ignore_errors=True)
    total = sum(folders.values(), collections.Counter())
    print(f"{'folder':<48}{'pass':>7}{'wrapper':>9}{'fail':>7}")
    for folder in sorted(folders):
        if folders[folder]["fail"] or folders[folder]["wrapper"]:
            print(f"{folder:<48}{folders[folder]['pass']:>7}{folders[folder]['wrapper']:>9}{folders[folder]['fail']:>7}")
    print(f"{'all folders':<48}{total['pass']:>7}{total['wrapper']:>9}{total['fail']:>7}")
    print(f"{len(tests)} files, {sum(total.values())} runs, {sum(skipped.values())} files skipped, {time.time() - begin:.0f} s")
    print("skipped: " + ", ".join(f"{reason} {count}" for reason, count in skipped.most_common()))
    if options.shell:
        print(f"beside the engine's shell: {compared['both pass']} runs pass in both, {compared['both fail']} fail in both, {compared['differ']} differ")
        print("\n".join(differences))
    if options.list_failures:
        for outcome in ("fail", "wrapper"):
            for name, variant, detail in reasons[outcome]:
                print(f"{outcome} {variant} {name}: {detail}")
    return 1 if total["fail"] else 0


if __name__ == "__main__":
    sys.exit(main())
