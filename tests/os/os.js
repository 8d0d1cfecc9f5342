// node:os: shapes, and the values that every Linux machine shares.
const os = require("node:os");
const type = (value) => (Array.isArray(value) ? "array" : typeof value);
for (const name of ["arch", "availableParallelism", "cpus", "endianness", "freemem", "homedir", "hostname", "loadavg", "networkInterfaces", "platform", "release", "tmpdir", "totalmem", "type", "uptime", "userInfo", "version", "machine"]) {
  console.log(name, type(os[name]()), typeof os[name][Symbol.toPrimitive]);
}
console.log(`${os.hostname}` === os.hostname(), `${os.totalmem}` === String(os.totalmem()), os.EOL === "\n", os.devNull);
console.log(os.cpus().every((cpu) => typeof cpu.model === "string" && cpu.times.idle >= 0), os.cpus().length >= os.availableParallelism());
console.log(Object.keys(os.cpus()[0]).join(), Object.keys(os.cpus()[0].times).join(), os.loadavg().length);
const loopback = Object.values(os.networkInterfaces()).flat().find((address) => address.address === "127.0.0.1");
console.log(loopback);
console.log(Object.keys(os.userInfo()).join(), os.userInfo().uid === process.geteuid(), Buffer.isBuffer(os.userInfo({ encoding: "buffer" }).username));
process.env.TMPDIR = "/x/";
console.log(os.tmpdir());
process.env.TMPDIR = "";
process.env.TMP = "";
process.env.TEMP = "";
console.log(os.tmpdir());
console.log(typeof os.getPriority(), os.getPriority() === os.getPriority(process.pid));
for (const call of [() => os.getPriority(2 ** 31 - 1), () => os.getPriority("x"), () => os.setPriority(0, 20), () => os.setPriority(2 ** 31 - 1, 5)]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code, error.message, error.info);
  }
}
console.log(os.constants.signals.SIGKILL, os.constants.errno.ENOENT, os.constants.priority, os.constants.dlopen, Object.keys(os.constants).join());
console.log(Object.keys(os.constants.signals).length, Object.keys(os.constants.errno).length);
