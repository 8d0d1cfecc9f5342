"""HTTP servers under load, beside Bun (and Node for node:http): BAO=path python3 bench/http/bench.py [CASE ...]

Needs wrk, for `ws` a WebSocket client (echo.mjs, run by Bun where there is one, for all servers alike), for express the packages that npm
installs once into ~/.cache/bao-bench/http. The server runs on one core, the load on another. Runs are interleaved (RUNS, default 5, of
SECONDS, default 3, after one of warming up); printed are medians of requests (or messages) per second, CPU time per request, the 99th
percentile of latency and memory after the load. BASE is an older bao to compare with. On a machine that does other work, compare CPU time per request.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["hello", "async", "routes", "static", "file", "post", "headers", "stream", "ws", "node-hello", "node-express4", "node-express5", "node-express5-text"]
RUNS, SECONDS = int(os.environ.get("RUNS", 5)), int(os.environ.get("SECONDS", 3))
CONNECTIONS = int(os.environ.get("CONNECTIONS", 50))
PORT = int(os.environ.get("PORT", 4810))
CACHE = pathlib.Path.home() / ".cache/bao-bench/http"


def find(name):
    given = os.environ.get(name.upper())
    peers = os.environ.get("PEERS_DIR")
    candidates = [given, peers and f"{peers}/node_modules/.bin/{name}", shutil.which(name)]
    return next((c for c in candidates if c and (shutil.which(c) or pathlib.Path(c).exists())), None)


def ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def load(case, script, seconds):
    """One load on the other core: (requests, requests per second, 99th percentile in ms, what went wrong)."""
    core = ["taskset", "-c", str(os.cpu_count() - 1)]
    if case == "ws":
        client = os.path.realpath(find("bun") or os.environ["BAO"])
        command = [client, str(HERE / "echo.mjs"), f"ws://127.0.0.1:{PORT}/", str(CONNECTIONS), str(seconds)]
        row = json.loads(subprocess.run([*core, *command], capture_output=True, text=True, check=True).stdout)
        return row["count"], row["rate"], row["p99"], row["errors"]
    out = subprocess.run(
        [*core, "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", *(["-s", script] if case == "post" else []),
         f"http://127.0.0.1:{PORT}/"], capture_output=True, text=True, check=True).stdout
    late, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    return (int(re.search(r"(\d+) requests in", out)[1]), float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]),
            float(late) * {"us": 0.001, "ms": 1, "s": 1000}[unit], out if re.search(r"Non-2xx|Socket errors", out) else "")


def run(program, case, file, script):
    command = [os.path.realpath(shutil.which(program) or program), str(HERE / "server.mjs"), case, str(PORT)]
    environment = {**os.environ, "BENCH_FILE": file, "BENCH_PACKAGES": str(CACHE), "NODE_ENV": "production"}
    server = subprocess.Popen(["taskset", "-c", "0", *command], env=environment)
    try:
        for _ in range(100):
            time.sleep(0.05)
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/").read()
                break
            except OSError:
                pass
        load(case, script, 1)
        before = ticks(server.pid)
        count, rate, late, wrong = load(case, script, SECONDS)
        used, memory = ticks(server.pid) - before, rss(server.pid)
    finally:
        server.terminate()
        server.wait()
    if wrong:
        print(f"  {program} {case}: {wrong}", file=sys.stderr)
    return rate, used / count * 1e6, late, memory


def packages():
    """The frameworks, each version under a name of its own."""
    if not (CACHE / "node_modules/express5").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / "package.json").write_text('{ "private": true }\n')
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "express4@npm:express@4", "express5@npm:express@5"],
                       cwd=CACHE, check=True, stdout=subprocess.DEVNULL)


def main():
    bao, bun, node = os.environ["BAO"], find("bun"), find("node")
    with tempfile.TemporaryDirectory() as place:
        file, script = f"{place}/64k.bin", f"{place}/post.lua"
        pathlib.Path(file).write_bytes(b"x" * 65536)
        pathlib.Path(script).write_text('wrk.method = "POST"\nwrk.body = string.rep("x", 16384)\n')
        cases = sys.argv[1:] or CASES
        if any("express" in case for case in cases):
            packages()
        for case in cases:
            peers = {"bao": bao, "base": os.environ.get("BASE"), "bun": bun, **({"node": node} if case.startswith("node-") else {})}
            found = {name: [] for name, program in peers.items() if program}
            for _ in range(RUNS):
                for name in found:
                    found[name].append(run(peers[name], case, file, script))
            ours = None
            for name, rows in found.items():
                rate, cpu, late, memory = (statistics.median(column) for column in zip(*rows))
                ours = ours or (rate, cpu, late, memory)
                print(f"{case:11} {name:5} {rate:9.0f} req/s  {cpu:6.2f} us CPU/req  p99 {late:7.2f} ms  {memory:6.1f} MB"
                      f"   bao: {ours[0] / rate:4.2f}x rate, {ours[1] / cpu:4.2f}x CPU, {ours[3] / memory:4.2f}x memory", flush=True)


main()
