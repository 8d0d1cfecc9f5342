# An error thrown by a timer, an immediate, a tick and a microtask ends the program with code 1; `exit` is emitted.
. support/lib.sh
echo 'setTimeout(() => { throw new TypeError("in a timer"); }, 1);
setTimeout(() => console.log("not reached"), 50);' >"$dir/timeout.js"
run timeout.js
echo 'setImmediate(function named() { throw new Error("in an immediate"); });
process.on("exit", (code) => console.log("exit", code, process.exitCode));' >"$dir/immediate.js"
run immediate.js
echo 'process.nextTick(() => { throw "not an error"; });' >"$dir/tick.js"
run tick.js
echo 'queueMicrotask(() => { throw null; });' >"$dir/microtask.js"
run microtask.js
cat >"$dir/caught.js" <<'JS'
process.on("uncaughtException", (error, origin) => console.log(error.message, origin));
setTimeout(() => { throw new Error("first"); }, 1);
setTimeout(() => { throw new Error("second"); }, 1);
setTimeout(() => console.log("goes on"), 10);
JS
run caught.js
echo 'process.on("uncaughtException", () => { throw new Error("again"); });
setTimeout(() => { throw new Error("first"); }, 1);' >"$dir/twice.js"
run twice.js
