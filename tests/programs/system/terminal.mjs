import figlet from "figlet";
import boxen from "boxen";
import Table from "cli-table3";
import stringWidth from "string-width";
import strip from "strip-ansi";
import wrap from "wrap-ansi";
import ora from "ora";
import { Writable, PassThrough } from "node:stream";
import { input, confirm, select } from "@inquirer/prompts";
console.log(figlet.textSync("bao 1.4"), "\n" + figlet.textSync("Hi", { font: "Slant" }));
console.log(await figlet.text("x", { font: "Small" }));
console.log(boxen("hello\nwörld 你好", { padding: 1, title: "T", borderStyle: "double", width: 30, textAlignment: "center" }));
const t = new Table({ head: ["a", "b"], colWidths: [8, null], style: { head: [], border: [] }, wordWrap: true });
t.push(["long words here", 1], [{ colSpan: 2, content: "span" }], { row: ["x"] });
console.log(String(t));
console.log(
  ["a", "你", "é", "e\u0301", "👨‍👩‍👧", "\x1b[31mr\x1b[0m", "🏳️‍🌈", "ﾊ", "\u200b", "☎️"].map((s) => stringWidth(s)),
  strip("\x1b[1mb\x1b]8;;u\x07l\x1b]8;;\x07"),
  JSON.stringify(wrap("\x1b[31mthe quick brown fox\x1b[39m jumped 你好吗", 10, { hard: true })),
);
const text = [];
const stream = Object.assign(
  new Writable({
    write(c, e, d) {
      text.push(String(c));
      d();
    },
  }),
  { isTTY: false, columns: 80 },
);
const spin = ora({ text: "work", stream, isEnabled: false }).start();
spin.text = "more";
spin.succeed("done");
ora({ stream, isEnabled: false }).fail("bad");
console.log(strip(text.join("")));
const ask = async (prompt, config, keys) => {
  const stdin = new PassThrough();
  stdin.setRawMode = () => stdin;
  const sink = new PassThrough();
  sink.columns = 80;
  sink.rows = 24;
  sink.isTTY = true;
  let shown = "";
  sink.on("data", (c) => (shown += c));
  const answer = prompt(config, { input: stdin, output: sink });
  for (const k of keys) {
    await new Promise((r) => setTimeout(r, 15));
    stdin.write(k);
  }
  console.log(await answer, strip(shown).includes(config.message));
};
await ask(input, { message: "name?", default: "d" }, ["j", "o", "\x7f", "e", "\n"]);
await ask(confirm, { message: "sure?" }, ["n", "\n"]);
await ask(select, { message: "pick", choices: [{ value: "a" }, { value: "b" }, { value: "c", disabled: true }] }, [
  "\x1b[B",
  "\n",
]);
