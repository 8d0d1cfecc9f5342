// The smaller parts of node:util.
const util = require("util");
const attempt = (fn) => { try { return fn(); } catch (error) { return `${error.name} ${error.code}: ${error.message}`; } };

console.log(attempt(() => util.parseArgs({
  args: ["-vxf", "file", "--no-color", "--level=3", "pos", "--", "--rest"],
  options: {
    verbose: { type: "boolean", short: "v" }, x: { type: "boolean", short: "x" }, file: { type: "string", short: "f" },
    color: { type: "boolean", default: true }, level: { type: "string", multiple: true }, other: { type: "string", default: "d" },
  },
  allowPositionals: true, allowNegative: true, tokens: true,
})));
console.log(attempt(() => util.parseArgs({ args: ["--nope"], options: {} })));
console.log(attempt(() => util.parseArgs({ args: ["-f", "--x"], options: { file: { type: "string", short: "f" } } })));
console.log(attempt(() => util.parseArgs({ args: ["stray"] })));

console.log(util.parseEnv("A=1\n# no\nexport B='two words' # c\nC=\"x\\ny\"\nD=a=b\nE=`m\nn`\nF=v#c\n G = spaced \n"));

const mime = new util.MIMEType("Text/HTML ; charset=\"utf-8\";x=\"a b\"; x=ignored");
console.log(String(mime), mime.essence, mime.params.get("charset"), [...mime.params]);
mime.params.set("q", "");
mime.subtype = "plain";
console.log(JSON.stringify({ mime }));
console.log(attempt(() => new util.MIMEType("bad")));

const style = (format, text) => JSON.stringify(util.styleText(format, text, { validateStream: false }));
console.log(style("red", `a${util.styleText("blue", "b", { validateStream: false })}c`), style(["bold", "underline"], "x"));
console.log(JSON.stringify(util.stripVTControlCharacters("\u001b[1mbold\u001b[22m \u001b]8;;http://x\u0007link\u001b]8;;\u0007")));

console.log(util.isDeepStrictEqual({ a: [1, new Map([[{ k: 1 }, new Set([2])]])] }, { a: [1, new Map([[{ k: 1 }, new Set([2])]])] }));
console.log(util.isDeepStrictEqual([0], [-0]), util.isDeepStrictEqual([1, , 3], [1, undefined, 3]), util.isDeepStrictEqual(NaN, NaN));
console.log(util.getSystemErrorName(-2), util.getSystemErrorMap().get(-13), util.toUSVString("a\ud800b"));
console.log(attempt(() => util.getSystemErrorName(1)));

function Base() {}
Base.prototype.hello = function () { return "hello"; };
function Derived() {}
util.inherits(Derived, Base);
console.log(new Derived().hello(), Derived.super_ === Base, attempt(() => util.inherits(Derived, {})));

const deprecated = util.deprecate(function add(a, b) { return a + b; }, "old", "DEP_TEST");
process.on("warning", (warning) => console.log("warning:", warning.name, warning.code, warning.message));
console.log(deprecated(1, 2), deprecated(3, 4), deprecated.length);

const slow = (value, callback) => setImmediate(callback, value < 0 ? new RangeError("negative") : null, value * 2, "extra");
(async () => {
  console.log(await util.promisify(slow)(21));
  console.log(await util.promisify(slow)(-1).catch((error) => `${error}`));
  await new Promise((done) => util.callbackify(async (x) => { if (!x) throw null; return x; })(0, (error) => {
    console.log(error.code, error.message, error.reason);
    done();
  }));
  await new Promise((done) => util.callbackify(async (x) => x + 1)(1, (error, value) => {
    console.log(error, value);
    done();
  }));
  const controller = new AbortController();
  const waiting = util.aborted(controller.signal, controller);
  controller.abort();
  console.log((await waiting).type);
})();
console.log(Object.entries(util.types).filter(([name, test]) => test(new Map().keys())).map(([name]) => name));
console.log(util.types.isAsyncFunction(async () => {}), util.types.isGeneratorFunction(function* () {}), util.types.isProxy(new Proxy({}, {})));
