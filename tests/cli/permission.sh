# --permission: what a program may not do. Recorded with BAO=node (25.9).
. support/lib.sh
mkdir -p open closed seen
echo secret >closed/file
echo text >open/file
file main.cjs <<'JS'
const fs = require("fs"), path = require("path");
const show = (name, run) => {
  try {
    const value = run();
    console.log(name, "fine", value === undefined ? "" : String(value).trim());
  } catch (error) {
    console.log(name, error.code, error.permission ?? "");
  }
};
show("read open", () => fs.readFileSync("open/file"));
show("read closed", () => fs.readFileSync("closed/file"));
show("read around", () => fs.readFileSync("open/../closed/file"));
show("buffer", () => fs.readFileSync(Buffer.from("closed/file")));
show("stat", () => fs.statSync("closed/file"));
show("readdir", () => fs.readdirSync("closed"));
show("exists", () => fs.existsSync("closed/file"));
show("realpath", () => fs.realpathSync.native("closed/file"));
show("write", () => fs.writeFileSync("open/new", "x"));
show("write closed", () => fs.writeFileSync("closed/new", "x"));
show("append", () => fs.appendFileSync("closed/file", "x"));
show("open r+", () => fs.openSync("closed/file", "r+"));
show("unlink", () => fs.unlinkSync("closed/file"));
show("mkdir", () => fs.mkdirSync("closed/a"));
show("mkdtemp", () => fs.mkdtempSync("closed/a"));
show("rename", () => fs.renameSync("open/file", "closed/moved"));
show("copy", () => fs.copyFileSync("closed/file", "open/copy"));
show("rm", () => fs.rmdirSync("closed"));
show("chmod", () => fs.chmodSync("closed/file", 0o600));
show("utimes", () => fs.utimesSync("closed/file", 1, 1));
show("truncate", () => fs.truncateSync("closed/file"));
show("require", () => require("./closed/module.js"));
show("spawn", () => require("child_process").spawnSync(process.execPath, ["-v"]).status);
show("exec", () => require("child_process").execSync("echo hi"));
show("worker", () => new (require("worker_threads").Worker)("", { eval: true }));
show("wasi", () => new (require("wasi").WASI)({ version: "preview1" }));
for (const scope of ["fs", "fs.read", "fs.write", "child", "worker", "wasi", "net", "addon", "inspector", "nothing"])
  console.log(scope, process.permission.has(scope));
for (const name of ["open/file", "closed/file", "open", "openly"]) console.log(name, process.permission.has("fs.read", path.resolve(name)));
fs.readFile("closed/file", (error) => console.log("callback", error.code, error.message));
fs.promises.readFile("closed/file").catch((error) => console.log("promise", error.code, error.permission));
JS
echo 'module.exports = 1' >closed/module.js
file descriptors.cjs <<'JS'
const fs = require("fs");
const show = (name, error) => console.log(name, error?.code ?? "fine");
const tried = (name, run) => {
  try {
    run();
    show(name);
  } catch (error) {
    show(name, error);
  }
};
tried("directory to read", () => fs.openSync("seen", fs.constants.O_RDONLY | fs.constants.O_DIRECTORY));
const fd = fs.openSync("open/file");
tried("fchmodSync", () => fs.fchmodSync(fd, 0o600));
tried("fchownSync", () => fs.fchownSync(fd, process.getuid(), process.getgid()));
tried("futimesSync", () => fs.futimesSync(fd, 1, 1));
fs.fchmod(fd, 0o600, (error) => {
  show("fchmod", error);
  fs.fchown(fd, process.getuid(), process.getgid(), (error) => {
    show("fchown", error);
    fs.futimes(fd, 1, 1, async (error) => {
      show("futimes", error);
      const handle = await fs.promises.open("open/file");
      await handle.chmod(0o600).then(() => show("chmod"), (error) => show("chmod", error));
      await handle.chown(process.getuid(), process.getgid()).then(() => show("chown"), (error) => show("chown", error));
      await handle.utimes(1, 1).then(() => show("utimes"), (error) => show("utimes", error));
      await handle.close();
    });
  });
});
JS
bao --no-warnings --permission --allow-fs-read=open --allow-fs-write="./open/*" main.cjs
bao --no-warnings --permission --allow-fs-read=open --allow-fs-read=descriptors.cjs --allow-fs-read=seen --allow-fs-write="./open/*" descriptors.cjs
bao --no-warnings --permission --allow-fs-read="*" --allow-child-process --allow-worker -p 'process.permission.has("fs.read") + " " + process.permission.has("child") + " " + process.permission.has("worker") + " " + process.permission.has("fs.write")'
file child.cjs <<'JS'
const { spawnSync } = require("child_process");
console.log(spawnSync(process.execPath, ["-p", "process.permission.has('fs.write') + ' ' + process.permission.has('fs.read')"]).stdout.toString());
JS
bao --no-warnings --permission --allow-fs-read="*" --allow-child-process child.cjs
bao -p 'process.permission'
