// expected: recorded from node 25.9.0
// What a REPL on a terminal shows in grey: what completes the line, and what it would give, if that has no effect.
import { REPLServer } from "node:repl";
import { Stream } from "node:stream";

process.env.TERM = "";

class Terminal extends Stream {
  readable = true;
  writable = true;
  text = "";
  write(chunk) {
    this.text += chunk;
    return true;
  }
  pause() {}
  resume() {}
}

async function show(options, inputs) {
  const stream = new Terminal();
  const repl = new REPLServer({ prompt: "> ", stream, terminal: true, useColors: true, ignoreUndefined: true, ...options });
  for (const input of inputs) {
    stream.text = "";
    for (const part of input) stream.emit("data", part);
    // Answers of promises, and completion.
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(JSON.stringify(input.join("·")));
    console.log(JSON.stringify(stream.text));
  }
  repl.close();
}

await show({}, [
  ["1 + 1", "\n"],
  ["var counter = 0, list = [1, 2]", "\n"],
  ["counter", "++", "\n"],
  ["counter", "\n"],
  ["list.push(3)", "\n"],
  ["list.map((n) => n * 2)", "\n"],
  ["{ a: 1 }", ";", "\n"],
  ["'", "x'.repeat(3)", "\n"],
  ["new Map([[1, { deep: { er: 1 } }]])", "\n"],
  ["null", "\n"],
  ["10n ** 20n", "\n"],
  ["NaN", "\n"],
  ["throw 0", "\n"],
  ["coun", "\n"],
  ["coun", "\x1b[C", "\n"],
  ["nothingAtAll", "\n"],
  ["while (true) {}", "\x15", "1", "\n"],
  ["'a'.repeat(400).length", "\n"],
  ["Array.from({ length: 60 }, (_, i) => i)", "\x15", "2", "\n"],
]);
await show({ preview: false }, [["1 + 1", "\n"]]);
await show({ useColors: false }, [["1 + 1", "\n"], ["({ a: [1, { b: 2 }] })", "\n"]]);
await show({ eval: (text, context, file, done) => done(null, 7) }, [["1 + 1", "\n"]]);
