// node:repl on a terminal (streams that say they are one): editing several lines, history, editor mode, search backwards,
// completion. Every byte written. Expected from Node 25.8.1.
const repl = require("node:repl");
const { PassThrough, Writable } = require("node:stream");

function session(keys) {
  return new Promise((resolve) => {
    const input = new PassThrough();
    const chunks = [];
    const output = new Writable({ write(chunk, _, next) { chunks.push(String(chunk)); next(); } });
    output.columns = 80;
    const server = repl.start({ prompt: "> ", input, output, terminal: true, preview: false, useColors: false });
    server.on("exit", () => resolve({ text: chunks.join(""), history: server.history }));
    let at = 0;
    const next = () => {
      if (at < keys.length) {
        input.write(keys[at++]);
        setImmediate(next);
      } else {
        server.close();
      }
    };
    next();
  });
}

const UP = "\x1b[A", DOWN = "\x1b[B", LEFT = "\x1b[D", TAB = "\t";
(async () => {
  for (const [name, keys] of Object.entries({
    line: ["1 + 1\r"],
    several: ["[1,\r", "2]\r", UP, LEFT, "3", "\r"],
    historyOfSeveral: ["`a\r", "b`\r", "7\r", UP, UP, UP, DOWN, DOWN, "\r"],
    editor: [".editor\r", "const a = 1\r", "a + 1", "\x04"],
    cancelledEditor: [".editor\r", "const z = 1\r", "\x03", "typeof z\r"],
    search: ["11\r", "22\r", "12\r", "\x12", "1", "\x12", "\r", "\r"],
    complete: ["({ alpha: 1, beta: 2 }).al", TAB, "\x03", "globalThis.clearInt", TAB, "\x03"],
    interrupt: ["abc", "\x03", "\x03"],
    insideSeveral: ["`a\r", "b\r", UP, "c", "\r", DOWN, DOWN, "d`\r"],
  })) {
    const { text, history } = await session(keys);
    console.log(`--- ${name}`);
    console.log(JSON.stringify(text));
    console.log(JSON.stringify(history));
  }
})();
