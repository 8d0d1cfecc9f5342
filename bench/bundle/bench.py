"""Measures bundlers side by side: processor time, wall time, peak memory and size, runs interleaved.

Usage: BAO=path bench.py [--runs N] [--case NAME] [--tool NAME] [--rebuild]

The peers are those that are found below $PEERS_DIR/node_modules (`npm i bun esbuild rolldown vite three typescript@5 react
react-dom`) or in the variables BUN and NODE; `three`, `typescript` and `react` of the same folder are what is bundled. Vite builds
by its API, for the same target and without assets, a page or reports of sizes. Cases:

  three    three.js/src ten times, as in esbuild's benchmark
  tsc      TypeScript's compiler, one file of 9 MB
  app      5,000 components of React in TypeScript, each in a file of its own

each as it is and minified, with source maps. Numbers are medians, and of processor and wall time also minima, which say more on
a busy machine. With --rebuild, a component of `app` is edited while the tools watch: milliseconds from the edit to the result.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

COPIES = 10
COMPONENTS = 5000
EDITS = 5

# Vite's command line has no option for the name of the result, nor one for an entry point.
VITE = """
const [vite, entry, out, minify, watch] = process.argv.slice(1);
const { build } = await import(vite);
const { basename, dirname } = await import("node:path");
await build({
  root: dirname(entry),
  configFile: false,
  logLevel: "silent",
  ssr: { noExternal: true },
  build: {
    ssr: entry,
    outDir: dirname(out),
    emptyOutDir: false,
    copyPublicDir: false,
    sourcemap: true,
    minify: minify === "true",
    target: "esnext",
    reportCompressedSize: false,
    watch: watch === "--watch" ? {} : null,
    rollupOptions: { output: { entryFileNames: basename(out) } },
  },
});
"""


def peers_dir():
    found = os.environ.get("PEERS_DIR")
    if not found:
        sys.exit("bench: set PEERS_DIR to a folder with node_modules (npm i bun esbuild rolldown vite three typescript@5)")
    return pathlib.Path(found)


def executable(variable, *places):
    """The executable of a variable, or the first of some places that is there."""
    if os.environ.get(variable):
        return os.environ[variable]
    return next((str(place) for place in places if place.exists()), None)


def tools(peers):
    """Names of bundlers with functions that give their command lines for an entry point, a result, and minified or not."""
    modules = peers / "node_modules"
    bao = os.environ.get("BAO") or sys.exit("bench: set BAO to the executable to measure")
    bun = executable("BUN", modules / "bun/bin/bun.exe", modules / ".bin/bun")
    node = executable("NODE", *map(pathlib.Path, filter(None, [shutil.which("node")])))
    esbuild = executable("ESBUILD", *modules.glob("@esbuild/*/bin/esbuild"))
    rolldown = modules / "rolldown/bin/cli.mjs"

    def like_bun(path):
        return lambda entry, out, minify: [
            path, "build", entry, f"--outfile={out}", "--sourcemap=linked", "--target=node",
            *(["--minify"] if minify else []),
        ]

    # The words that make a tool build again after each edit.
    found = {"bao": (like_bun(bao), ["--watch"])}
    if bun:
        found["bun"] = (like_bun(bun), ["--watch"])
    if esbuild:
        argv = lambda entry, out, minify: [
            esbuild, "--bundle", entry, f"--outfile={out}", "--sourcemap", "--format=esm", "--platform=node",
            "--log-level=error", "--jsx=automatic",
            *(["--minify"] if minify else []),
        ]
        found["esbuild"] = (argv, ["--watch=forever"])
    if node and rolldown.exists():
        argv = lambda entry, out, minify: [
            node, str(rolldown), entry, "-o", out, "--sourcemap", "--platform=node", "--logLevel=silent",
            *(["--minify"] if minify else []),
        ]
        found["rolldown"] = (argv, ["--watch"])
    vite = modules / "vite/dist/node/index.js"
    if node and vite.exists():
        argv = lambda entry, out, minify: [
            node, "--input-type=module", "--eval", VITE, "--", str(vite), entry, out, str(minify).lower(),
        ]
        found["vite"] = (argv, ["--watch"])
    return found


def component(index):
    """The text of one component, which renders those below it in a tree."""
    below = [child for child in (2 * index + 1, 2 * index + 2) if child < COMPONENTS]
    imports = "".join(f'import {{ C{child} }} from "../m{child // 100}/c{child}";\n' for child in below)
    children = "".join(f'      <C{child} title={{props.title + "{child}"}} depth={{depth + 1}} />\n' for child in below)
    return f"""import {{ useMemo, useState }} from "react";
{imports}
export interface Props{index} {{ title: string; depth?: number; items?: readonly string[] }}
const styles = {{ root: "card-{index}", title: "title", list: "list" }} as const;

export function describe{index}(props: Props{index}): string {{
  const parts: string[] = [];
  for (const item of props.items ?? []) if (item.length > {index % 7}) parts.push(item.toUpperCase());
  return parts.join(", ") || "none";
}}

export function C{index}(props: Props{index}) {{
  const [open, setOpen] = useState<boolean>({"true" if index % 2 else "false"});
  const text = useMemo(() => describe{index}(props), [props]);
  const depth = props.depth ?? 0;
  return (
    <section className={{styles.root}} onClick={{() => setOpen((was) => !was)}}>
      <h2 className={{styles.title}}>{{props.title}} {{depth}}</h2>
      {{open ? <p>{{text}}</p> : null}}
      <ul className={{styles.list}}>{{(props.items ?? []).map((item, at) => <li key={{at}}>{{item}}</li>)}}</ul>
{children}    </section>
  );
}}
"""


def write_app(folder, modules):
    """A folder with the app; gives its entry point."""
    for index in range(COMPONENTS):
        place = folder / f"m{index // 100}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"c{index}.tsx").write_text(component(index))
    (folder / "tsconfig.json").write_text('{"compilerOptions":{"jsx":"react-jsx","moduleResolution":"bundler"}}')
    (folder / "node_modules").symlink_to(modules)
    entry = folder / "index.tsx"
    entry.write_text(
        'import { createRoot } from "react-dom/client";\nimport { C0 } from "./m0/c0";\n'
        'createRoot(document.getElementById("root")!).render(<C0 title="app" />);\n'
    )
    return entry


def wait_for(path, mark, seconds=60):
    """Seconds until a file has a text, or `None` if it does not come to have it."""
    begun, size = time.monotonic(), None
    while time.monotonic() - begun < seconds:
        try:
            stat = path.stat()
            if (stat.st_size, stat.st_mtime_ns) != size:
                size = (stat.st_size, stat.st_mtime_ns)
                if mark in path.read_bytes():
                    return time.monotonic() - begun
        except FileNotFoundError:
            pass
        time.sleep(0.001)
    return None


def rebuild(argv, entry, out, cwd):
    """Milliseconds from an edit of a component to the result that has it, while a tool watches."""
    out.unlink(missing_ok=True)
    edited = pathlib.Path(entry).parent / "m40/c4000.tsx"
    text = edited.read_text()
    child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times = []
    try:
        if wait_for(out, b"card-4000") is None:
            return None
        for edit in range(EDITS):
            time.sleep(1)
            mark = f"edit-{edit}-{time.monotonic_ns()}"
            edited.write_text(text.replace("card-4000", mark))
            taken = wait_for(out, mark.encode())
            if taken is None:
                return None
            times.append(taken * 1000)
    finally:
        child.terminate()
        child.wait()
        edited.write_text(text)
    return times


def cases(peers, folder):
    """Names of cases with their entry points; what is missing is left out."""
    modules = peers / "node_modules"
    found = {}
    three = modules / "three/src"
    if three.exists():
        base = folder / "three"
        lines = []
        for index in range(COPIES):
            shutil.copytree(three, base / f"copy{index}")
            lines.append(f'import * as three{index} from "./three/copy{index}/Three.js";\nexport {{ three{index} }};')
        # Beside the results: Bun puts them into the folder of the entry point.
        entry = folder / "three.js"
        entry.write_text("\n".join(lines))
        found["three"] = str(entry)
    compiler = modules / "typescript/lib/typescript.js"
    if compiler.exists():
        entry = folder / "tsc.js"
        shutil.copy(compiler, entry)
        found["tsc"] = str(entry)
    if (modules / "react-dom").exists():
        found["app"] = str(write_app(folder / "app", modules))
    return found


def measure(argv, out, cwd):
    """One run: processor seconds, wall seconds, peak bytes, size of the code."""
    pathlib.Path(out).unlink(missing_ok=True)
    begun = time.monotonic()
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(argv, cwd=cwd, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0 or not pathlib.Path(out).exists():
            log.seek(0)
            raise RuntimeError(f"{' '.join(argv)}\n{log.read().decode(errors='replace')[-2000:]}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, pathlib.Path(out).stat().st_size


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--case", default="")
    parser.add_argument("--tool", action="append")
    parser.add_argument("--rebuild", action="store_true")
    options = parser.parse_args()
    peers = peers_dir()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="bench-bundle-") as name:
        folder = pathlib.Path(name)
        found = {tool: argv for tool, argv in tools(peers).items() if not options.tool or tool in options.tool}
        for case, entry in cases(peers, folder).items():
            if options.case not in case:
                continue
            # Beside the entry point, where Bun puts results.
            place = pathlib.Path(entry).parent
            for minify in (False, True) if not options.rebuild else ():
                runs = {tool: [] for tool in found}
                for _ in range(options.runs):
                    for tool, (argv, _) in found.items():
                        out = str(place / f"{case}-{tool}.js")
                        try:
                            runs[tool].append(measure(argv(entry, out, minify), out, folder))
                        except RuntimeError as error:
                            print(f"{tool}: {error}", file=sys.stderr)
                print(f"{case}{' minified' if minify else ''}")
                print(f"  {'':10} {'cpu s':>7} {'least':>7} {'wall s':>7} {'least':>7} {'peak MB':>8} {'size kB':>9}")
                for tool, results in runs.items():
                    if not results:
                        continue
                    cpu, wall, peak, size = (statistics.median(column) for column in zip(*results))
                    least_cpu, least_wall = min(run[0] for run in results), min(run[1] for run in results)
                    print(
                        f"  {tool:10} {cpu:7.2f} {least_cpu:7.2f} {wall:7.2f} {least_wall:7.2f} "
                        f"{peak / 1e6:8.0f} {size / 1e3:9.1f}"
                    )
            if options.rebuild and case == "app":
                print(f"rebuild of {COMPONENTS} modules after an edit, ms")
                for tool, (argv, watching) in found.items():
                    out = place / f"watched-{tool}.js"
                    times = rebuild([*argv(entry, str(out), False), *watching], entry, out, folder)
                    shown = f"{statistics.median(times):7.0f} {min(times):7.0f}" if times else "no result"
                    print(f"  {tool:10} {shown}")


main()
