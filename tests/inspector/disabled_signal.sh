# With --disable-sigusr1 the signal does nothing, also after the program has listened to it. (In Node it cannot listen to it then.)
cat > "${TMPDIR:-/tmp}/bao-signal-$$.js" <<'X'
process.once("SIGUSR1", () => {
  console.log("heard");
  setImmediate(() => {
    process.kill(process.pid, "SIGUSR1");
    setTimeout(() => console.log("alive"), 50);
  });
});
setTimeout(() => process.kill(process.pid, "SIGUSR1"), 20);
const wait = setInterval(() => {}, 1000);
process.on("SIGUSR2", () => {});
setTimeout(() => clearInterval(wait), 300);
setTimeout(() => process.exit(), 400);
X
"$BAO" --disable-sigusr1 "${TMPDIR:-/tmp}/bao-signal-$$.js"
rm "${TMPDIR:-/tmp}/bao-signal-$$.js"
