// execa and cross-spawn: children, pipes, errors.
import { execa, execaSync, execaNode, $ } from "execa";
import spawn from "cross-spawn";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
if (process.argv[2] === "child") {
  if (process.argv[3] === "ipc") process.once("message", (message) => process.send({ got: message }, () => process.disconnect()));
  else if (process.argv[3] === "stdin") process.stdin.on("data", (chunk) => process.stdout.write(String(chunk).toUpperCase()));
  else {
    console.log("out", process.argv.slice(3).join("|"));
    console.error("err");
    process.exitCode = Number(process.env.CODE ?? 0);
  }
} else {
  const node = process.execPath;
  {
    const { stdout, stderr, exitCode } = await execa(node, [self, "child", "a b", "*", "'quoted'"]);
    console.log(stdout, stderr, exitCode);
  }
  console.log(execaSync("echo", ["sync", "echo"]).stdout);
  try {
    await execa(node, [self, "child"], { env: { CODE: "3" } });
  } catch (error) {
    console.log(error.name, error.exitCode, error.failed, error.stdout, error.shortMessage.replaceAll(/\/\S+/g, "PATH"));
  }
  console.log((await execa("cat", { input: "from input" })).stdout);
  console.log((await execa({ lines: true })`printf ${"one\ntwo\n"}`).stdout);
  console.log((await $`echo ${["with", "array"]}`.pipe`tr a-z A-Z`).stdout);
  {
    const child = execaNode(self, ["child", "ipc"], { ipc: true });
    await child.sendMessage({ hello: 1 });
    console.log(await child.getOneMessage());
    console.log((await child).exitCode);
  }
  {
    const ended = execa("sleep", ["10"], { timeout: 50 });
    await ended.catch((error) => console.log(error.timedOut, error.signal));
    const controller = new AbortController();
    const canceled = execa("sleep", ["10"], { cancelSignal: controller.signal });
    controller.abort();
    await canceled.catch((error) => console.log(error.isCanceled));
  }
  await execa("no-such-program-here").catch((error) => console.log(error.code));
  for await (const line of execa("printf", ["a\nb\nc\n"])) console.log("line", line);
  const result = spawn.sync("sh", ["-c", "echo $0 $1", "x", "y z"], { encoding: "utf8" });
  console.log(JSON.stringify(result.stdout), result.status);
  await new Promise((resolve) => {
    const child = spawn(node, [self, "child", "stdin"], { stdio: ["pipe", "inherit", "inherit"] });
    child.on("close", (code) => resolve(console.log("", code)));
    child.stdin.end("through cross-spawn");
  });
  spawn("no-such-program-here").on("error", (error) => console.log(error.code, error.syscall));
}
