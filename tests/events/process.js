// process: environment, exit codes, warnings, unhandled rejections, argument checks.
const log = (...args) => console.log(...args);

process.env.EVENTS_TEST = 42;
log(process.env.EVENTS_TEST === "42", "EVENTS_TEST" in process.env, Object.keys(process.env).includes("EVENTS_TEST"));
process.env.EVENTS_TEST = undefined;
log(process.env.EVENTS_TEST, delete process.env.EVENTS_TEST, process.env.EVENTS_TEST, "EVENTS_TEST" in process.env);
for (const bad of [
  () => { process.env.X = Symbol("s"); },
  () => Object.defineProperty(process.env, "X", { value: "1" }),
  () => Object.defineProperty(process.env, "X", { get() {} }),
  () => { process.exitCode = "one"; },
  () => process.kill("x"),
  () => process.kill(process.pid, "SIGNOPE"),
  () => process.chdir(5),
  () => process.hrtime([1]),
  () => process.emitWarning(5),
  () => process.nextTick(5),
  () => process.cpuUsage({ user: -1 }),
  () => process.setUncaughtExceptionCaptureCallback(5),
  () => process.umask("9z"),
]) {
  try { bad(); log("no error"); } catch (err) { log(err.name, err.code); }
}

const cwd = process.cwd();
process.chdir("/");
log(process.cwd());
try { process.chdir("/does/not/exist"); } catch (err) { log(err.message, err.code, err.syscall, err.path, err.dest); }
process.chdir(cwd);
log(process.kill(process.pid, 0), typeof process.hrtime.bigint(), process.hrtime(process.hrtime())[0] < 2, process.uptime() < 60);
log(Object.keys(process.memoryUsage()).join(), process.memoryUsage.rss() > 1e6, Object.keys(process.resourceUsage()).length);
log(process.version.startsWith("v"), process.versions.node.length > 0, process.release.name, process.argv.length, process.platform === require("os").platform());
log(Object.prototype.toString.call(process), process.constructor.name, process instanceof require("events"));
const old = process.umask(0o077);
log(process.umask(old).toString(8));
log(process.getBuiltinModule("fs") === require("fs"), process.getBuiltinModule("nope"));

process.on("warning", (w) => log("warning", w.name, w.code, w.message, w.detail));
process.removeAllListeners("warning");
process.on("warning", (w) => log("warning", w.name, w.code, w.message, w.detail));
process.emitWarning("plain");
process.emitWarning("with options", { type: "Custom", code: "C1", detail: "more" });
process.emitWarning(Object.assign(new Error("an error"), { name: "Named" }));
process.noDeprecation = true;
process.emitWarning("silent", "DeprecationWarning");
process.noDeprecation = false;

process.on("unhandledRejection", (reason, promise) => log("unhandledRejection", reason.message, promise === rejected));
process.on("rejectionHandled", (promise) => log("rejectionHandled", promise === rejected));
const rejected = Promise.reject(new Error("nobody"));
Promise.reject(new Error("somebody, in time")).catch(() => {});
setTimeout(() => rejected.catch(() => {}), 5);

process.on("SIGUSR2", (name, number) => { log("signal", name, number); process.removeAllListeners("SIGUSR2"); });
setTimeout(() => process.kill(process.pid, "SIGUSR2"), 10);
const wait = setTimeout(() => {}, 60);

let rounds = 0;
process.on("beforeExit", (code) => {
  log("beforeExit", code);
  if (rounds++ === 0) setImmediate(() => { process.exitCode = 3; });
});
process.on("exit", (code) => {
  log("exit", code);
  process.nextTick(() => log("never: ticks do not run any more"));
  process.exitCode = 0;
});
