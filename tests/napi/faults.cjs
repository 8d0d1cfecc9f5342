// expected: written by hand
// Addons that cannot be loaded: each message names the file and what is wrong with it.
const fs = require("node:fs");
const path = require("node:path");
const { spawnSync } = require("node:child_process");
const { build, folder } = require("./support/build.cjs");

function attempt(file) {
  try {
    require(file);
    console.log(path.basename(file), "was loaded");
  } catch (error) {
    console.log(`${error.code}: ${error.message.replaceAll(folder, "")}`);
  }
}

const bytes = (name, content) => {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
};
attempt(bytes("empty.node", ""));
attempt(bytes("text.node", "not an addon, but some text"));
attempt(bytes("mac.node", Buffer.from("cffaedfe0c000001000000000000000000000000", "hex")));
attempt(bytes("windows.node", "MZ" + "\0".repeat(30)));
const good = build("faulty.c", "good.node", "-DRETURNS");
const foreign = fs.readFileSync(good);
foreign.writeUInt16LE(foreign.readUInt16LE(18) === 62 ? 183 : 62, 18);
const other = bytes("arm.node", foreign);
try {
  require(other);
} catch (error) {
  console.log(error.code, /made for (arm64|x86-64), this process is (arm64|x86-64): install/.test(error.message));
}
for (const define of ["MISSING_FUNCTION", "MISSING_V8", "REGISTERS_V8", "NOTHING", "TOO_NEW", "THROWS"])
  attempt(build("faulty.c", `${define.toLowerCase()}.node`, `-D${define}`));
fs.mkdirSync(path.join(folder, "node_modules/better-sqlite3"), { recursive: true });
attempt(build("faulty.c", "node_modules/better-sqlite3/old.node", "-DREGISTERS_V8"));
const dlopen = (...args) => {
  try {
    process.dlopen(...args);
  } catch (error) {
    console.log(`${error.code}: ${error.message.replaceAll(folder, "")}`);
  }
};
dlopen({ exports: {} }, path.join(folder, "absent.node"));
dlopen(undefined, good);
dlopen({ exports: {} }, 7);
dlopen({ exports: {} }, good, "now");
const disabled = spawnSync(process.execPath, [
  "--no-addons",
  "-e",
  `try { require(${JSON.stringify(good)}) } catch (e) { console.log(e.code) }`,
]);
console.log(`${disabled.stdout}`.trim());
// Made for another C library: musl's name among what it needs.
const { execFileSync } = require("node:child_process");
const musl = path.join(folder, "libc.musl-x86_64.so.1");
execFileSync("gcc", ["-shared", "-o", musl, "-Wl,-soname,libc.musl-x86_64.so.1", "-x", "c", "/dev/null"]);
attempt(build("faulty.c", "musl.node", "-DRETURNS", "-Wl,--no-as-needed", `-L${folder}`, "-l:libc.musl-x86_64.so.1"));
