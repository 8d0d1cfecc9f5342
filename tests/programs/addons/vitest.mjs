// Vitest's own runner, in child processes and in threads, over a file with mocks, timers and a failure.
import { spawnSync } from "node:child_process";
import fs from "node:fs";

const root = fs.mkdtempSync("vitest-");
fs.writeFileSync(`${root}/lazy.ts`, 'export default () => "lazy";');
fs.writeFileSync(
  `${root}/some.test.ts`,
  `import { describe, expect, it, vi } from "vitest";
import lazy from "./lazy";
vi.mock("./lazy", () => ({ default: () => "mocked" }));
describe("some", () => {
  it("mocks", () => expect(lazy()).toBe("mocked"));
  it.each([[1, 2], [2, 4]])("%i -> %i", (a, b) => expect(a * 2).toBe(b));
  it("waits", () => {
    vi.useFakeTimers();
    const done = vi.fn();
    setTimeout(done, 1000);
    vi.advanceTimersByTime(1000);
    expect(done).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });
  it("snapshot", () => expect({ a: 1 }).toMatchInlineSnapshot(\`
    {
      "a": 1,
    }
  \`));
  it("fails", () => expect([1, 2]).toEqual([1, 3]));
});
`,
);
for (const pool of ["forks", "threads"]) {
  const run = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--root", root, "--reporter=json", `--pool=${pool}`],
    { encoding: "utf8" },
  );
  const report = JSON.parse(run.stdout);
  console.log(pool, run.status, report.numPassedTests, report.numFailedTests);
  for (const { title, status, failureMessages } of report.testResults[0].assertionResults)
    console.log(
      title,
      status,
      failureMessages.map((text) => text.split("\n")[0]),
    );
}
fs.rmSync(root, { recursive: true });
