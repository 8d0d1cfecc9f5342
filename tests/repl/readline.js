// readline without a terminal and with a simulated one: lines, questions, keys, editing, history, completion.
const readline = require("readline");
const promises = require("readline/promises");
const { PassThrough, Readable } = require("stream");
const { EventEmitter } = require("events");

class FakeTerminal extends EventEmitter {
  columns = 40;
  output = "";
  resume() {}
  pause() {}
  end() {}
  write(data) { this.output += data; return true; }
  take() { const text = this.output; this.output = ""; return JSON.stringify(text); }
}

async function main() {
  console.log("# lines");
  const input = new PassThrough();
  const rl = readline.createInterface({ input, crlfDelay: Infinity });
  const lines = [];
  rl.on("line", (line) => lines.push(line));
  for (const part of ["one\ntw", "o\r", "\nthree\rfour\u2028five\n\n", "last"]) input.write(part);
  input.end();
  await new Promise((resolve) => rl.on("close", resolve));
  console.log(lines);

  const seen = [];
  for await (const line of readline.createInterface({ input: Readable.from(["a\nb\n", "c"]) })) seen.push(line);
  console.log(seen);

  console.log("# keys");
  const keys = new PassThrough();
  readline.emitKeypressEvents(keys);
  keys.on("keypress", (text, key) => console.log(JSON.stringify(text), key.name, key.ctrl, key.meta, key.shift, key.code));
  keys.write("aB \r\n\t\x7f\x03\x1bx\x1b[A\x1b[1;5D\x1bOP\x1b[3~\x1b[Z\x1b[200~é😀");
  await new Promise((resolve) => setTimeout(resolve, 5));

  console.log("# editing");
  const tty = new FakeTerminal();
  const editor = readline.createInterface({ input: tty, output: tty, terminal: true, prompt: "? ", historySize: 5 });
  const show = (label) => console.log(label, JSON.stringify(editor.line), editor.cursor, tty.take());
  editor.on("line", (line) => console.log("line:", line));
  editor.prompt();
  show("prompt");
  tty.emit("data", "hello brave world");
  show("typed");
  const press = (name, modifiers = {}) => tty.emit("keypress", undefined, { name, ...modifiers });
  const ctrl = { ctrl: true };
  const meta = { meta: true };
  press("left", ctrl); show("ctrl-left");
  press("w", ctrl); show("ctrl-w");
  press("a", ctrl); show("ctrl-a");
  press("f", meta); show("meta-f");
  press("k", ctrl); show("ctrl-k");
  press("y", ctrl); show("ctrl-y");
  tty.emit("keypress", "", { sequence: "\x1f" }); show("undo");
  tty.emit("keypress", "", { sequence: "\x1e" }); show("redo");
  press("home"); press("delete"); press("end"); press("backspace"); show("deletes");
  tty.emit("data", "\r"); show("return");
  tty.emit("data", "second\r");
  tty.take();
  press("up"); show("up");
  press("up"); show("up");
  press("down"); show("down");
  press("u", ctrl);
  tty.emit("data", "x".repeat(45)); show("wrapped");
  console.log(editor.getCursorPos());
  press("c", ctrl);
  console.log(editor.closed, editor.history);

  console.log("# questions and completion");
  const tty2 = new FakeTerminal();
  const asker = readline.createInterface({
    input: tty2, output: tty2, terminal: true, completer: (line) => [["alpha", "alpine"].filter((w) => w.startsWith(line)), line],
  });
  asker.question("name? ", (answer) => console.log("answer", answer));
  tty2.emit("data", "al\t");
  tty2.emit("data", "\t");
  tty2.emit("data", "h\t\r");
  console.log(tty2.take());
  asker.close();
  try { asker.question("again?", () => {}); } catch (error) { console.log(error.code); }

  const from = new PassThrough();
  const asked = promises.createInterface({ input: from, output: new PassThrough() });
  setTimeout(() => from.write("42\n"), 1);
  console.log(await asked.question("how many? "));
  asked.close();

  console.log("# cursor");
  const out = new FakeTerminal();
  readline.cursorTo(out, 3); readline.cursorTo(out, 3, 4); readline.moveCursor(out, -1, 2);
  readline.clearLine(out, 0); readline.clearLine(out, -1); readline.clearScreenDown(out);
  console.log(out.take());
  const sink = new PassThrough();
  await new promises.Readline(sink).cursorTo(1).moveCursor(2, 0).clearLine(1).commit();
  console.log(JSON.stringify(String(sink.read())));
}

main();
