// Files, directories, links, status and errors through the synchronous functions.
const fs = require("node:fs");
const path = require("node:path");
const dir = fs.mkdtempSync(path.join(require("node:os").tmpdir(), "bao-fs-"));
process.chdir(dir);

const show = (name, f) => {
  try {
    console.log(name, f());
  } catch (e) {
    console.log(name, "throws", e.name, e.code, e.message.replaceAll(fs.realpathSync(dir), "DIR"), e.errno, e.syscall);
  }
};

// Whole files.
show("write", () => fs.writeFileSync("f", "héllo €\n"));
show("read utf8", () => fs.readFileSync("f", "utf8"));
show("read bytes", () => fs.readFileSync("f"));
show("read base64", () => fs.readFileSync("f", { encoding: "base64" }));
fs.writeFileSync("bad", Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]));
show("malformed", () => JSON.stringify(fs.readFileSync("bad", "utf8")));
fs.writeFileSync("f", "short");
show("shorter", () => fs.readFileSync("f", "latin1"));
fs.writeFileSync("f", "");
show("empty", () => [fs.readFileSync("f", "utf8"), fs.statSync("f").size]);
fs.appendFileSync("f", "a");
fs.appendFileSync("f", Buffer.from("b"));
fs.writeFileSync("f", "c", { flag: "a" });
show("appended", () => fs.readFileSync("f", "utf8"));
show("exclusive", () => fs.writeFileSync("f", "x", { flag: "wx" }));
show("hex", () => (fs.writeFileSync("g", "6869", "hex"), fs.readFileSync("g", "utf8")));
show("proc", () => fs.readFileSync("/proc/self/status", "utf8").length > 100);

// Open files.
const fd = fs.openSync("h", "w+", 0o640);
show("write text", () => fs.writeSync(fd, "0123456789"));
show("write part", () => fs.writeSync(fd, Buffer.from("abcdef"), 2, 3, 5));
const buffer = Buffer.alloc(6, ".");
show("read part", () => [fs.readSync(fd, buffer, 1, 4, 4), buffer.toString()]);
show("read options", () => [fs.readSync(fd, buffer, { position: 0, length: 2 }), buffer.toString()]);
show("vectors", () => [fs.writevSync(fd, [Buffer.from("xx"), Buffer.from("yyy")], 8), fs.readvSync(fd, [buffer, Buffer.alloc(4)], 0)]);
fs.ftruncateSync(fd, 9);
show("truncated", () => fs.readFileSync("h", "latin1"));
show("mode", () => (fs.fstatSync(fd).mode & 0o777).toString(8));
fs.closeSync(fd);
show("closed", () => fs.closeSync(fd));

// Status.
fs.utimesSync("h", 1.5, new Date(2500));
const stat = fs.statSync("h");
show("stat", () => [stat.size, stat.isFile(), stat.isDirectory(), stat.mtimeMs, stat.atime.toISOString(), Object.keys(stat).length]);
const big = fs.statSync("h", { bigint: true });
show("bigint", () => [big.size, big.mtimeNs, big.mtimeMs, big.constructor.name]);
show("missing", () => fs.statSync("none", { throwIfNoEntry: false }));
show("exists", () => [fs.existsSync("h"), fs.existsSync("none"), fs.existsSync(""), fs.existsSync(Buffer.from("h"))]);
show("access", () => fs.accessSync("none", fs.constants.R_OK));

// Directories.
show("mkdir", () => fs.mkdirSync("d"));
show("mkdir again", () => fs.mkdirSync("d"));
show("mkdir -p", () => fs.mkdirSync("d/e/f/g", { recursive: true }));
show("mkdir -p again", () => fs.mkdirSync("d/e/f/g", { recursive: true }));
show("mkdir -p file", () => fs.mkdirSync("h/x", { recursive: true }));
fs.symlinkSync("../h", "d/link");
fs.writeFileSync("d/e/é", "");
show("readdir", () => fs.readdirSync("d"));
show("readdir all", () => fs.readdirSync("d", { recursive: true }));
show("readdir types", () => fs.readdirSync("d", { withFileTypes: true }).map((e) => [e.name, e.parentPath, e.isDirectory(), e.isSymbolicLink()]));
show("readdir file", () => fs.readdirSync("h"));
const handle = fs.opendirSync("d/e");
const names = [];
for (let e; (e = handle.readSync()) !== null;) names.push(e.name);
handle.closeSync();
show("opendir", () => names.sort());

// Links and names.
show("readlink", () => fs.readlinkSync("d/link"));
show("realpath", () => path.relative(fs.realpathSync(dir), fs.realpathSync("d/link")));
show("realpath missing", () => fs.realpathSync("d/none/x"));
fs.linkSync("h", "hard");
show("links", () => fs.statSync("h").nlink);
fs.renameSync("hard", "harder");
show("rename", () => fs.renameSync("hard", "x"));
show("symlink", () => fs.symlinkSync("a", "h"));
fs.copyFileSync("h", "copy");
show("copy", () => [fs.readFileSync("copy", "utf8") === fs.readFileSync("h", "utf8"), (fs.statSync("copy").mode & 0o777).toString(8)]);
show("copy excl", () => fs.copyFileSync("h", "copy", fs.constants.COPYFILE_EXCL));

// Paths that are not UTF-8.
const odd = Buffer.concat([Buffer.from("odd-"), Buffer.from([0xff, 0xfe])]);
fs.writeFileSync(odd, "odd");
show("odd", () => [fs.readFileSync(odd, "utf8"), fs.existsSync(odd)]);
show("odd name", () => fs.readdirSync(".", "buffer").find((n) => n.includes(0xff)));

// Removing.
show("unlink dir", () => fs.unlinkSync("d"));
show("rmdir full", () => fs.rmdirSync("d"));
show("rm dir", () => fs.rmSync("d"));
show("rm -r", () => fs.rmSync("d", { recursive: true }));
show("rm none", () => fs.rmSync("d"));
show("rm -f none", () => fs.rmSync("d", { force: true }));

// Arguments.
show("null byte", () => fs.readFileSync("a\0b"));
show("no path", () => fs.readFileSync(undefined));
show("bad flag", () => fs.openSync("h", "zz"));
show("bad encoding", () => fs.readFileSync("h", "latin2"));
show("bad data", () => fs.writeFileSync("h", 1));
show("bad fd", () => fs.readSync(-1, buffer));
show("bad range", () => fs.readSync(0, buffer, 4, 4));
show("url", () => fs.readFileSync(require("node:url").pathToFileURL(path.resolve("g")), "utf8"));

process.chdir("/");
fs.rmSync(dir, { recursive: true });
