// `bao inspect`: a session as one types it, with what the debugger answers.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { readFileSync, rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";

const fixtures = join(import.meta.dirname, "fixtures");
const folder = mkdtempSync(join(tmpdir(), "bao-inspect-"));

/** A debugger that is typed to; `type` gives what it prints until the next prompt (and `until`, if there is one). */
function start(args, env = {}) {
  const child = spawn(process.execPath, ["inspect", ...args], { cwd: fixtures, env: { ...process.env, ...env } });
  const session = { text: "", changed: () => {} };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      session.text += chunk;
      session.changed();
    });
  }
  session.ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  session.until = (pattern) =>
    new Promise((resolve) => {
      session.changed = () => {
        if (!pattern.test(session.text) || !/> $/.test(session.text)) return;
        session.changed = () => {};
        resolve();
      };
      session.changed();
    });
  session.type = async (line, until = /> $/) => {
    session.text = "";
    child.stdin.write(`${line}\n`);
    await session.until(until);
    const shown = session.text
      .replace(/debug> |> $/g, "")
      .split("\n")
      .filter((part) => !/^< (Debugger|For help)|^connecting to/.test(part))
      .join("\n");
    console.log(`${line}\n${shown.trimEnd()}`.replaceAll(folder, "FOLDER").replace(/\d+μs/, "Nμs"));
  };
  session.quit = () => {
    child.stdin.end();
    return session.ended;
  };
  return session;
}

const stopped = /(?:[Bb]reak|Break on start|step|exception|debugCommand) in \S+:\d+\n/;
const debug = start(["--port=0", "inspected.js", "one"]);
await debug.until(/Break on start in inspected\.js:\d+/);
console.log(debug.text.match(/Break on start[^]*(?=debug>)/)[0]);
await debug.type("n", stopped);
await debug.type('sb("inspected.js", 12)');
await debug.type("sb(100)");
await debug.type('sb("later.js", 1)');
await debug.type('sb("called()")');
await debug.type('sb(13, "i === 2")');
await debug.type("breakpoints");
await debug.type('watch("i")');
await debug.type('watch("process.argv[2]")');
await debug.type("c", stopped);
await debug.type("bt");
await debug.type("exec [i, new Map([[1, { a: 2 }]]), 'text', undefined, class A {}]");
await debug.type("exec new Map([[1, { a: 2 }]])");
await debug.type("exec { a: 1, f() {} }");
await debug.type("exec .scope");
await debug.type("exec missing.name");
await debug.type("watchers");
await debug.type("unwatch(0)");
await debug.type('cb("inspected.js", 12)');
await debug.type('cb("inspected.js", 99)');
await debug.type("c", stopped);
await debug.type("c", stopped);
await debug.type("", stopped);
await debug.type("s", stopped);
await debug.type("o", stopped);
await debug.type("repl");
await debug.type("typeof called + i");
await debug.type(".interrupt");
await debug.type("list(1)");
await debug.type("scripts");
await debug.type("profile");
await debug.type("profileEnd");
await debug.type(`profiles[0].save(${JSON.stringify(join(folder, "p.cpuprofile"))})`);
console.log(Object.keys(JSON.parse(readFileSync(join(folder, "p.cpuprofile"), "utf8"))));
await debug.type("Runtime.evaluate({ expression: '1 + 1' })");
await debug.type("breakOnException");
await debug.type("c", stopped);
await debug.type("breakOnNone");
await debug.type("c", stopped);
await debug.type("c", /disconnect/);
await debug.type("c");
await debug.type("list()");
await debug.type("run", stopped);
await debug.type("nothing()");
console.log(await debug.quit());

// Wrong use, and nobody there.
const none = start([]);
console.log(await none.ended, none.text);
const gone = start(["127.0.0.1:1"]);
console.log(await gone.ended, gone.text);
// A server of WebSockets that is no debugger.
const server = createServer((request, response) => response.end('[{ "webSocketDebuggerUrl": "ws://there/x" }]'));
server.on("upgrade", ({ headers }, socket) => {
  const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  socket.write(`HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.once("data", () => socket.write(Buffer.from("\x81\x04null", "latin1"))).on("error", () => {});
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address();
const other = start([`127.0.0.1:${port}`]);
console.log(await other.ended, other.text.replace(port, "PORT"));
server.close();
rmSync(folder, { recursive: true });
