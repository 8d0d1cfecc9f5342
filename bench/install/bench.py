"""Installs side by side, over a registry on loopback that this program starts and ends.

Usage: bench.py [--tools bao,bun,npm,pnpm,yarn] [--trees react,app,large,workspace] [--linkers hoisted,isolated,global store,store,all]
                [--cases cold,locked,lockfile only,warm,no-op,add one] [--latency 0,20] [--runs 7] [--slow-runs 2] [--no-trace]

See README.md for what the cases are and what the columns mean. The runs of the tools are interleaved, so that noise hits all alike;
the numbers are medians, `ratio` is the wall time over that of the first tool other than bao (Bun, where it is there).
"""

import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from tools import tools

TREES = ("react", "app", "large", "workspace")
CASES = ("cold", "locked", "lockfile only", "warm", "no-op", "add one")
LINKERS = ("hoisted", "isolated", "global store", "store")
# Every linker of every tool beside each other, in one interleaved run.
ALL = "all"
ADDED = "is-odd@3.0.1"
# Longest time for one run, in seconds.
PATIENCE = int(os.environ.get("BENCH_PATIENCE", 600))


class Disk:
    """A folder on an ext4 with a journal in an image file, when root; otherwise a temporary folder."""

    def __init__(self, folder, gigabytes):
        self.image = None
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="bao-bench-install-", dir=folder))
        if os.geteuid() != 0 or os.environ.get("BENCH_PLAIN"):
            return
        image = self.path.with_suffix(".img")
        with open(image, "wb") as file:
            file.truncate(gigabytes << 30)
        try:
            subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, capture_output=True)
            subprocess.run(["mount", "-o", "loop", image, self.path], check=True, capture_output=True)
            self.image = image
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"bench: no loop mount ({error}); measuring on {self.path}", file=sys.stderr)
            image.unlink(missing_ok=True)

    def close(self):
        if self.image:
            subprocess.run(["umount", self.path], check=False)
            self.image.unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)


class Registry:
    """The server, with a latency; with `fill` it fetches what is missing."""

    def __init__(self, frozen, scratch, fill=False, latency=0.0):
        port_file = scratch / "registry.port"
        port_file.unlink(missing_ok=True)
        argv = [os.environ["REGISTRY"], "--cache", str(frozen), "--port-file", str(port_file), "--latency", str(latency)]
        # The same port for all runs: addresses are in lockfiles.
        argv += ["--port", os.environ.get("BENCH_PORT", "48733")]
        if fill:
            argv += ["--upstream", os.environ.get("UPSTREAM", "https://registry.npmjs.org")]
        self.process = subprocess.Popen(argv, stderr=None if fill else subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not port_file.exists() or not port_file.read_text():
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit("bench: the registry did not start")
            time.sleep(0.02)
        self.origin = f"http://127.0.0.1:{port_file.read_text()}"

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def remove(path):
    """Out of the way at once, gone before the run is measured."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


class Bench:
    """One tree with one linker for one tool: its own home, its own project."""

    def __init__(self, tool, tree, linker, disk, origin):
        self.tool, self.tree, self.linker = tool, tree, linker
        self.label = tool.name
        self.home = disk / f"{tool.name}-{tree}-{linker.replace(' ', '')}"
        self.project = self.home / "project"
        self.saved = self.home / "lockfile"
        remove(self.home)
        self.home.mkdir(parents=True)
        shutil.copytree(HERE / "trees" / tree, self.project)
        self.env = tool.environment(self.home, origin, linker)

    def clean(self, *what):
        for name in what:
            if name == "cache":
                for folder in ("cache", "store", "data", "bun", ".cache"):
                    remove(self.home / folder)
            elif name == "modules":
                remove(self.project / "node_modules")
                for package in (self.project / "packages").glob("*/node_modules"):
                    remove(package)
            elif name == "lockfile":
                remove(self.project / self.tool.lockfile)
            elif name == "manifest":
                shutil.copy(HERE / "trees" / self.tree / "package.json", self.project / "package.json")

    def prepare(self, case):
        """Brings the project into the state in which the case begins."""
        self.clean("manifest")
        if case in ("cold", "lockfile only"):
            self.clean("cache", "modules", "lockfile")
        elif case == "locked":
            self.clean("cache", "modules")
            self.restore()
        elif case == "warm":
            self.clean("modules")
            self.restore()
        elif case == "add one":
            self.restore()
            # What the last run added is taken out again.
            self.run(self.argv("warm"))
            shutil.copy(HERE / "trees" / self.tree / "package.json", self.project / "package.json")
        subprocess.run(["sync", "-f", str(self.home)], check=False)

    def restore(self):
        if self.saved.exists():
            shutil.copy(self.saved, self.project / self.tool.lockfile)

    def argv(self, case):
        here = os.getcwd()
        os.chdir(self.project)
        try:
            words = self.tool.arguments(case, self.linker, ADDED)
        finally:
            os.chdir(here)
        return None if words is None else [self.tool.path, *words]

    def fill(self):
        """A first install: the cache, the lockfile and, with an upstream, the frozen registry. True where it worked."""
        ok = self.run(self.argv("cold"), show=True) is not None
        lockfile = self.project / self.tool.lockfile
        if ok and lockfile.exists():
            shutil.copy(lockfile, self.saved)
        # What is added later has to be in the frozen registry, too.
        ok = ok and self.run(self.argv("add one"), show=True) is not None
        self.clean("manifest")
        return ok

    def run(self, argv, show=False):
        """(wall, user, system seconds, peak bytes), or None where it failed."""
        with tempfile.TemporaryFile() as output:
            begin = time.perf_counter()
            process = subprocess.Popen(
                argv, cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
            timer = None
            try:
                signal.signal(signal.SIGALRM, lambda *_: process.kill())
                timer = signal.alarm(PATIENCE)
                _, status, usage = os.wait4(process.pid, 0)
            finally:
                signal.alarm(0)
            wall = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                if show:
                    output.seek(0)
                    text = output.read().decode(errors="replace")[-600:]
                    print(f"bench: {self.tool.name} {self.tree}: exit {process.returncode}: {text}", file=sys.stderr)
                return None
        return wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024

    def written(self):
        """(files and folders, bytes on the disk) of node_modules: what the project has by itself. Hard links count as files."""
        count = size = 0
        for modules in [self.project / "node_modules", *(self.project / "packages").glob("*/node_modules")]:
            for folder, folders, files in os.walk(modules):
                for name in folders + files:
                    status = os.lstat(os.path.join(folder, name))
                    count += 1
                    # Of a file with other names the store has the bytes.
                    size += status.st_blocks * 512 if status.st_nlink == 1 or not os.path.isfile(os.path.join(folder, name)) else 0
        return count, size

    def kept(self):
        """(inodes, bytes on the disk) of all that the tool has beside the project, hard links counted once."""
        seen, size = set(), 0
        for folder, folders, files in os.walk(self.home):
            if pathlib.Path(folder) == self.home:
                folders[:] = [name for name in folders if name != "project"]
                files = []
            for name in folders + files:
                status = os.lstat(os.path.join(folder, name))
                if status.st_ino not in seen:
                    seen.add(status.st_ino)
                    size += status.st_blocks * 512
        return len(seen), size

    def trace(self, case):
        """(system calls, futex calls) of one more run, below strace, whose times do not count."""
        self.prepare(case)
        with tempfile.NamedTemporaryFile() as out:
            argv = ["strace", "-c", "-f", "-qq", "-U", "calls,name", "-o", out.name, *self.argv(case)]
            if self.run(argv) is None:
                return None
            total = futex = 0
            for line in pathlib.Path(out.name).read_text().splitlines():
                words = line.split()
                if len(words) == 2 and words[0].isdigit():
                    if words[1] == "total":
                        total = int(words[0])
                    elif words[1] == "futex":
                        futex = int(words[0])
            return (total, futex, *self.written(), *self.kept())


def measure(benches, case, runs, slow_runs):
    """Samples by tool, runs interleaved. A tool that is five times slower than the fastest runs less often."""
    samples = {bench: [] for bench in benches}
    for round_ in range(runs):
        fastest = min((statistics.median(s[0] for s in list_) for list_ in samples.values() if list_), default=0)
        for bench in benches:
            done = samples[bench]
            if round_ >= slow_runs and done and statistics.median(s[0] for s in done) > 5 * fastest:
                continue
            bench.prepare(case)
            result = bench.run(bench.argv(case), show=round_ == 0)
            if result:
                done.append(result)
    return samples


def table(benches, samples, traces):
    width = max(len(bench.label) for bench in benches) + 2
    print(f"{'':<{width}}{'wall s':>9}{'user s':>9}{'sys s':>9}{'syscalls':>10}{'futex':>9}{'entries':>9}{'own MB':>8}{'inodes':>8}{'cache MB':>9}{'peak MB':>9}{'ratio':>8}{'cpu':>7}{'mem':>7}{'runs':>6}")
    medians = {}
    for bench in benches:
        if samples[bench]:
            medians[bench] = [statistics.median(column) for column in zip(*samples[bench])]
    base = next((medians[b] for b in benches if b.tool.name != "bao" and b in medians), None)
    for bench in benches:
        if bench not in medians:
            print(f"{bench.label:<{width}}{'-':>9}")
            continue
        wall, user, system, peak = medians[bench]
        calls, futex, entries, own, inodes, cache = traces.get(bench) or ("-", "-", "-", None, "-", None)
        own, cache = ("-" if size is None else f"{size / 1e6:.1f}" for size in (own, cache))
        line = f"{bench.label:<{width}}{wall:>9.3f}{user:>9.3f}{system:>9.3f}{calls:>10}{futex:>9}{entries:>9}{own:>8}{inodes:>8}{cache:>9}{peak / 1e6:>9.1f}"
        if base:
            line += f"{wall / base[0]:>8.2f}{(user + system) / max(base[1] + base[2], 1e-6):>7.2f}{peak / base[3]:>7.2f}"
        print(line + f"{len(samples[bench]):>6}", flush=True)
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word.strip() for word in text.split(",") if word.strip()]
    parser.add_argument("--tools", type=words, default=["bao", "bun", "npm", "pnpm", "yarn"])
    parser.add_argument("--trees", type=words, default=list(TREES))
    parser.add_argument("--linkers", type=words, default=list(LINKERS))
    parser.add_argument("--cases", type=words, default=list(CASES))
    parser.add_argument("--latency", type=words, default=["0", "20"])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--slow-runs", type=int, default=2)
    parser.add_argument("--no-trace", action="store_true")
    parser.add_argument("--scratch", default=None, help="where the image or the temporary folder goes")
    options = parser.parse_args()
    for given, known in ((options.trees, TREES), (options.cases, CASES), (options.linkers, (*LINKERS, ALL))):
        for word in given:
            if word not in known:
                sys.exit(f"bench: {word} is not one of {', '.join(known)}")
    # The image is unmounted and the registry ended when this program is told to end, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    frozen = pathlib.Path(os.environ.get("FROZEN", pathlib.Path.home() / ".cache" / "bao-bench-registry"))
    frozen.mkdir(parents=True, exist_ok=True)
    chosen = tools(options.tools)
    trace = not options.no_trace and shutil.which("strace")
    disk = Disk(options.scratch, int(os.environ.get("BENCH_DISK_GB", 16)))
    registry = None
    try:
        for tree in options.trees:
            for linker in options.linkers:
                usable = [(tool, own) for tool in chosen for own in tool.linkers if linker == own or (linker == ALL and tool.is_apart(own))]
                registry = Registry(frozen, disk.path, fill=True)
                benches = [Bench(tool, tree, own, disk.path, registry.origin) for tool, own in usable]
                for bench in benches if linker == ALL else ():
                    bench.label = f"{bench.tool.name} {bench.linker}"
                benches = [bench for bench in benches if bench.fill()]
                registry.close()
                for latency in options.latency:
                    registry = Registry(frozen, disk.path, latency=float(latency))
                    for case in options.cases:
                        # Without a request, latency changes nothing.
                        if case in ("warm", "no-op") and latency != options.latency[0]:
                            continue
                        # The linker has no part in a lockfile.
                        if case == "lockfile only" and linker != options.linkers[0]:
                            continue
                        able = [bench for bench in benches if bench.argv(case)]
                        if case == "no-op":
                            for bench in able:
                                bench.prepare("warm")
                                bench.run(bench.argv("warm"))
                        for bench in able:
                            # The server has every document in memory before anything is measured.
                            bench.prepare(case)
                            bench.run(bench.argv(case))
                        samples = measure(able, case, options.runs, options.slow_runs)
                        traces = {bench: bench.trace(case) for bench in able} if trace else {}
                        print(f"{tree}, {linker}, {case}, round trip {latency} ms")
                        table(able, samples, traces)
                    registry.close()
                registry = None
                for bench in benches:
                    remove(bench.home)
    finally:
        if registry:
            registry.close()
        disk.close()


if __name__ == "__main__":
    main()
