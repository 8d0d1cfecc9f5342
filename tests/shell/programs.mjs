// expected: written by hand
// `bao exec`, `bao FILE.sh`, and scripts of package.json in this shell.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "shell-programs-"));
const file = (name, text) => writeFileSync(join(dir, name), text);
async function bao(args, { stdin = "", kill } = {}) {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: dir,
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
  if (kill) setTimeout(() => child.kill(kill), 300);
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  console.log(
    args.join(" ").replaceAll("\n", "\\n").slice(0, 70),
    "=>",
    await child.exited,
    JSON.stringify(out.replaceAll(dir, "DIR")),
    JSON.stringify(err.replaceAll(dir, "DIR")),
  );
}

await bao(["exec", "echo hi; exit 3"]);
await bao(["exec", "echo $1 $2 $#", "a", "b c"]);
await bao(["exec", "cat | tr a-z A-Z"], { stdin: "from stdin" });
await bao(["exec", "no-such-command"]);
await bao(["exec", "echo ("]);
await bao(["exec", "echo out; echo err >&2; ls missing"]);
await bao(["exec", "read x; echo [$x]; cat"], { stdin: "one\ntwo\nthree\n" });
await bao(["exec", "read x; /bin/cat"], { stdin: "one\ntwo\nthree\n" });
await bao(["exec", "seq 100000 | tail -1"]);
await bao(["exec", "trap 'echo caught' TERM; echo start; sleep 1; echo end"], { kill: "SIGTERM" });
await bao(["exec", "trap 'echo bye' EXIT; false"]);
await bao(["exec", "set -euo pipefail; true | false | true; echo no"]);
await bao(["exec", "exec sh -c 'echo replaced; exit 5'; echo no"]);
await bao(["exec", "kill -s TERM $$; sleep 1"]);

file("a.sh", '#!/bin/sh\n# A script.\necho $0 $1 "$@"\nf() { return 4; }\nf\n');
await bao(["a.sh", "x", "y z"]);
await bao(["./a.sh"]);
await bao(["run", "a.sh", "x"]);
file("broken.sh", "if true; then\n");
await bao(["broken.sh"]);
await bao(["missing.sh"]);
file("utf.sh", "echo '日本' \"$(printf '\\377')\" | wc -c\n");
await bao(["utf.sh"]);

file(
  "package.json",
  JSON.stringify({
    scripts: {
      hello: "echo ${X:-none} {a,b} && [[ a == a ]] && echo yes",
      args: "printf '<%s>'",
      fails: "exit 7",
      posttwo: "echo post",
      two: "echo two",
    },
  }),
);
await bao(["run", "--silent", "--shell=bun", "hello"]);
await bao(["run", "--silent", "--shell=bun", "args", "a b", "$HOME", "*"]);
await bao(["run", "--silent", "--shell=bun", "fails"]);
await bao(["run", "--silent", "--shell=bun", "two"]);
file("bunfig.toml", '[run]\nshell = "bun"\nsilent = true\n');
await bao(["run", "hello"]);
await bao(["run", "--shell=system", "two"]);
await bao(["run", "--shell=other", "two"]);
rmSync(dir, { recursive: true });
