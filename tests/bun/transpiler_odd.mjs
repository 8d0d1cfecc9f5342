// Texts that are nested too deeply, and constants without a value behind characters of several bytes: errors, and the process goes on.
const js = new Bun.Transpiler({ loader: "js" });
const said = (work) => {
  try {
    work();
    return "no error";
  } catch (error) {
    return `${error.name}: ${error.message}`.slice(0, 60);
  }
};
const deep = "[".repeat(20_000);
console.log(said(() => js.transformSync(deep)) === "no error", said(() => js.scanImports(deep)) === "no error");
const outcome = await js.transform(`let a = ${deep}${"]".repeat(20_000)}; let a;`).then(() => "no error", () => "an error");
console.log(outcome);
for (const text of ["const x;", "\ufeffconst x;", "1;\u00a0const x;", "const é = 1, x;"]) console.log(said(() => js.transformSync(text)));
const several = said(() => js.transformSync('let s = "a\u0001b"; let s; let t; let t;'));
console.log(several);
try {
  js.transformSync('let s = "a\u0001b"; let s; let t; let t;');
} catch (error) {
  for (const each of error.errors) console.log(each.message, each.position.line, each.position.column);
}
