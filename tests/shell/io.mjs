// expected: written by hand
// Redirections from and to objects, pipelines, large amounts, broken pipes, jobs, AbortSignal and timeouts.
import { $ } from "bun";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "shell-io-"));
$.nothrow().cwd(dir);

// Into commands: built-ins and programs.
const stream = (...chunks) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
await Bun.write(join(dir, "file"), "from a file");
for (const cat of ["cat", "/bin/cat"]) {
  console.log(
    await $`${cat} < ${new Blob(["blob"])}`.text(),
    await $`${cat} < ${Buffer.from("buffer")}`.text(),
    await $`${cat} < ${new TextEncoder().encode("view").buffer}`.text(),
    await $`${cat} < ${new Response("response")}`.text(),
    await $`${cat} < ${new Request("http://x/", { method: "POST", body: "request" })}`.text(),
    await $`${cat} < ${stream("st", new Uint8Array([114]), "eam")}`.text(),
    await $`${cat} < ${Bun.file(join(dir, "file"))}`.text(),
    await $`${cat} < ${join(dir, "file")}`.text(),
    await $`${cat} < file | ${cat}`.text(),
  );
}
const used = new Response("x");
await used.text();
for (const [name, run] of [
  ["used body", () => $`cat < ${used}`.quiet()],
  [
    "stream that fails",
    () =>
      $`/bin/cat < ${new ReadableStream({
        pull() {
          throw new Error("broken source");
        },
      })}`.quiet(),
  ],
  ["stream of numbers", () => $`cat < ${stream(1)}`.quiet()],
  ["into a blob", () => $`echo x > ${new Blob(["x"])}`.quiet()],
  ["into a response", () => $`echo x > ${new Response("x")}`.quiet()],
  ["into a readable stream", () => $`echo x > ${stream()}`.quiet()],
]) {
  try {
    console.log(name, (await run()).exitCode);
  } catch (error) {
    console.log(name, error.name, error.message);
  }
}

// Out of commands.
const view = new Uint8Array(8);
console.log((await $`echo hello world > ${view}`).exitCode, Buffer.from(view).toString());
console.log((await $`/bin/echo hello world > ${view.subarray(4)}`).exitCode, Buffer.from(view).toString());
const both = Buffer.alloc(16);
await $`sh -c 'echo o; echo e >&2' &> ${both}`;
console.log(JSON.stringify(both.toString("utf8").replaceAll("\0", "")));
const errors = Buffer.alloc(64);
await $`ls nothing-here 2> ${errors}`;
console.log(errors.toString().replaceAll("\0", "").trim());
const written = [];
await $`seq 3 > ${new WritableStream({ write: (chunk) => void written.push(Buffer.from(chunk).toString()) })}`;
console.log(JSON.stringify(written.join("")));
await $`echo to a file > ${Bun.file(join(dir, "out"))}; echo more >> ${Bun.file(join(dir, "out"))}`;
console.log(JSON.stringify(await Bun.file(join(dir, "out")).text()));

// Pipelines.
console.log(await $`echo one two three | tr ' ' '\n' | sort | head -2 | tr a-z A-Z`.text());
console.log((await $`seq 100000 | cat | /bin/cat | cat | wc -l`.text()).trim());
console.log((await $`seq 100000 | while read -r n; do echo $n; done | tail -1`.text()).trim());
console.log((await $`/bin/cat < ${Buffer.alloc(8 << 20, "x")} | cat | wc -c`.text()).trim());
console.log(
  (await $`cat < ${Buffer.alloc(8 << 20, "y")}`.bytes()).length,
  (await $`/bin/cat < ${Buffer.alloc(8 << 20, "y")}`.bytes()).length,
);
console.log(
  (await $`yes | head -1000000 | tail -1`.text()).trim(),
  (await $`yes | true`).exitCode,
  (await $`/usr/bin/yes | true`).exitCode,
);
console.log(
  (await $`set -o pipefail; /usr/bin/yes | head -1 > /dev/null`).exitCode,
  (await $`set -o pipefail; yes | head -1 > /dev/null`).exitCode,
);
console.log(
  (await $`echo a | (read x; echo $x; cat) | cat`.text()).trim(),
  (await $`printf 'a\nb\nc\n' | (read x; /bin/cat)`.text()).trim().replace("\n", ","),
);
console.log(
  (await Promise.all(Array.from({ length: 30 }, (_, i) => $`echo ${i} | cat | cat`.text())))
    .map((text) => text.trim())
    .join(" "),
);
console.log(
  (await $`echo full > /dev/full`.quiet()).exitCode,
  (await $`echo full > /dev/full`.quiet()).stderr.toString().trim(),
);

// The loop of the program goes on while built-ins wait.
{
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await $`sleep 0.1 | cat; read x < ${stream()}`;
  await $`i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done`;
  clearInterval(timer);
  console.log("turns:", turns > 20);
}

// Descriptors are closed again.
{
  const count = () => readdirSync("/proc/self/fd").length;
  await $`echo a | cat | cat > ${join(dir, "x")}; cat < ${join(dir, "x")} 2>&1`.quiet();
  const before = count();
  for (let i = 0; i < 50; i++)
    await $`echo a | cat | /bin/cat > x; cat < x 2>&1; exec 3> y; (cat) <<< z; no-such-command | cat; echo > nothing/x`.quiet();
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log("descriptors:", count() - before);
}

// Jobs: the output of those that nobody waits for is part of the result.
console.log(JSON.stringify(await $`(sleep 0.05; echo late) & echo early`.text()));
console.log((await $`sleep 5 & kill $!; wait $!`).exitCode);

// AbortSignal and timeout.
for (const [name, run] of [
  ["aborted before", () => $`echo x`.signal(AbortSignal.abort()).quiet()],
  ["aborted program", () => $`sleep 10; echo not reached`.signal(AbortSignal.timeout(50)).quiet()],
  ["aborted pipeline", () => $`yes | cat > /dev/null`.signal(AbortSignal.timeout(50)).quiet()],
  ["aborted loop", () => $`while true; do :; done`.signal(AbortSignal.timeout(50)).quiet()],
  [
    "aborted with a reason",
    () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error("my reason")), 20);
      return $`sleep 10`.signal(controller.signal).quiet();
    },
  ],
  ["timeout", () => $`sleep 10`.timeout(50).quiet()],
  ["timeout of a built-in", () => $`cat < ${new ReadableStream({})}`.timeout(50).quiet()],
]) {
  const start = Date.now();
  try {
    console.log(name, (await run()).exitCode);
  } catch (error) {
    console.log(name, error.name, error.message, Date.now() - start < 3000);
  }
}
rmSync(dir, { recursive: true });
