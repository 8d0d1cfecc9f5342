# Rejections nobody handles: top-level await, a promise, a value that is no error; handlers and exit codes.
. support/lib.sh
echo 'await Promise.reject(new Error("at the top"));
console.log("not reached");' >"$dir/top.mjs"
run top.mjs
echo 'import "./top.mjs"; console.log("not reached either");' >"$dir/importer.mjs"
run importer.mjs
echo 'Promise.reject(new RangeError("nobody listens"));
setTimeout(() => console.log("not reached"), 20);' >"$dir/plain.js"
run plain.js
echo 'Promise.reject({ reason: "an object" });' >"$dir/object.js"
run object.js
cat >"$dir/handled.js" <<'JS'
process.on("unhandledRejection", (reason, promise) => console.log("unhandled", reason.message, promise instanceof Promise));
process.on("rejectionHandled", () => console.log("handled later"));
const p = Promise.reject(new Error("late"));
setTimeout(() => p.catch(() => {}), 5);
JS
run handled.js
# Never settles: code 13 and a warning.
echo 'await new Promise(() => {});' >"$dir/never.mjs"
run never.mjs
echo 'await import("./top.mjs").catch((e) => console.log("caught", e.message));' >"$dir/caught.mjs"
run caught.mjs
