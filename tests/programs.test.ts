// bao's own black-box tests, run by `bao test`. A program tests/AREA/NAME.{js,mjs,cjs,ts,tsx,mts,cts} is run by $BAO in its own
// folder; what it prints to standard output and, if not 0, its exit code must equal NAME.out. NAME.sh is run by sh, with both
// streams; one that cannot run on this machine ends with 77, what it says is shown, and its name goes into the file $BAO_NOT_RUN.
// tests/run.sh starts this and counts what was run.
//
// The program under test ($BAO) and the runner are the same executable: a runner that lost tests would be found by that count.
import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, readdirSync, existsSync } from "node:fs";
import { spawn } from "node:child_process";
import { basename, dirname, join } from "node:path";

const root = dirname(import.meta.dir);
const program = process.env.BAO;
if (!program) throw new Error("BAO is not set: it is the path of the executable under test (sh tests/run.sh sets it)");

/** The exit code of a script that lacks something of the machine, as automake has it. */
const SKIPPED = 77;
/** Seconds after which a program is ended. */
const LIMIT = 120;
const EXTENSIONS = ["js", "mjs", "cjs", "ts", "tsx", "mts", "cts", "sh"];

/** The environment of a program: a test must not depend on the machine's colours, locale or zone, nor on the runner's,
 * nor on what a registry has of the names of packages that do not exist. */
const environment: Record<string, string | undefined> = { ...process.env, NO_COLOR: "1", LC_ALL: "C.UTF-8", TZ: "UTC", BAO: program, BAO_AUTO_INSTALL: "disable" };
for (const name of ["FORCE_COLOR", "NODE_OPTIONS", "BUN_OPTIONS", "NODE_ENV", "CLAUDECODE", "AGENT", "REPL_ID", "CI", "GITHUB_ACTIONS"]) {
  delete environment[name];
}

/** Runs a program in its folder: what is compared, and what else it said. */
function run(folder: string, file: string): Promise<{ output: string; aside: string; code: number | null }> {
  const isShell = file.endsWith(".sh");
  const command = isShell ? ["sh", "-c", `exec timeout ${LIMIT} sh "$0" 2>&1`, file] : ["timeout", String(LIMIT), program!, file];
  return new Promise((resolve, reject) => {
    const child = spawn(command[0]!, command.slice(1), { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    const aside: Buffer[] = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => aside.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code !== 0) output.push(Buffer.from(`exit code ${code ?? signal}\n`));
      resolve({ output: Buffer.concat(output).toString("latin1"), aside: Buffer.concat(aside).toString(), code });
    });
  });
}

function area(name: string, folder: string): void {
  describe(name, () => {
    for (const entry of readdirSync(folder).sort()) {
      if (!entry.endsWith(".out")) continue;
      const base = basename(entry, ".out");
      const extension = EXTENSIONS.find((each) => existsSync(join(folder, `${base}.${each}`)));
      // A loaded machine can take a port or a time slice from a test. It is run once more, and the line says so: a test that
      // needs its second attempt is a defect to be found, though not one of this submission.
      test(
        extension === undefined ? base : `${base}.${extension}`,
        async () => {
          if (extension === undefined) throw new Error(`there is no program for ${join(folder, entry)}`);
          const { output, aside, code } = await run(folder, `${base}.${extension}`);
          if (code === SKIPPED && extension === "sh") {
            console.error(`NOT RUN ${name} > ${base}.${extension}: ${output}${aside}`);
            if (process.env.BAO_NOT_RUN) appendFileSync(process.env.BAO_NOT_RUN, `${name}/${base}\n`);
            return;
          }
          const expected = readFileSync(join(folder, entry), "latin1");
          if (output !== expected && aside !== "") console.error(aside.split("\n").slice(0, 40).join("\n"));
          expect(output).toBe(expected);
        },
        { timeout: (LIMIT + 20) * 1000, retry: 1 },
      );
    }
  });
}

for (const entry of readdirSync(join(root, "tests"), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
  if (entry.isDirectory()) area(entry.name, join(root, "tests", entry.name));
}
area("examples", join(root, "examples"));
