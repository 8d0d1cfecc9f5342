"""HTTP servers under load, beside Bun (and Node for node:http): BAO=path python3 bench/http/bench.py [CASE ...]

Needs wrk. The server runs on one core, wrk on another. Runs are interleaved (RUNS, default 5, of SECONDS, default 3); printed are medians of
requests per second, CPU time per request, the 99th percentile of latency and memory after the load. On a machine that does other work,
compare CPU time per request.
"""

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
CASES = ["hello", "async", "routes", "static", "file", "post", "headers", "stream", "node-hello"]
RUNS, SECONDS = int(os.environ.get("RUNS", 5)), int(os.environ.get("SECONDS", 3))
CONNECTIONS = int(os.environ.get("CONNECTIONS", 50))
PORT = int(os.environ.get("PORT", 4810))


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


def run(program, case, file, script):
    command = [os.path.realpath(shutil.which(program) or program), str(HERE / "server.mjs"), case, str(PORT)]
    server = subprocess.Popen(["taskset", "-c", "0", *command], env={**os.environ, "BENCH_FILE": file, "NODE_ENV": "production"})
    try:
        for _ in range(100):
            time.sleep(0.05)
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/").read()
                break
            except OSError:
                pass
        before = ticks(server.pid)
        out = subprocess.run(
            ["taskset", "-c", str(os.cpu_count() - 1), "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency",
             *(["-s", script] if case == "post" else []), f"http://127.0.0.1:{PORT}/"],
            capture_output=True, text=True, check=True).stdout
        used, memory = ticks(server.pid) - before, rss(server.pid)
    finally:
        server.terminate()
        server.wait()
    count = int(re.search(r"(\d+) requests in", out)[1])
    late, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    if re.search(r"Non-2xx|Socket errors", out):
        print(f"  {program} {case}: {out}", file=sys.stderr)
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), used / count * 1e6,
            float(late) * {"us": 0.001, "ms": 1, "s": 1000}[unit], memory)


def main():
    bao, bun, node = os.environ["BAO"], find("bun"), find("node")
    with tempfile.TemporaryDirectory() as place:
        file, script = f"{place}/64k.bin", f"{place}/post.lua"
        pathlib.Path(file).write_bytes(b"x" * 65536)
        pathlib.Path(script).write_text('wrk.method = "POST"\nwrk.body = string.rep("x", 16384)\n')
        for case in sys.argv[1:] or CASES:
            peers = {"bao": bao, "bun": bun, **({"node": node} if case.startswith("node-") else {})}
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
