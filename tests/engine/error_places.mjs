// expected: written by hand
// Where errors say they were made, in hot code: of several sources, of names that are not the file's, of none, and of calls
// that no script of the program makes.
import vm from "node:vm";

const place = (error) => {
  const line = error.stack.split("\n").find((text) => /^\s+at /.test(text)) ?? "no frame";
  return line
    .trim()
    .replace(/\(?(file:\/\/)?[^ ()]*\/(?=error_places)/, "(")
    .replace(/^at /, "");
};
// SpiderMonkey's own properties.
const file = (error) => `${error.fileName.split("/").pop()}:${error.lineNumber}:${error.columnNumber}`;
const here = () => new Error("here");
const named = (0, eval)(`() => new Error("named")\n//# sourceURL=another.js`);
const unicode = new vm.Script(`() => new Error("unicode")`, { filename: "/tmp/žluť.js", lineOffset: 10 }).runInThisContext();
const other = vm.runInNewContext(`(() => new Error("other"))`, {}, { filename: "/tmp/other.js" });
const OtherError = vm.runInNewContext(`Error`);
const scripts = Array.from({ length: 20 }, (_, i) => new vm.Script(`() => new Error(${i})`, { filename: `/tmp/script${i}.js` }).runInThisContext());

const seen = new Map();
function note(name, error) {
  const text = `${name}: ${place(error)} ${file(error)}`;
  seen.set(text, (seen.get(text) ?? 0) + 1);
}
for (let round = 0; round < 3000; round++) {
  note("here", here());
  note("named", named());
  note("unicode", unicode());
  note("other realm", other());
  note("other Error", new OtherError("x"));
  note("script 7", scripts[7]());
  note("script 15", scripts[15]());
  if (round % 100 === 0) for (const script of scripts) script();
}
for (const [text, count] of seen) console.log(count, text);

// Native callers.
console.log("map", file([1].map(Error)[0]));
console.log("construct", file(Reflect.construct(Error, ["x"])));
const later = await Promise.resolve("later").then(Error);
console.log("job", later.message, file(later));
console.log("given", file(Error("x", "given.js", 5)));
