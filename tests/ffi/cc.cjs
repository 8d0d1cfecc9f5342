// expected: written by hand
// cc: C source compiled when the program runs, kept with the headers that it was made of, each call with variables of its own.
const { cc } = require("bun:ffi");
const fs = require("node:fs");
const path = require("node:path");
const { attempt, build, folder } = require("./support/build.cjs");

build("basic.c"); // Skips where there is no compiler.
process.env.BAO_CACHE = path.join(folder, "cache");
const source = path.join(folder, "source.c");
const header = path.join(folder, "header.h");
fs.writeFileSync(header, "#define VALUE 1\n");
fs.writeFileSync(
  source,
  `#include "header.h"
   #include <math.h>
   static int count;
   int value(void) { return VALUE + ADDED; }
   int next(void) { return ++count; }
   double root(double x) { return sqrt(x); }`,
);
const options = {
  source,
  library: ["m"],
  define: { ADDED: "10" },
  flags: "-I'/nowhere at all' -O1",
  symbols: { value: { returns: "int" }, next: { returns: "int" }, root: { args: ["double"], returns: "double" } },
};
const first = cc(options);
const second = cc(options);
console.log(
  first.symbols.value(),
  first.symbols.root(9),
  first.symbols.next(),
  first.symbols.next(),
  second.symbols.next(),
);
console.log(fs.readdirSync(path.join(folder, "cache/cc")).length);
fs.writeFileSync(header, "#define VALUE 200\n");
console.log(cc(options).symbols.value(), cc({ ...options, define: { ADDED: "5" } }).symbols.value());
first.close();
console.log(
  attempt(() => first.symbols.value()),
  second.symbols.next(),
);

fs.writeFileSync(source, "int broken( { return 1; }\n");
console.log(attempt(() => cc({ source, symbols: { broken: {} } })).split("\n")[0]);
console.log(attempt(() => cc({ source: `${folder}/none.c`, symbols: { broken: {} } })).split("\n")[0]);
fs.writeFileSync(source, "int here(void) { return 1; }\n");
console.log(attempt(() => cc({ source, symbols: { there: {} } })));
for (const wrong of [
  undefined,
  {},
  { source },
  { source, symbols: {} },
  { source, symbols: { here: {} }, flags: 5 },
  { source: 5, symbols: { here: {} } },
]) {
  console.log(attempt(() => cc(wrong)));
}
const words = process.env.PATH;
process.env.PATH = folder;
delete process.env.CC;
console.log(attempt(() => cc({ source, symbols: { here: {} } })).slice(0, 60));
process.env.PATH = words;

// Values of Node-API.
fs.writeFileSync(
  source,
  `typedef struct env *napi_env; typedef struct value *napi_value;
   int napi_create_string_utf8(napi_env, const char *, unsigned long, napi_value *);
   int napi_throw_error(napi_env, const char *, const char *);
   napi_value text(napi_env env) { napi_value result; napi_create_string_utf8(env, "from C", -1, &result); return result; }
   napi_value same(napi_value value) { return value; }
   napi_value fail(napi_env env) { napi_throw_error(env, "CODE", "thrown by C"); return 0; }`,
);
const napi = cc({
  source,
  symbols: {
    text: { args: ["napi_env"], returns: "napi_value" },
    same: { args: ["napi_value"], returns: "napi_value" },
    fail: { args: ["napi_env"], returns: "napi_value" },
  },
}).symbols;
const object = { a: 1 };
console.log(
  napi.text(null),
  napi.same(object) === object,
  napi.same(),
  attempt(() => napi.fail()),
);
