# Handlers of SIGINT and SIGTERM; a signal without one ends the process as by the signal.
. support/lib.sh
cat >"$dir/both.js" <<'JS'
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, (name, number) => {
    console.log(name, number);
    if (name === "SIGTERM") process.exit(7);
    process.kill(process.pid, "SIGTERM");
  });
}
process.on("exit", (code) => console.log("exit", code));
process.kill(process.pid, "SIGINT");
console.log("sent");
setTimeout(() => console.log("not reached"), 10000);
JS
run both.js
cat >"$dir/once.js" <<'JS'
process.once("SIGTERM", (name) => {
  console.log("once", name);
  process.kill(process.pid, name);
  setTimeout(() => console.log("not reached"), 5000);
});
process.kill(process.pid, "SIGTERM");
setInterval(() => {}, 1000);
JS
run once.js
cat >"$dir/throws.js" <<'JS'
process.on("SIGINT", () => {
  throw new Error("in the handler");
});
process.on("exit", (code) => console.log("exit", code));
process.kill(process.pid, "SIGINT");
setTimeout(() => console.log("not reached"), 10000);
JS
run throws.js
# A handler alone does not keep the process alive; a removed one gives the default back.
echo 'process.on("SIGINT", () => {}); console.log("ends");' >"$dir/alone.js"
run alone.js
cat >"$dir/removed.js" <<'JS'
const handler = () => console.log("not reached");
process.on("SIGINT", handler);
process.off("SIGINT", handler);
setTimeout(() => process.kill(process.pid, "SIGINT"), 5);
setTimeout(() => console.log("not reached"), 5000);
JS
run removed.js
cat >"$dir/zero.js" <<'JS'
console.log(process.kill(process.pid, 0));
for (const [pid, signal] of [[process.pid, "SIGNOPE"], ["x", "SIGINT"], [2 ** 30, 0]]) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    console.log(error.name, error.code, error.syscall);
  }
}
try {
  process.on("SIGKILL", () => {});
} catch (error) {
  console.log(error.code, error.syscall);
}
JS
run zero.js
# From outside, while the program computes between turns.
cat >"$dir/outside.js" <<'JS'
process.on("SIGTERM", () => {
  console.log("term");
  clearInterval(timer);
});
const timer = setInterval(() => {}, 1000);
console.log("ready");
JS
# The file must be there before the first look at it.
: >"$dir/out"
"$BAO" "$dir/outside.js" >"$dir/out" &
pid=$!
while ! grep -q ready "$dir/out"; do sleep 0.02; done
kill -TERM $pid
wait $pid
echo "exit code $?"
cat "$dir/out"
