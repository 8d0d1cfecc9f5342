// expected: recorded from bun 1.4.5
// The tag function, its promise, results and errors.
import { $ } from "bun";

const { ShellError, ShellPromise } = $;

const show = async (name, run) => {
  try {
    let result = await run();
    if (result?.stdout) result = [result.exitCode, result.stdout.toString(), result.stderr.toString()];
    console.log(name, "=>", JSON.stringify(result));
  } catch (error) {
    console.log(name, "=> throws", error?.name, error?.code, JSON.stringify(error?.message), error?.exitCode);
  }
};

await show("throws by default", () => $`exit 3`.quiet());
await show("nothrow", () => $`exit 3`.quiet().nothrow());
await show("throws(false)", () => $`exit 3`.quiet().throws(false));
await show("text", () => $`echo hi`.text());
await show("text of a failure", () => $`sh -c 'echo o; echo e >&2; exit 3'`.text());
await show("text hex", () => $`echo hi`.text("hex"));
await show("json", () => $`echo '{"a":[1,2]}'`.json());
await show("lines", async () => Array.fromAsync(await $`echo ${"a\nb\n\nc"}`.lines()));
await show("blob", async () => (await $`echo hi`.blob()).text());
await show("arrayBuffer", async () => new Uint8Array(await $`echo hi`.arrayBuffer()));
await show("bytes", async () => $`echo hi`.bytes());
await show("cwd", () => $`pwd`.cwd("/usr").quiet());
await show("cwd that is missing", () => $`pwd`.cwd("/nonexistent").quiet());
await show("env", () => $`echo $A $HOME`.env({ A: "1" }).quiet());
await show("changes after the start", () => {
  const promise = $`echo hi`.quiet();
  promise.run();
  return promise.cwd("/");
});
await show("no tag", () => $("echo hi"));

try {
  await $`sh -c 'echo o; echo e >&2; exit 3'`.quiet();
} catch (error) {
  console.log(
    error instanceof ShellError,
    error instanceof Error,
    error instanceof $.ShellError,
    error.name,
    error.message,
  );
  console.log(
    error.exitCode,
    error.stdout.toString(),
    error.stderr.toString(),
    JSON.stringify(error.info),
    error.text(),
  );
}
const output = await $`echo ${'{"a":1}'}`.quiet();
console.log(
  output.text(),
  JSON.stringify(output.json()),
  output.bytes().length,
  output.arrayBuffer().byteLength,
  output.blob().size,
  output.exitCode,
);
console.log($`true` instanceof ShellPromise, $`true` instanceof Promise);

// A shell of its own.
const other = new $.Shell();
other.nothrow().env({ X: "own" }).cwd("/usr");
console.log((await other`echo $X; pwd; exit 4`.quiet()).exitCode, await other`echo $X; pwd`.text());
console.log(JSON.stringify(await $`echo $X`.text()));
$.nothrow();
console.log((await $`false`.quiet()).exitCode);
$.throws(true);
await show("throws again", () => $`false`.quiet());
$.env({ Y: "set" });
console.log(await $`echo $Y`.text());
$.env();
$.cwd("/usr");
console.log(await $`pwd`.text());
$.cwd();

// Values.
$.nothrow();
class Named {
  toString() {
    return "named";
  }
}
await show("string", () => $`echo ${"a  b"}`.text());
await show("number", () => $`echo ${1.5} ${10n} ${true} ${null} ${undefined}`.text());
await show("array", () => $`echo ${["a", "b c", 3, ["d"]]}`.text());
await show("array glued", () => $`echo x${["a", "b"]}y`.text());
await show("empty array", () => $`echo a ${[]} b`.text());
await show("empty string", () => $`echo a ${""} b`.text());
await show("toString", () => $`echo ${new Named()}`.text());
await show("raw", () => $`echo ${{ raw: "a; echo b" }}`.text());
await show("file", () => $`echo ${Bun.file("/etc/x y")}`.text());
await show("object", () => $`echo ${{ a: 1 }}`.text());
await show("blob as an argument", () => $`echo ${new Blob(["x"])}`.text());
await show("object in quotes", () => $`echo > "${new Uint8Array(1)}"`.text());
await show("command", () => $`${["echo", "a b"]} ${"c"}`.text());
await show("command with a space", () => $`${"echo hi"}`.quiet());

console.log(JSON.stringify(["a{b,c}d{e,{f,g}}", "{a}", "a{1..3}", ""].map((text) => $.braces(text))));
for (const text of [
  "",
  "a b",
  "a'b",
  'a"b',
  "$x",
  "`x`",
  "\\",
  "a\nb",
  "~",
  "*",
  "{a,b}",
  "a=b",
  "#",
  "!",
  "(",
  "é",
  "a;b",
  "&",
  "[",
  "?",
  "|",
  "<",
  "%",
  "-x",
  ",",
]) {
  console.log(JSON.stringify(text), JSON.stringify($.escape(text)));
}
