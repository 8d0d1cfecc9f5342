"""A long day in an hour: BAO=path [MINUTES=60] [OUT=folder] [BUN=path] python3 bench/soak/soak.py

Runs program.mjs under --hot: a server with fetch to itself, node:http, WebSockets, TLS reconnects, workers that come and go, timers,
files, processes, compression, weak references; each task checks all its answers. A module of it is changed every RELOAD seconds
(default 10). Written to OUT (default: a new folder in /tmp): samples.jsonl, table.txt, memory.svg. The exit code is 1 if a task
failed, if the program ended, or if memory, descriptors or threads grew: the median of the last quarter against that of the second
(allowed: a tenth of the memory, 3 descriptors, 2 threads).
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
MINUTES = float(os.environ.get("MINUTES", 60))
RELOAD = float(os.environ.get("RELOAD", 10))


def run(executable, out):
    """The samples of one run, and the exit code if the program ended by itself."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.mjs"
        shutil.copy(HERE / "program.mjs", program)
        reloaded = pathlib.Path(folder) / "reloaded.mjs"
        reloaded.write_text("export const version = 0;\n")
        certificates = (HERE / "../../tests/http/support/").resolve().as_uri() + "/"
        env = dict(os.environ, CERTIFICATES=certificates, TMPDIR=folder)
        child = subprocess.Popen([executable, "--hot", str(program)], env=env, stdout=subprocess.PIPE, stderr=open(out / "stderr.txt", "wb"), text=True)
        samples = []

        def read():
            with open(out / "samples.jsonl", "w") as log:
                for line in child.stdout:
                    log.write(line)
                    log.flush()
                    if line.startswith("{"):
                        samples.append(json.loads(line))

        reader = threading.Thread(target=read)
        reader.start()
        end = time.monotonic() + MINUTES * 60
        version = 0
        while time.monotonic() < end and child.poll() is None:
            time.sleep(min(RELOAD, max(0.1, end - time.monotonic())))
            version += 1
            fresh = reloaded.with_suffix(".new")
            fresh.write_text(f"export const version = {version};\n")
            fresh.rename(reloaded)
        code = child.poll()
        child.terminate()
        child.wait()
        reader.join()
        return samples, code, version


def quarters(samples, key):
    """The medians of the second and the last quarter."""
    values = [sample[key] for sample in samples]
    part = max(1, len(values) // 4)
    return statistics.median(values[part : 2 * part] or values), statistics.median(values[-part:])


def plot(samples, path):
    """Memory, heap and descriptors over time, as SVG."""
    width, height, left, bottom = 900, 360, 60, 40
    span = max(sample["seconds"] for sample in samples) or 1
    top = max(sample["rss"] for sample in samples) / 2**20 * 1.1
    most = max(sample["descriptors"] for sample in samples) * 1.5

    def line(key, scale, limit, colour):
        points = " ".join(
            f"{left + sample['seconds'] / span * (width - left - 60):.1f},{height - bottom - sample[key] / scale / limit * (height - bottom - 20):.1f}"
            for sample in samples
        )
        return f'<polyline fill="none" stroke="{colour}" stroke-width="1.2" points="{points}"/>'

    marks = []
    for i in range(5):
        y = height - bottom - i / 4 * (height - bottom - 20)
        marks.append(f'<line x1="{left}" x2="{width - 60}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        marks.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{top * i / 4:.0f} MB</text>')
        marks.append(f'<text x="{width - 54}" y="{y + 4}">{most * i / 4:.0f}</text>')
        x = left + i / 4 * (width - left - 60)
        marks.append(f'<text x="{x}" y="{height - 20}" text-anchor="middle">{span * i / 240:.0f} min</text>')
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">\n'
    text += '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(marks) + "\n"
    text += line("rss", 2**20, top, "#c0392b") + "\n" + line("heapUsed", 2**20, top, "#2980b9") + "\n"
    text += line("descriptors", 1, most, "#27ae60") + "\n"
    text += f'<text x="{left}" y="{height - 4}"><tspan fill="#c0392b">resident memory</tspan>  <tspan fill="#2980b9">heap</tspan>  '
    text += '<tspan fill="#27ae60">open descriptors (right)</tspan></text>\n</svg>\n'
    path.write_text(text)


def main():
    out = pathlib.Path(os.environ.get("OUT") or tempfile.mkdtemp(prefix="bao-soak-"))
    out.mkdir(parents=True, exist_ok=True)
    samples, code, changes = run(os.environ["BAO"], out)
    problems = []
    if code is not None:
        problems.append(f"the program ended by itself with code {code}, see {out}/stderr.txt")
    if len(samples) < 8:
        problems.append(f"only {len(samples)} samples")
    lines = []
    if samples:
        last = samples[-1]
        lines.append(f"{last['seconds'] / 60:.1f} minutes, {len(samples)} samples, {changes} changes, {last['versions']} versions loaded")
        lines += [f"  {name:20}{count:10}" for name, count in last["done"].items()]
        lines.append(f"  weak references: {last['registered']} registered, {last['collected']} collected")
        lines.append(f"  requests sent again because a kept connection was closed: {last['again']}")
        for key, scale, unit, allowed in (
            ("rss", 2**20, "MB", None),
            ("heapUsed", 2**20, "MB", None),
            ("external", 2**20, "MB", None),
            ("descriptors", 1, "", 3),
            ("threads", 1, "", 2),
        ):
            before, after = (value / scale for value in quarters(samples, key))
            peak = max(sample[key] for sample in samples) / scale
            lines.append(f"  {key:20}{before:10.1f} in the second quarter, {after:.1f} in the last, {peak:.1f} at most {unit}")
            grown = after - before > allowed if allowed is not None else key == "rss" and after > before * 1.1
            if grown:
                problems.append(f"{key} grew from {before:.1f} to {after:.1f} {unit}")
        for name, count in last["done"].items():
            if count == 0:
                problems.append(f"{name} was never done")
        if last["failed"]:
            errors = [error for sample in samples for error in sample["errors"]]
            problems.append(f"{last['failed']} rounds failed:\n" + "\n".join(errors[:10]))
        plot(samples, out / "memory.svg")
    lines += [f"PROBLEM: {problem}" for problem in problems]
    text = "\n".join(lines) + "\n"
    (out / "table.txt").write_text(text)
    print(f"{out}/memory.svg")
    print(text, end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
