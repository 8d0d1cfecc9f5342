// expected: recorded from bun 1.4.5. What a FileSink has taken is written at the end of the turn, also without flush().
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "sink-"));
const file = join(folder, "file");
const show = (when) => console.log(when, JSON.stringify(readFileSync(file, "utf8")));
const turn = () => new Promise((resolve) => setTimeout(resolve, 10));

const sink = Bun.file(file).writer();
console.log(sink.write("a"), sink.write("b"));
show("at once");
Promise.resolve().then(() => show("in a microtask"));
await turn();
show("a turn later");
sink.write("c");
setImmediate(() => show("in an immediate"));
await turn();
console.log("flush", await sink.flush());
sink.write("d");
console.log("flush", await sink.flush());
console.log("end", await sink.end());
show("at the end");
rmSync(folder, { recursive: true });
