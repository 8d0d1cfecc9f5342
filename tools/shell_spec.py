#!/usr/bin/env python3
"""Runs the shell cases of Oils on which dash, bash and busybox agree with the shell of bao, and compares with the list of what fails.

Usage: tools/shell_spec.py GIT_DIR [FILE ...] [--exe PATH] [--update] [--jobs N] [--timeout SECONDS] [--show] [--all] [--json FILE]

GIT_DIR is the .git directory of a clone of oils-for-unix/oils. A FILE is a name below spec/ without `.test.sh`; without one, all files
run but those of Oils' own language (ysh-*, hay*), of zsh, and those that are marked as disabled or as interactive.

What a case has to print is not what its file says but what dash, bash (`--posix`) and busybox print here: a case counts if the three give
the same standard output and the same status (or all one that is not 0, with the same output). bao runs it as `bao FILE.sh` after
`set -o posix`. Cases in which all three fail without any output are left out: they are about what POSIX does not have.

tests/shell/spec/failing.txt has a line "FILE: NAME" for each case that counts and that bao does not pass. A case that fails and is not in
it is a regression: it is printed and the exit code is 1. --update writes the list anew. --all prints also what is in the list.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).resolve().parent.parent / "tests" / "shell" / "spec" / "failing.txt"
OTHERS = re.compile(r"^(ysh-|hay|zsh-|interactive|stateful|prompt|explore-|builtin-bind|builtin-completion|builtin-history|builtin-fc)")
SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}
METADATA = re.compile(r"^##\s+(?:(?:OK(?:-\d)?|BUG(?:-\d)?|N-I)\s+[\w+/-]+\s+)?([\w-]+):\s*(.*)")

# What the cases call, which in Oils' repository is Python 2.
HELPERS = {
    "argv.py": "import sys\nprint([*sys.argv[1:]])",
    "printenv.py": "import os, sys\nfor name in sys.argv[1:]:\n    print(os.environ.get(name))",
    "read_from_fd.py": (
        "import os, sys\nfor fd in sys.argv[1:]:\n    try:\n        text = os.read(int(fd), 1024)\n    except OSError as error:\n"
        "        sys.exit('FATAL: Error reading from fd %s: %s' % (fd, error))\n    os.write(1, b'%s: ' % fd.encode() + text)"
    ),
    "stdout_stderr.py": (
        "import sys\nwords = sys.argv[1:] + ['STDOUT', 'STDERR', '0'][len(sys.argv) - 1:]\nprint(words[0])\n"
        "print(words[1], file=sys.stderr)\nsys.exit(int(words[2]))"
    ),
}

# $SH of a case: options of sh for bao, which has a script's text or file only.
WRAPPER = """#!/bin/dash
options='set -o posix;'
command=
while :; do
  case "$1" in
    -c) command=1; shift ;;
    -o|+o) options="$options set $1 $2;"; shift 2 ;;
    -i|--norc|--rcfile) echo "interactive shells: not here" >&2; exit 99 ;;
    -[aefnuxC]*|+[aefnuxC]*) options="$options set $1;"; shift ;;
    --) shift; break ;;
    *) break ;;
  esac
done
if [ "$command" ]; then
  # The name that $0 is for other shells is not one here.
  text=$1; shift; [ $# = 0 ] || shift
  exec {exe} exec "$options $text" "$@"
fi
if [ $# -gt 0 ]; then text=$(cat -- "$1"; echo x) || exit 127; shift; else text=$(cat; echo x); fi
file=$(mktemp); printf '%s\\n%s' "$options" "${{text%x}}" > "$file.sh"; rm "$file"
exec {exe} "$file.sh" "$@"
"""


def parse(text):
    """The cases of a file: pairs of a name and a text."""
    cases = []
    name, code, inside, given = None, [], False, None
    for line in text.splitlines(keepends=True) + ["#### "]:
        if line.startswith("####"):
            if name is not None:
                cases.append((name, given if given is not None else "".join(code)))
            name, code, inside, given = line[4:].strip(), [], False, None
        elif line.startswith("## END"):
            inside = False
        elif match := METADATA.match(line):
            key, value = match.groups()
            inside = key in ("STDOUT", "STDERR")
            if key == "code":
                given = value
        elif not inside and name is not None:
            code.append(line)
    return cases


def reset_signals():
    """What started this script may ignore them, and a shell keeps signals ignored that it was started with."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Runner:
    def __init__(self, tree, exe, timeout):
        self.tree, self.timeout = tree, timeout
        self.bin = tree / "helpers"
        self.bin.mkdir(exist_ok=True)
        for name, body in HELPERS.items():
            self.script(self.bin / name, f"#!{sys.executable} -IS\n{body}\n")
        wrapper = tree / "sh-bao"
        self.script(wrapper, WRAPPER.format(exe=exe))
        self.exe, self.wrapper = exe, wrapper
        for name in ("bash", "busybox"):
            self.script(tree / f"sh-{name}", f"#!/bin/dash\nexec {' '.join(SHELLS[name])} \"$@\"\n")
        self.paths = {"dash": "/bin/dash", "bash": str(tree / "sh-bash"), "busybox": str(tree / "sh-busybox"), "bao": str(wrapper)}

    @staticmethod
    def script(path, text):
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(self, shell, code):
        """Standard output and status of a case; the status is None if it took too long."""
        with tempfile.TemporaryDirectory(prefix="shell-spec-") as folder:
            file = pathlib.Path(folder) / ".case.sh"
            work = pathlib.Path(folder) / "work"
            work.mkdir()
            if shell == "bao":
                file.write_text("set -o posix; " + code, errors="surrogateescape")
                command = [self.exe, str(file)]
            else:
                file.write_text(code, errors="surrogateescape")
                command = [*SHELLS[shell], str(file)]
            env = {
                "PATH": f"{self.bin}:{self.tree}/spec/bin:/usr/bin:/bin",
                "HOME": folder, "TMPDIR": folder, "TMP": str(work), "REPO_ROOT": str(self.tree),
                "SH": self.paths[shell], "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "PWD": str(work),
            }
            child = subprocess.Popen(
                command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True, preexec_fn=reset_signals,
            )
            try:
                out, err = child.communicate(timeout=self.timeout)
                status = child.returncode
            except subprocess.TimeoutExpired:
                status = None
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if status is None:
                out, err = child.communicate()
            # Names of this run's folder, of the shell and of processes are no difference.
            for path, word in ((str(work), "WORK"), (folder, "FOLDER"), (self.paths[shell], "SH")):
                out = out.replace(path.encode(), word.encode())
            return out, status, err


def agreed(results):
    """Whether the shells agree, and on something that POSIX knows."""
    (out, status, _), *rest = results
    if status is None or any(other[0] != out or other[1] is None for other in rest):
        return False
    if any((other[1] == 0) != (status == 0) for other in rest):
        return False
    return status == 0 or out != b""


def same(mine, theirs):
    """Whether bao did what the others did: statuses are compared exactly where the others agree on one."""
    statuses = {other[1] for other in theirs}
    if mine[0] != theirs[0][0] or mine[1] is None:
        return False
    return mine[1] in statuses if len(statuses) == 1 else (mine[1] == 0) == (0 in statuses)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("git_dir")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--exe", default="target/release/bao")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--show", action="store_true", help="print both outputs of what fails")
    parser.add_argument("--all", action="store_true", help="print what fails and is in the list, too")
    parser.add_argument("--json")
    options = parser.parse_args()
    for shell in SHELLS:
        if not shutil.which(shell):
            sys.exit(f"{shell} is not installed")
    exe = str(pathlib.Path(options.exe).resolve())

    with tempfile.TemporaryDirectory(prefix="oils-") as folder:
        tree = pathlib.Path(folder)
        archive = subprocess.run(["git", "--git-dir", options.git_dir, "archive", "HEAD", "spec"], capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        cases, total = [], 0
        for path in sorted((tree / "spec").glob("*.test.sh")):
            name = path.name.removesuffix(".test.sh")
            text = path.read_text(errors="surrogateescape")
            found = parse(text)
            total += len(found)
            if OTHERS.match(name) or re.search(r"^## suite: disabled|^## our_shell:\s*ysh", text, re.M):
                continue
            if options.files and name not in options.files:
                continue
            cases += [(name, title, code) for title, code in found]
        runner = Runner(tree, exe, options.timeout)

        def judge(case):
            theirs = [runner.run(shell, case[2]) for shell in SHELLS]
            if not agreed(theirs):
                return None
            mine = runner.run("bao", case[2])
            if not same(mine, theirs):
                mine = runner.run("bao", case[2])
            return same(mine, theirs), mine, theirs[0]

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(judge, cases))

    known = set(LIST.read_text().splitlines()) if LIST.exists() else set()
    failing, regressions, counted, passed, report = [], 0, 0, 0, []
    for (name, title, code), result in zip(cases, results):
        if result is None:
            continue
        counted += 1
        right, mine, theirs = result
        passed += right
        line = f"{name}: {title}"
        if right:
            continue
        failing.append(line)
        regressions += line not in known
        report.append({"case": line, "code": code, "bao": [mine[0].decode(errors="replace"), mine[1], mine[2].decode(errors="replace")],
                       "dash": [theirs[0].decode(errors="replace"), theirs[1]]})
        if line not in known or options.all:
            print(("" if line in known else "NEW ") + line)
            if options.show:
                print(code.rstrip())
                print(f"--- others ({theirs[1]})\n{theirs[0].decode(errors='replace')}--- bao ({mine[1]})\n"
                      f"{mine[0].decode(errors='replace')}{mine[2].decode(errors='replace')}---\n")
    print(f"{passed} of {counted} cases on which dash, bash and busybox agree; {len(cases)} were run, Oils has {total}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1))
    if options.update and not options.files:
        LIST.parent.mkdir(exist_ok=True)
        LIST.write_text("".join(f"{line}\n" for line in failing))
    sys.exit(1 if regressions and not options.update else 0)


if __name__ == "__main__":
    main()
