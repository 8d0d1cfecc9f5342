// Programs started by this one: the tools of every system, and this runtime itself.
import { execa, execaSync, $ } from "execa";
import spawn from "cross-spawn";
import which from "which";
import shell from "shelljs";
import { npmRunPath } from "npm-run-path";
import path from "node:path";
const self = process.execPath;
console.log(
  (await execa("echo", ["a b", "$HOME"])).stdout,
  (await $`printf ${"x y"}`).stdout,
  execaSync("cat", { input: "piped" }).stdout,
  (await execa("sort", { input: "b\na\n", lines: true })).stdout,
);
await execa("sh", ["-c", "echo out; echo err >&2; exit 3"]).catch((e) =>
  console.log(e.name, e.exitCode, e.stdout, e.stderr, e.shortMessage, e.failed),
);
await execa("definitely-not-there").catch((e) => console.log(e.code, e.failed));
await execa("sleep", ["10"], { timeout: 50 }).catch((e) => console.log(e.timedOut, e.signal));
const child = execa("sleep", ["10"]);
child.kill("SIGTERM");
await child.catch((e) => console.log(e.isTerminated, e.signal));
const controller = new AbortController();
const stopped = execa("sleep", ["10"], { cancelSignal: controller.signal });
controller.abort();
await stopped.catch((e) => console.log(e.isCanceled));
console.log(
  (
    await execa(self, ["-e", "console.log(process.argv.length, process.env.GIVEN); process.exitCode = 4"], {
      env: { GIVEN: "yes" },
      reject: false,
    })
  ).stdout,
);
for await (const line of execa("printf", ["1\n2\n3"])) console.log("line", line);
console.log(
  (await execa("printf", ["c\nb\n"]).pipe("sort")).stdout,
  (await execa({ all: true })`sh -c ${"echo 1; echo 2 >&2"}`).all.length,
);
await new Promise((done) =>
  spawn("sh", ["-c", "read line; echo got $line; exit 2"], { stdio: ["pipe", "inherit", "inherit"] })
    .on("close", (code, signal) => done(console.log(code, signal)))
    .stdin.end("text\n"),
);
console.log(String(spawn.sync("echo", ["sync"]).stdout), spawn.sync("nope-nope").error.code);
console.log(
  path.basename(await which("sh")),
  which.sync("nope-nope", { nothrow: true }),
  (await which("sh", { all: true })).length > 0,
  npmRunPath({ cwd: "/a/b", path: "/bin", addExecPath: false }),
);
shell.config.silent = true;
shell.mkdir("-p", "sh/a/b");
shell.ShellString("hello world\nline two\n").to("sh/f.txt");
shell.cp("-R", "sh/f.txt", "sh/a/");
console.log(
  shell.ls("-R", "sh").join(),
  shell.grep("two", "sh/f.txt").stdout.trim(),
  shell.sed(/world/, "all", "sh/f.txt").head({ "-n": 1 }).stdout.trim(),
  shell.find("sh").length,
  shell.test("-d", "sh/a"),
  shell.cat("none").code,
  shell.exec("echo run; exit 5").code,
  shell.which("sh") !== null,
);
shell.rm("-rf", "sh");
