"""Test runners side by side: BAO=path [BUN=path] [NODE=path] [RUNS=10] python3 bench/test-runner/bench.py [CASE...]

Cases: files (1,000 files of two tests), tests (10,000 tests in one file), heavy (10 files that compute), react (20 files of tests
of components with React, Testing Library and happy-dom), parallel (the heavy files in two processes). Runs are interleaved; the
numbers are medians of wall time, processor time and peak memory (of the largest process), and the ratios of bao's to the others'.
On a busy machine processor time says more than wall time.

NODE names a node to run vitest with, which is installed once with the packages of `react`, into ~/.cache/bao-bench/test-runner.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = int(os.environ.get("RUNS", "10"))
PACKAGES = [
    "react@19", "react-dom@19", "@testing-library/react@16", "@testing-library/dom@10", "@testing-library/jest-dom@6",
    "happy-dom@20", "@happy-dom/global-registrator@20", "vitest@4",
]
CACHE = pathlib.Path.home() / ".cache/bao-bench/test-runner"
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "CI", "GITHUB_ACTIONS", "CLAUDECODE")}


def make(root):
    files = root / "files"
    files.mkdir()
    for i in range(1000):
        (files / f"f{i}.test.ts").write_text(
            f'test("adds {i}", () => {{\n  expect({i} + 1).toBe({i + 1});\n}});\n'
            f'test("text {i}", () => {{\n  expect("a".repeat(3)).toBe("aaa");\n}});\n'
        )
    tests = root / "tests"
    tests.mkdir()
    (tests / "all.test.ts").write_text(
        'for (let g = 0; g < 100; g++) describe("group " + g, () => {\n'
        '  for (let i = 0; i < 50; i++) test("sync " + i, () => { expect(i + g).toBe(i + g); });\n'
        '  for (let i = 0; i < 50; i++) test("async " + i, async () => { await null; expect([i, g]).toEqual([i, g]); });\n'
        "});\n"
    )
    heavy = root / "heavy"
    heavy.mkdir()
    for i in range(10):
        (heavy / f"h{i}.test.ts").write_text(
            "for (let n = 0; n < 20; n++) test(`sorts ${n}`, () => {\n"
            "  const list = Array.from({ length: 20000 }, (_, k) => ({ key: (k * 7919 + n) % 20011, text: `item ${k}` }));\n"
            "  list.sort((a, b) => a.key - b.key);\n"
            "  const groups = Object.groupBy(list, (item) => item.key % 10);\n"
            "  expect(Object.keys(groups)).toHaveLength(10);\n"
            "  expect(JSON.parse(JSON.stringify(list.slice(0, 2000)))).toEqual(list.slice(0, 2000));\n"
            "});\n"
        )
    react = root / "react"
    react.mkdir()
    (react / "setup.ts").write_text(
        'import { GlobalRegistrator } from "@happy-dom/global-registrator";\nGlobalRegistrator.register();\n'
    )
    (react / "bunfig.toml").write_text('[test]\npreload = ["./setup.ts"]\n')
    (react / "tsconfig.json").write_text('{ "compilerOptions": { "jsx": "react-jsx" } }\n')
    (react / "counter.tsx").write_text(
        'import { useState } from "react";\n'
        "export function Counter({ start, items }: { start: number; items: string[] }) {\n"
        "  const [count, setCount] = useState(start);\n"
        "  return (\n"
        "    <section>\n"
        "      <button onClick={() => setCount(count + 1)}>add</button>\n"
        "      <p>count: {count}</p>\n"
        "      <ul>{items.map((item) => <li key={item}>{item}</li>)}</ul>\n"
        "    </section>\n"
        "  );\n"
        "}\n"
    )
    for i in range(20):
        (react / f"r{i}.test.tsx").write_text(
            'import { cleanup, fireEvent, render, screen } from "@testing-library/react";\n'
            'import * as matchers from "@testing-library/jest-dom/matchers";\n'
            'import { Counter } from "./counter";\n'
            "expect.extend(matchers as any);\n"
            "afterEach(cleanup);\n"
            f"for (let n = 0; n < 10; n++) test(`counts ${{n}}`, () => {{\n"
            f"  const items = Array.from({{ length: 20 }}, (_, k) => `item ${{k}} of {i}`);\n"
            "  render(<Counter start={n} items={items} />);\n"
            '  fireEvent.click(screen.getByRole("button"));\n'
            "  expect(screen.getByText(`count: ${n + 1}`)).toBeInTheDocument();\n"
            '  expect(screen.getAllByRole("listitem")).toHaveLength(20);\n'
            "});\n"
        )
    for folder, environment in [(files, "node"), (tests, "node"), (heavy, "node"), (react, "happy-dom")]:
        (folder / "vitest.config.mjs").write_text(
            f'export default {{ test: {{ globals: true, environment: "{environment}" }}, esbuild: {{ jsx: "automatic" }} }};\n'
        )
    return {
        "files": (files, []),
        "tests": (tests, []),
        "heavy": (heavy, []),
        "react": (react, []),
        "parallel": (heavy, ["--parallel=2"]),
    }


def packages():
    """The folder with node_modules for `react` and vitest; installed at the first use."""
    if not (CACHE / "node_modules/vitest").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / "package.json").write_text('{ "private": true }\n')
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    return CACHE / "node_modules"


def run(program, folder, words):
    started = time.perf_counter()
    child = subprocess.Popen([*program, *words], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{program} test failed in {folder}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    programs = [("bao", [os.environ["BAO"], "test"])]
    if os.environ.get("BUN"):
        programs.append(("bun", [os.environ["BUN"], "test"]))
    if os.environ.get("NODE"):
        programs.append(("vitest", [os.environ["NODE"], str(packages() / "vitest/vitest.mjs"), "run"]))
    with tempfile.TemporaryDirectory() as root:
        cases = make(pathlib.Path(root))
        for case in sys.argv[1:] or cases:
            folder, words = cases[case]
            modules = pathlib.Path(root) / "node_modules"
            if (case == "react" or os.environ.get("NODE")) and not modules.exists():
                modules.symlink_to(packages())
            found = {name: [] for name, _ in programs if not (name == "vitest" and words)}
            for turn in range(RUNS + 1):
                for name, program in programs:
                    # One that takes seconds says enough in three runs.
                    if name not in found or (name == "vitest" and turn > 3):
                        continue
                    numbers = run(program, folder, words)
                    # The first run fills caches.
                    if turn > 0:
                        found[name].append(numbers)
            medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in found.items()}
            for name, (wall, cpu, memory) in medians.items():
                ratios = "  ".join(f"{a / b:.2f}" for a, b in zip(medians["bao"], (wall, cpu, memory)))
                print(f"{case:10} {name:6} {wall * 1000:8.1f} ms  {cpu * 1000:8.1f} ms cpu  {memory:6.1f} MB   bao: {ratios}", flush=True)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
