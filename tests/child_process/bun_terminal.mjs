// Bun.Terminal and the option `terminal` of Bun.spawn(). Recorded from Bun 1.4.5.
const decode = (bytes) => Buffer.from(bytes).toString();
const until = async (done) => {
  while (!done()) await Bun.sleep(5);
};

let log = "";
const p = Bun.spawn(["sh", "-c", "stty size; echo err >&2; test -t 0 && echo tty; read x; echo got $x; exit 3"], {
  terminal: { cols: 100, rows: 30, data: (t, bytes) => (log += decode(bytes)) },
});
console.log(p.stdin, p.stdout, p.stderr, p.terminal.closed, p.terminal instanceof Bun.Terminal);
await until(() => log.includes("tty\r\n"));
console.log(p.terminal.write("hello\n"));
console.log(await p.exited);
await until(() => log.includes("got hello\r\n"));
console.log(JSON.stringify(log));
p.terminal.close();
console.log(p.terminal.closed);

let shared = "";
const ends = [];
const t = new Bun.Terminal({ data: (self, bytes) => (shared += decode(bytes)), exit: (self, ...rest) => ends.push([self === t, ...rest]) });
await Bun.spawn(["echo", "first"], { terminal: t }).exited;
await Bun.spawn(["echo", "second"], { terminal: t }).exited;
await until(() => shared.includes("second\r\n"));
console.log(JSON.stringify(shared), ends);
console.log(t.inputFlags, t.outputFlags, t.localFlags, t.controlFlags);
t.localFlags &= ~8;
t.setRawMode(true);
console.log(t.inputFlags, t.outputFlags, t.localFlags, t.controlFlags);
t.setRawMode(false);
console.log(t.inputFlags, t.outputFlags, t.localFlags, t.controlFlags);
let size = "";
t.resize(50, 10);
const q = Bun.spawn(["sh", "-c", "stty size"], { terminal: t });
await q.exited;
await until(() => shared.includes("10 50"));
t.close();
t.close();
console.log(t.closed, t.inputFlags, size);
await until(() => ends.length > 0);
console.log(JSON.stringify(ends));
for (const attempt of [
  () => t.write("x"), () => t.resize(1, 1), () => Bun.spawn(["ls"], { terminal: t }), () => Bun.spawn(["ls"], { terminal: 1 }),
  () => Bun.spawnSync(["ls"], { terminal: {} }), () => new Bun.Terminal(),
]) {
  try {
    attempt();
  } catch (e) {
    console.log(e.name, e.message);
  }
}

const cat = Bun.spawn(["cat"], { terminal: { data() {} } });
await Bun.sleep(50);
cat.terminal.write("\x03");
console.log(await cat.exited, cat.signalCode);
cat.terminal.close();
