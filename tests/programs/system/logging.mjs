import pino from "pino";
import createDebug from "debug";
import fs from "node:fs";
const out = [];
const log = pino(
  { base: null, timestamp: false, redact: ["user.pw"], serializers: { err: (e) => e.message }, level: "trace" },
  { write: (s) => out.push(s) },
);
log.info("plain");
log.warn({ user: { n: 1, pw: "x" }, big: 5n.toString() }, "fmt %s %j %o", "s", { a: 1 }, [1]);
log.child({ req: 1 }).error({ err: new Error("e") });
log.level = "error";
log.info("hidden");
console.log(out.join(""), pino.levels.values);
const file = pino.destination({ dest: "p.log", sync: true });
pino({ base: null, timestamp: false }, file).info("in file");
console.log(fs.readFileSync("p.log", "utf8").trim());
const debug = createDebug("app:db");
createDebug.log = (...a) => console.log(...a.map((x) => String(x).replace(/^\S+Z /, "TIME ")));
debug("not on");
createDebug.enable("app:*,-app:x");
createDebug("app:db")("on %o %s %d %j %%", { a: 1 }, "s", 3, [1]);
createDebug("app:x")("off");
console.log(createDebug.enabled("app:q"), createDebug("app:db").extend("sub").namespace, createDebug.disable());
