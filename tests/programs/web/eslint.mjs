import { Linter, ESLint, RuleTester } from "eslint";
import js from "@eslint/js";
import fs from "node:fs";
const linter = new Linter();
const code =
  "var a = 1\nif (a == 2) { foo() }\nconst unused = () => { return; debugger }\nfor (;;) {}\nlet b; b = `x`; // eslint-disable-line prefer-const\nasync function f() { for (const x of y) await x }\nclass A { constructor() { this.x } }\n";
console.log(
  linter
    .verify(code, [{ languageOptions: { globals: { foo: "readonly" } }, rules: { ...js.configs.all.rules, "sort-keys": 0 } }], {
      filename: "x.js",
    })
    .map((m) => `${m.line}:${m.column} ${m.ruleId} ${m.message}`)
    .join("\n"),
);
console.log(
  linter.verifyAndFix("var a = !!!b ? 'x' : \"y\"; if(a==null){ ; }", [
    {
      rules: { "no-var": 2, "no-extra-boolean-cast": 2, "prefer-const": 2, eqeqeq: [2, "always"], curly: 2, "no-extra-semi": 2 },
    },
  ]),
  linter.verify("let = ;", [{}])[0].message,
);
const plugin = {
  rules: {
    nofoo: {
      meta: { type: "problem", fixable: "code", schema: [], messages: { m: "no {{ n }}" } },
      create: (c) => ({
        "Identifier[name='foo']"(node) {
          c.report({ node, messageId: "m", data: { n: node.name }, fix: (f) => f.replaceText(node, "bar") });
        },
      }),
    },
  },
};
new RuleTester().run("nofoo", plugin.rules.nofoo, {
  valid: ["bar()"],
  invalid: [{ code: "foo()", errors: [{ messageId: "m" }], output: "bar()" }],
});
console.log("rule tester ok");
fs.mkdirSync("proj/sub", { recursive: true });
fs.writeFileSync("proj/a.js", "foo(); undefinedVar;\n");
fs.writeFileSync("proj/sub/b.mjs", "import x from 'y'; export default 1;\n");
fs.writeFileSync("proj/ignored.js", "(");
fs.writeFileSync(
  "proj/eslint.config.mjs",
  "export default [{ ignores: ['ignored.js'] }, { rules: { 'no-undef': 'error', 'no-unused-vars': 'warn' } }];\n",
);
const eslint = new ESLint({
  cwd: fs.realpathSync("proj"),
  plugins: { p: plugin },
  overrideConfig: { plugins: { p: plugin }, rules: { "p/nofoo": 1 } },
});
const results = await eslint.lintFiles(["."]);
console.log(results.map((r) => [r.filePath.split("/").pop(), r.errorCount, r.warningCount, r.messages.map((m) => m.ruleId)]));
console.log(
  (await (await eslint.loadFormatter("json")).format(results)).length > 100,
  (await eslint.calculateConfigForFile("a.js")).rules["no-undef"],
);
