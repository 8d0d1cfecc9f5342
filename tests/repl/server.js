// node:repl on streams that are no terminal: results, errors, commands, several lines, await. Expected from Node 25.8.1.
const repl = require("node:repl");
const { PassThrough, Writable } = require("node:stream");

function session(options, lines) {
  return new Promise((resolve) => {
    const input = new PassThrough();
    let text = "";
    const output = new Writable({ write(chunk, _, next) { text += chunk; next(); } });
    const server = repl.start({ prompt: "> ", input, output, ...options });
    server.on("exit", () => resolve(text));
    // One by one: what is awaited must not meet the next line.
    const next = () => {
      if (lines.length === 0) return input.end();
      input.write(`${lines.shift()}\n`);
      setTimeout(next, 1);
    };
    next();
  });
}

async function show(name, options, lines) {
  console.log(`--- ${name}`);
  console.log(await session(options, lines));
}

(async () => {
  await show("values", {}, ["1 + 1", "'a'", "({ a: 1 })", "{ a: 1 }", "{ a: 1 };", "[1, 2].map((x) => x * 2)", "undefined", "null", "", "// nothing"]);
  await show("variables", {}, ["let a = 1", "const b = 2; a + b", "let a = 3", "a", "var v = 1", "v", "class K {}", "K", "function f() { return 3 }", "f()"]);
  await show("last value", {}, ["41", "_ + 1", "_ = 5", "7", "_", "throw new Error('x')", "_error.message"]);
  await show("errors", {}, [
    "throw new Error('plain')", "throw Object.assign(new Error('props'), { a: 1 })", "throw null", "throw 'text'", "nope",
    "function g() { throw new TypeError('k') }", "g()", "var 1", "let x y", "a..b", "}", "return 1", "import fs from 'fs'",
  ]);
  await show("several lines", {}, ["function h(a) {", "  return `x", "${a}`", "}", "h(1)", "[1,", "2]", "/* a", "comment */ 5", "{", "}", "'a\\", "b'", "foo(", ".break", "1"]);
  await show("await", {}, ["await 5", "const w = await Promise.resolve({ p: 1 }); w.p", "w", "let { p, q = 2 } = await w", "q", "for await (const i of [1, 2]) console.log(i)", "async () => await 1", "if (await true) { var deep = 9 }", "deep"]);
  await show("commands", {}, [".help", ".nope", "let c = 1", ".clear", "typeof c", ".load", ".save", ".load /nonexistent/file", "npm install x"]);
  await show("ignoreUndefined", { ignoreUndefined: true }, ["undefined", "1", "let k"]);
  await show("writer", { writer: (value) => `<${value}>` }, ["1", "[1, 2]"]);
  await show("strict", { replMode: repl.REPL_MODE_STRICT }, ["(function () { return this })()"]);
  await show("eval", { eval: (code, context, file, done) => done(code.includes("bad") ? new Error("bad input") : null, code.trim().toUpperCase()) }, ["abc", "def"]);
  await show("recoverable", { eval: (code, context, file, done) => (code.endsWith(";\n") ? done(null, code) : done(new repl.Recoverable(new SyntaxError("more")))) }, ["a", "b;"]);
  const names = [];
  const input = new PassThrough();
  const server = repl.start({ prompt: "", input, output: new Writable({ write(chunk, _, next) { names.push(String(chunk)); next(); } }) });
  server.defineCommand("hi", { help: "Say hi", action(name) { this.output.write(`hi ${name}\n`); this.displayPrompt(); } });
  server.context.shared = 42;
  server.on("exit", () => {
    console.log("--- defineCommand, context");
    console.log(names.join(""));
    console.log(typeof repl.Recoverable, typeof server.context.fs.readFileSync, server.context.require === require);
    for (const make of [() => server.defineCommand("x", {}), () => repl.start({ breakEvalOnSigint: true, eval() {} })]) {
      try {
        make();
      } catch (error) {
        console.log(error.name, error.code, error.message);
      }
    }
  });
  input.end(".hi there\nshared\nmodule.id\nrequire('path').sep\n");
})();
