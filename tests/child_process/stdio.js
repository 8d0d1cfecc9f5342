// The option stdio: words, descriptors, streams, further pipes. Recorded from Node.
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { once } = require("node:events");

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bao-child-"));
process.on("exit", () => fs.rmSync(dir, { recursive: true }));

async function main() {
  const ignored = spawn("sh", ["-c", "readlink /proc/self/fd/0 /proc/self/fd/1 > /dev/null; exit 0"], { stdio: "ignore" });
  console.log(ignored.stdin, ignored.stdout, ignored.stderr, ignored.stdio);
  await once(ignored, "close");

  const inherited = spawn("sh", ["-c", "read line; echo inherited"], { stdio: ["pipe", "inherit", "inherit"] });
  console.log(inherited.stdio.slice(1));
  inherited.stdin.end();
  await once(inherited, "close");

  const file = path.join(dir, "out");
  const fd = fs.openSync(file, "w");
  const toFile = spawn("sh", ["-c", "echo one; echo two >&2"], { stdio: ["ignore", fd, fd] });
  fs.closeSync(fd);
  await once(toFile, "close");
  console.log(JSON.stringify(fs.readFileSync(file, "utf8")));

  const stream = fs.createWriteStream(path.join(dir, "stream"));
  await once(stream, "open");
  await once(spawn("echo", ["to a stream"], { stdio: ["ignore", stream, "inherit"] }), "close");
  console.log(JSON.stringify(fs.readFileSync(path.join(dir, "stream"), "utf8")));
  stream.end();

  const more = spawn("sh", ["-c", "read line <&3; echo got $line >&3; echo end >&4"], { stdio: ["ignore", "inherit", "inherit", "pipe", "pipe"] });
  console.log(more.stdio.map((s) => s && [s.readable, s.writable]));
  more.stdio[3].on("data", (d) => console.log("3:", String(d)));
  more.stdio[4].on("data", (d) => console.log("4:", String(d)));
  more.stdio[3].write("a line\n");
  console.log(await once(more, "close"));

  const source = spawn("echo", ["through three processes"]);
  const middle = spawn("tr", ["a-z", "A-Z"], { stdio: [source.stdout, "pipe", "inherit"] });
  middle.stdout.on("data", (d) => console.log(String(d)));
  await once(middle, "close");

  const holes = spawn("sh", ["-c", "echo x >&5"], { stdio: [null, undefined, 2, null, undefined, "pipe"] });
  console.log(holes.stdio.map((s) => s === null ? null : typeof s));
  holes.stdio[5].on("data", (d) => console.log("5:", String(d)));
  await once(holes, "close");

  for (const stdio of ["foo", 3, ["pipe", "x"], ["ipc", "ipc"], [{}], ["pipe", Buffer.from("x")]]) {
    try {
      spawn("true", { stdio });
    } catch (e) {
      console.log(e.name, e.code);
    }
  }
  try {
    spawnSync("true", { stdio: ["pipe", "pipe", "pipe", "ipc"] });
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
  const sync = spawnSync("sh", ["-c", "cat; cat <&3; echo four >&4"], { input: "in\n", stdio: ["pipe", "pipe", "pipe", "ignore", "pipe"] });
  console.log(sync.output.map((o) => o && String(o)));
}
main();
