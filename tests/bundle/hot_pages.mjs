// expected: what the guide to the development server says; Bun 1.4.5 prints the same but for what stands in docs/compatibility.md.
// Modules of pages are replaced while the page runs.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Browser } from "./support/browser.mjs";

const root = realpathSync(mkdtempSync(join(tmpdir(), "hot-")));
process.chdir(root);

const write = (map) => {
  for (const [path, text] of Object.entries(map)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};
const show = (name, value) => console.log(`${name}:`, JSON.stringify(value));

write({
  "index.html": `<!doctype html><html><head><link rel="stylesheet" href="./a.css"><script type="module" src="./main.ts"></script></head></html>`,
  "a.css": "body { color: red }",
  "main.ts": `
    import { name } from "./name";
    import data from "./data.json";
    import { label } from "./label.ts";
    console.log("main", name, data.n, label());
    globalThis.label = () => label();
    import.meta.hot.accept("./name", (module) => console.log("renewed", module.name));
  `,
  "name.ts": `export const name: string = "one";`,
  "data.json": `{ "n": 1 }`,
  "label.ts": `
    import { helper } from "./helper.cjs";
    import.meta.hot.data.runs ??= 0;
    console.log("label runs", ++import.meta.hot.data.runs);
    export const label = () => "label " + helper();
    import.meta.hot.dispose(() => console.log("label goes"));
    import.meta.hot.accept();
  `,
  "helper.cjs": `exports.helper = () => "of helper";`,
});

const { default: page } = await import(join(root, "index.html"));
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: true, routes: { "/": page } });
const written = process.stdout.write;
// What the server says of its builds has times in it.
process.stdout.write = function (text, ...rest) {
  return /^(?:Bundled|Reloaded)/.test(text) ? true : written.call(this, text, ...rest);
};
const tab = new Browser(server.url);
await tab.load();
show("first", await tab.until(/^main/));

write({ "name.ts": `export const name: string = "two";` });
show("a dependency is accepted", await tab.until(/^renewed/));

write({ "helper.cjs": `exports.helper = () => "of another helper";` });
show("a change goes up to who accepts", await tab.until("label runs 2"));
await tab.when(() => tab.eval("label()") === "label of another helper");
show("importers see it", tab.eval("label()"));

write({ "a.css": "body { color: blue }" });
await tab.when(() => tab.styles.length === 1);
show("styles", tab.styles);

write({ "label.ts": `import "./b.css";\nexport const label = () => "label 3";\nimport.meta.hot.accept();` });
await tab.when(() => tab.errors.length !== 0);
show("what it imports is not there", tab.errors.map((text) => text.replace(/\d+import.*/s, "")));
show("what runs stays", tab.eval("label()"));
write({ "b.css": ".b { color: green }" });
show("now it is", await tab.until("label goes"));
await tab.when(() => tab.eval("label()") === "label 3" && tab.styles.length === 2);
show("styles", tab.styles);

write({ "label.ts": `export const label = () => "broken` });
await tab.when(() => tab.errors.length !== 0);
show("a mistake", tab.errors.map((text) => text.replace(/\d+export.*/s, "")));
show("what runs stays", tab.eval("label()"));
write({ "label.ts": `export const label = () => "mended";\nimport.meta.hot.accept();` });
await tab.when(() => tab.errors.length === 0 && tab.eval("label()") === "mended");
show("styles", tab.styles);

// As editors save: another file takes the name.
write({ "label.tmp": `export const label = () => "renamed";\nimport.meta.hot.accept();` });
renameSync(join(root, "label.tmp"), join(root, "label.ts"));
await tab.when(() => tab.eval("label()") === "renamed");

unlinkSync(join(root, "data.json"));
await tab.when(() => tab.errors.length !== 0);
show("a file has gone", tab.errors.map((text) => text.replace(/\d+ *import.*/s, "")));
write({ "data.json": `{ "n": 2 }` });
show("nobody accepts", await tab.until(/^main/));
await tab.loading;
show("reloads", tab.reloads);

write({ "main.ts": `export {}; console.log("late"); import("./lazy").then(({ value }) => console.log(value));`, "lazy.ts": "export let value = await Promise.resolve('awaited')" });
show("another main", await tab.until("awaited"));
await tab.loading;

// 200 modules at once, as with a change of the branch.
const many = (version) => Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`many/m${i}.ts`, `export const v = ${version};`]));
const sum = `${Array.from({ length: 200 }, (_, i) => `import { v as v${i} } from "./many/m${i}";`).join("\n")}
  export const all = () => new Set([${Array.from({ length: 200 }, (_, i) => `v${i}`).join(",")}]);
  globalThis.all = () => [...all()].join();
  console.log("sum", globalThis.all());
  import.meta.hot.accept();`;
write({ ...many(1), "sum.ts": sum });
write({ "main.ts": `import "./sum"; console.log("many")` });
await tab.until("many");
await tab.loading;
write(many(2));
await tab.when(() => tab.eval("all()") === "2");
show("many", tab.eval("all()"));

tab.logs.length = 0;
write({ "macro.ts": `export const twice = (n: number) => n * 2; export const fails = () => { throw new Error("failed") };` });
const MACROS = `import { twice, fails } from "./macro.ts" with { type: "macro" };\n`;
write({ "main.ts": `${MACROS}console.log("macro", twice(21))` });
show("a macro", await tab.until(/^macro/));
await tab.loading;
for (const code of ["fails()", "twice(Date.now())"]) {
  write({ "main.ts": `${MACROS}console.log(${code})` });
  await tab.when(() => tab.errors.length !== 0);
  show("a macro fails", tab.errors.map((text) => text.replace(/\d+console.*/s, "")));
  write({ "main.ts": "console.log('no macro')" });
  await tab.until("no macro");
  await tab.loading;
}

const status = async (path, method, headers, body) => (await fetch(new URL(path, server.url), { method, headers, body })).status;
const opens = (origin) =>
  new Promise((done) => {
    const url = new URL("/_bun/hmr", server.url);
    url.protocol = "ws:";
    const socket = new WebSocket(url, { headers: origin === undefined ? {} : { origin } });
    socket.onopen = () => {
      socket.close();
      done(true);
    };
    socket.onerror = () => done(false);
  });
for (const origin of [undefined, server.url.origin, "http://evil.example", "null"]) {
  const headers = origin === undefined ? {} : { origin };
  const name = origin === server.url.origin ? "its own" : (origin ?? "none");
  const editor = await status("/_bun/open-in-editor?file=nowhere.js", "POST", headers);
  show(`origin ${name}`, [await opens(origin), editor, await status("/_bun/report_error", "POST", headers, "null")]);
}
show("malformed", await status("/_bun/client/%zz.js", "GET"));
const odd = (await Promise.all(["", "{", "1", '"text"'].map((body) => status("/_bun/report_error", "POST", {}, body)))).join();
show("malformed reports", odd);

show("hosts", (await fetch(server.url, { headers: { host: "evil.example" } })).status);
show("not a page's file", (await fetch(new URL("/_bun/client/x.js", server.url))).status);
tab.close();
await server.stop(true);
rmSync(root, { recursive: true });
