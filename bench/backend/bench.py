"""Back ends under load: BAO=path [PEERS_DIR=folder] [NODE=path] python3 bench/backend/bench.py [CASE ...]

A case is KIND-SOURCE-PROCESSES: `node` or `bun` (node:http or Bun.serve), `bare` (rows in the program), `pg` or `postgres` (rows of a
PostgreSQL that this starts on loopback, read with the package of that name), 1 or 2 processes. Needs wrk and Debian's postgresql-15;
the packages are installed once into ~/.cache/bao-bench/backend. Runs are interleaved (RUNS, default 5, of SECONDS, default 3, at each number of CONNECTIONS, default
100,200); printed are medians of requests per second, CPU time per request of all processes of the server, the 99th percentile of
latency and the memory of the server after the load, and the ratios of bao's to the others'. Server, database and load share the
machine: CPU time per request says most.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ("bare", "pg", "postgres")
CASES = [f"{kind}-{source}-{processes}" for source in SOURCES for processes in (1, 2) for kind in ("node", "bun")]
RUNS, SECONDS = int(os.environ.get("RUNS", 5)), int(os.environ.get("SECONDS", 3))
CONNECTIONS = [int(word) for word in os.environ.get("CONNECTIONS", "100,200").split(",")]
CACHE = pathlib.Path.home() / ".cache/bao-bench/backend"
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")


def find(name):
    given = os.environ.get(name.upper())
    peers = os.environ.get("PEERS_DIR")
    candidates = [given, peers and f"{peers}/node_modules/.bin/{name}", shutil.which(name)]
    return next((os.path.realpath(c) for c in candidates if c and pathlib.Path(c).exists()), None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Database:
    """A PostgreSQL of its own, in a temporary folder, gone at the end."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.port = free_port()
        # It refuses to run as root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.root, "postgres")
            self.root.chmod(0o755)
        data = self.root / "data"
        self.call(POSTGRES / "initdb", "-D", data, "-A", "scram-sha-256", "-U", "bench", "--pwfile", self.password())
        self.server = subprocess.Popen(
            [*self.user, str(POSTGRES / "postgres"), "-D", str(data), "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
             "-c", "unix_socket_directories=", "-c", "fsync=off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        self.url = f"postgres://bench:secret@127.0.0.1:{self.port}/postgres"
        for _ in range(100):
            if subprocess.run([POSTGRES / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0:
                break
            time.sleep(0.1)

    def fill(self):
        subprocess.run(
            [POSTGRES / "psql", "-q", self.url, "-c",
             'CREATE TABLE "user" (id serial PRIMARY KEY, username text, name text, sex text, address text, mail text, birthdate timestamptz);'
             'INSERT INTO "user" (username, name, sex, address, mail, birthdate) '
             "SELECT 'user' || n, 'Name ' || n || ' Of Somebody', CASE WHEN n % 2 = 0 THEN 'M' ELSE 'F' END, "
             "n || E' Some Street\\nSome Town, XY 12345', 'user' || n || '@example.com', to_timestamp(n * 855360) "
             "FROM generate_series(1, 1000) n;"], check=True)

    def password(self):
        file = self.root / "password"
        file.write_text("secret\n")
        file.chmod(0o644)
        return file

    def call(self, *command):
        subprocess.run([*self.user, *map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def end(self):
        # The postmaster is a child of runuser where there is one; both end by this.
        children = pathlib.Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children").read_text().split()
        os.kill(int(children[0]) if self.user and children else self.server.pid, signal.SIGINT)
        self.server.wait()


def family(pid):
    """A process and its descendants."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in family(int(child)))]


def ticks(pids):
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def rss(pids):
    return sum(int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) for pid in pids) / 1024


def run(program, case, connections, url):
    kind, source, processes = case.split("-")
    port = free_port()
    environment = {**os.environ, "NODE_ENV": "production", "PROCESSES": processes}
    environment.pop("DATABASE_URL", None)
    if source != "bare":
        environment.update(DATABASE_URL=url, DATABASE_CLIENT=source)
    server = subprocess.Popen([program, str(CACHE / "server.mjs"), kind, str(port)], env=environment)
    try:
        body = None
        for _ in range(200):
            time.sleep(0.05)
            try:
                body = urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
                break
            except OSError:
                pass
        if body is None or body.count(b"Gcas Hckb") + body.count(b"Gcas") < 100:
            sys.exit(f"{program} {case}: wrong answer {body[:200] if body else body}")
        time.sleep(0.3)
        pids = family(server.pid)
        # What starts once (compilation) is not what is measured.
        subprocess.run(["wrk", "-t1", f"-c{connections}", "-d1s", f"http://127.0.0.1:{port}/"], capture_output=True, check=True)
        before = ticks(pids)
        out = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--latency", f"http://127.0.0.1:{port}/"],
            capture_output=True, text=True, check=True).stdout
        used, memory = ticks(pids) - before, rss(pids)
    finally:
        for pid in reversed(family(server.pid)):
            os.kill(pid, signal.SIGKILL)
        server.wait()
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(f"{program} {case}: errors under load:\n{out}")
    requests = int(re.search(r"(\d+) requests in", out)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    return rate, used / requests * 1e6, float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit], memory


def main():
    programs = {name: find(name) for name in ("bao", "bun", "node")}
    if not programs["bao"]:
        sys.exit("BAO is not set")
    cases = sys.argv[1:] or CASES
    for case in cases:
        if case not in CASES:
            sys.exit(f"there is no case {case}; there are: {' '.join(CASES)}")
    CACHE.mkdir(parents=True, exist_ok=True)
    if not all((CACHE / "node_modules" / name).exists() for name in SOURCES[1:]):
        (CACHE / "package.json").write_text('{ "private": true }\n')
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "postgres@3", "pg@8"], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(HERE / "server.mjs", CACHE / "server.mjs")
    with tempfile.TemporaryDirectory() as root:
        database = Database(root) if any("-bare-" not in case for case in cases) else None
        try:
            if database:
                database.fill()
            for case in cases:
                for connections in CONNECTIONS:
                    names = [name for name, path in programs.items() if path and not (name == "node" and case.startswith("bun"))]
                    found = {name: [] for name in names}
                    for _ in range(RUNS):
                        for name in names:
                            found[name].append(run(programs[name], case, connections, database and database.url))
                    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in found.items()}
                    for name, (rate, cpu, slowest, memory) in medians.items():
                        ratios = "  ".join(f"{a / b:.2f}" for a, b in zip(medians["bao"], medians[name]))
                        print(f"{case:15} {connections:4} {name:5} {rate:9.0f} /s {cpu:8.1f} us {slowest:8.1f} ms {memory:6.0f} MB   bao: {ratios}", flush=True)
        finally:
            if database:
                database.end()


if __name__ == "__main__":
    main()
