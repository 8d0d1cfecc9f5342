"""Programs of others started and run from single files and from archives, interleaved, with a warm and a cold page cache.

Usage: BAO=path start.py FOLDER [--rounds 3] [--only NAME]… [--rows FILE]     (as root: drops the page cache before every cold run)

The same project is installed twice below FOLDER: by the isolated linker and by the linker of archives, of one cache. Each program runs
twice before anything is measured, so that what bao keeps (compiled code, records) is there on both sides. What the runs print must be
the same. Waits are those of the main thread for the disk. Cold: the executable itself is read again before each run, since both sides have it.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from waits import Waits

PACKAGES = {
    "express": "4.21.2", "typescript": "5.9.3", "eslint": "9.39.1", "vite": "6.4.1", "react": "19.2.0", "react-dom": "19.2.0",
    "lodash": "4.17.21", "zod": "3.25.76", "axios": "1.13.2", "@types/node": "22.19.1", "@types/react": "19.2.6",
}
PROGRAMS = {
    # What both sides have: the start of bao itself, with the system's libraries.
    "nothing": ["nothing.cjs"],
    "require('express')": ["express.cjs"],
    "tsc, 300 files": ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "."],
    "eslint, 300 files": ["node_modules/eslint/bin/eslint.js", "src"],
    "bao test, 1,000 files": ["test", "tests"],
    "vite build": ["node_modules/vite/bin/vite.js", "build", "--logLevel", "error"],
}


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def make(folder):
    """The project without its packages."""
    write(folder / "package.json", json.dumps({"name": "start", "private": True, "dependencies": PACKAGES}))
    write(folder / "nothing.cjs", "")
    write(folder / "express.cjs", "const app = require('express')(); app.get('/', () => {}); console.log(typeof app.handle);\n")
    config = {"module": "nodenext", "target": "es2022", "strict": True, "types": ["node"], "skipLibCheck": False}
    write(folder / "tsconfig.json", json.dumps({"compilerOptions": config, "include": ["src"]}))
    write(folder / "eslint.config.js", "module.exports = [{ files: ['**/*.js', '**/*.ts'], rules: { 'no-undef': 0, 'no-unused-vars': 2, eqeqeq: 2 } }];\n")
    for i in range(300):
        before = f"import {{ value as before }} from './f{i - 1}.mjs';\n" if i else "const before = 0;\n"
        text = "import { z } from 'zod';\nimport path from 'node:path';\n" + before
        text += f"const shape = z.object({{ name: z.string(), at: z.number() }});\nexport const value = before + shape.parse({{ name: path.sep, at: {i} }}).at;\n"
        write(folder / "src" / f"f{i}.mts", text)
        write(folder / "src" / f"g{i}.js", f"const _ = require('lodash');\nmodule.exports = _.range({i}).map((n) => n === {i});\n")
    for i in range(1000):
        use = ("lodash", "zod", "axios", "react")[i % 4]
        write(folder / "tests" / f"t{i}.test.js", f"const {{ test, expect }} = require('bun:test');\ntest('{i}', () => expect(typeof require('{use}')).not.toBe('undefined'));\n")
    write(folder / "index.html", '<div id="root"></div><script type="module" src="/main.jsx"></script>\n')
    write(folder / "main.jsx", "import { createRoot } from 'react-dom/client';\nimport _ from 'lodash';\nimport { z } from 'zod';\n"
          "createRoot(document.getElementById('root')).render(<p>{_.join([z.string().parse('a')])}</p>);\n")


def drop_caches(bao):
    subprocess.run(["sync"], check=True)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    bao.read_bytes()


def run(bao, folder, words, env, waits=None):
    """(wall, processor time) in seconds, bytes read, waits of the main thread for the disk, and what was printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen([bao, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - begin
        waited = waits.of(child.pid) if waits else float("nan")
        code = child.wait()
        out.seek(0)
        printed = out.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    blocks = after.ru_inblock - before.ru_inblock
    # `bao test` ends with what it took.
    text = "\n".join(line for line in printed.splitlines() if "ms]" not in line and " in " not in line)
    return wall, cpu, blocks * 512, waited, (code, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rows", type=pathlib.Path, help="gets NAME=MILLISECONDS of each cold start, for a plot")
    options = parser.parse_args()
    bao = pathlib.Path(os.environ["BAO"]).resolve()
    folder = options.folder.resolve()
    sides = {"files": ["--linker=isolated"], "archives": ["--linker=store"]}
    env = {**os.environ, "NO_COLOR": "1", "CI": "1", "BUN_INSTALL_CACHE_DIR": str(folder / "cache"), "HOME": str(folder / "home")}
    (folder / "home").mkdir(parents=True, exist_ok=True)
    for side, words in sides.items():
        if not (folder / side / "node_modules").exists():
            make(folder / side)
            # One lockfile, so that both have the same packages.
            if (folder / "bun.lock").exists():
                shutil.copy(folder / "bun.lock", folder / side)
            subprocess.run([bao, "install", "--ignore-scripts", *words], cwd=folder / side, env=env, check=True, capture_output=True)
            shutil.copy(folder / side / "bun.lock", folder)
    cold = os.access("/proc/sys/vm/drop_caches", os.W_OK)
    try:
        waits = Waits()
    except OSError as error:
        print(f"waits for the disk are not counted: {error}", file=sys.stderr)
        waits = None
    rows = []
    print("| program | warm: files, CPU ms | archives | ratio | cold: files, ms | archives | ratio | read: files, KiB | archives | waits: files | archives |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for name, words in PROGRAMS.items():
        if options.only and not any(word in name for word in options.only):
            continue
        samples = {(side, is_cold): [] for side in sides for is_cold in (False, True)}
        printed = {}
        for side in sides:
            for _ in range(2):
                printed[side] = run(bao, folder / side, words, env)[4]
        if printed["files"] != printed["archives"]:
            sys.exit(f"{name}: from archives it prints something else:\n{printed}")
        if printed["files"][0] != 0:
            print(f"{name}: exit code {printed['files'][0]}: {printed['files'][1][-300:]}", file=sys.stderr)
        for is_cold in (False, True) if cold else (False,):
            for _ in range(options.rounds):
                for side in sides:
                    if is_cold:
                        drop_caches(bao)
                    samples[side, is_cold].append(run(bao, folder / side, words, env, waits if is_cold else None))
        middle = lambda side, is_cold, at: statistics.median([one[at] for one in samples[side, is_cold]] or [float("nan")])
        warm = [middle(side, False, 1) * 1e3 for side in sides]
        chill = [middle(side, True, 0) * 1e3 for side in sides]
        read = [middle(side, True, 2) / 1024 for side in sides]
        waited = [middle(side, True, 3) for side in sides]
        rows += [f"{name.replace(' ', '_')},_{side}={ms:.0f}" for side, ms in zip(sides, chill) if cold]
        print(f"| {name} | {warm[0]:,.0f} | {warm[1]:,.0f} | {warm[0] / warm[1]:.2f} | {chill[0]:,.0f} | {chill[1]:,.0f} | {chill[0] / chill[1]:.2f} | {read[0]:,.0f} | {read[1]:,.0f} | {waited[0]:,.0f} | {waited[1]:,.0f} |", flush=True)
    if options.rows:
        options.rows.write_text("".join(f"{row}\n" for row in rows))


if __name__ == "__main__":
    main()
