// expected: written by hand
// Minified strings have quotes if those are as short as a template literal: programs that read or change a finished bundle look for
// them. Template literals with tags, line ends or expressions stay, without
// escapes that they do not need, and so does text of JSX. Parts of large chunks are the same.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-quotes-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const text = `
const say = (...words) => console.log(words.join("|"));
say("plain", 'it\\'s', "say \\"it\\"", "both \\"'", \`ticks\`, "two\\nlines", "a \\\`tick\\\`", "\${no}");
say(typeof say == "function" ? "yes" : "no", String.raw\`a\\b\`, \`\${say.length}\${"x"}\`, \`\${{ a: "b" }.a}\`);
say(\`\\/\\a\${say.length}\\\`\\\${}\\n\\\\\`, String.raw\`\\/\${1}\`, \`caf\\u00e9 \\t\${say.length}\`);
const slashes = (a) => { if (a) /\`"/.test(a) && say("regular"); return a.length / 2 + "half" / 2; };
say(slashes('\`"'), "end");
function directive() { ; "use strict"; return "kept"; }
say(directive());
`;
writeFileSync(join(folder, "a.js"), text);
writeFileSync(join(folder, "a.jsx"), 'export default <p title="`a`">it\'s {"b"} `c`</p>; console.log("d");');
const filler = Array.from({ length: 6000 }, (_, at) => `export function named${at}(first, second) { return first + second + "${at}"; }`);
for (const at of [1, 2, 3]) writeFileSync(join(folder, `filler${at}.js`), `${filler.join("\n")}\nglobalThis.kept${at} = [${filler.map((_, at) => `named${at}`)}];\n`);
writeFileSync(join(folder, "large.js"), 'import "./filler1.js";\nimport "./filler2.js";\nimport "./filler3.js";\nimport "./a.js";\n');
const node = (code) => {
  writeFileSync(join(folder, "out.mjs"), code);
  return execFileSync(process.execPath, [join(folder, "out.mjs")], { encoding: "utf8" });
};
const wanted = node(text);
const build = async (entry, options) => (await Bun.build({ entrypoints: [join(folder, entry)], target: "node", minify: true, ...options })).outputs[0].text();
// Each as it has to be, in this order.
const forms = ['"plain"', '"it\'s"', "'say \"it\"'", "`both \"'`", '"ticks"', "`two\nlines`", '"a `tick`"', "`a\\b`", '?"yes":"no"', '/2+"half"/2', '"kept"', "`/a${", "`\\/${", "`caf\\u00e9 \\t${"];
for (const options of [{}, { splitting: true }, { format: "iife" }, { minify: { whitespace: true } }]) {
  const code = await build("a.js", options);
  console.log(JSON.stringify(options), node(code) === wanted, JSON.stringify(forms.filter((form) => code.includes(form))));
}
for (const options of [{}, { splitting: true }]) {
  const code = await build("large.js", options);
  console.log("large", JSON.stringify(options), node(code) === wanted, code.split("`").length);
}
console.log(await build("a.jsx", { jsx: { runtime: "preserve" } }));
console.log(new Bun.Transpiler({ loader: "js", minifyWhitespace: true }).transformSync('f("a", `b`, tag`c`);'));
