// Completion in node:repl. Expected from Node 25.8.1.
const repl = require("node:repl");
const { PassThrough } = require("node:stream");
const server = repl.start({ prompt: "", input: new PassThrough(), output: new PassThrough(), allowBlockingCompletions: true });

const complete = (text) => new Promise((resolve) => server.complete(text, (error, result) => resolve(error ?? result)));
const run = (text) => server.input.write(`${text}\n`);

run("var object = { alpha: 1, alps: { inner: true }, get trap() { console.log('getter ran'); return {} } }");
run("function fun() {}");
run("var proxy = new Proxy({ secret: 1 }, {})");
(async () => {
  await new Promise(setImmediate);
  for (const text of [
    "object.al", "object.alps.", "object?.al", "object.alps.inn", "object['alps'].in", "object.trap.", "proxy.", "typeof object.al",
    "new ArrayBu", "const x = object.al", "x = object.alps.i", "fun().", "encodeURIComp", "obj", "'a'.charCod", "(5).toFix", ".he", ".",
    "require('fs", "require('node:test", "import('pat", "{ a: object.al", "nothing.here.", "fun.cal", "1.", "  object.alp", "tru", "awai",
  ]) {
    const [list, on] = await complete(text);
    console.log(JSON.stringify(text), JSON.stringify(on), JSON.stringify(list.length > 12 ? [...list.slice(0, 3), "...", list.length > 20] : list));
  }
  server.close();
})();
