// Checks an installed project against its lockfile and the registry.
//
//     node tools/verify_tree.mjs PROJECT [--contents] [--sample N] [--registry URL]
//
// For the project, its workspace members and every installed package: each dependency, optional dependency that is there, and peer that
// is not optional is found by Node's algorithm (from the real path upwards) in a version within its range; each command of the direct
// dependencies is in .bin, executable, and leads to a file. With --contents every file of every installed copy equals the one in the
// package's tarball, whose digest is the lockfile's; nothing is missing, nothing more is there (--sample N: every Nth package). Exit code
// 1 where something is wrong. Peers out of range are listed, but no error: an ancestor's version wins, as in Bun.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { execFileSync } from "node:child_process";
import zlib from "node:zlib";

const args = process.argv.slice(2);
const option = name => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const flag = name => {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
};
const contents = flag("--contents");
const sample = Number(option("--sample") ?? 1);
const registry = option("--registry") ?? "https://registry.npmjs.org/";
const root = fs.realpathSync(args[0] ?? ".");
// npm's own range rules, from the npm beside this node.
const npm = path.join(execFileSync("npm", ["root", "-g"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim(), "npm");
const semver = createRequire(path.join(npm, "package.json"))("semver");

const wrong = [];
const notes = [];
const count = { packages: 0, copies: 0, edges: 0, peers: 0, bins: 0, files: 0, tarballs: 0 };
const read = file => {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
};
const lock = new Function(`return (${fs.readFileSync(path.join(root, "bun.lock"), "utf8")})`)();
const overridden = new Set(Object.keys({ ...lock.overrides }));

const resolve = (from, name) => {
  for (let dir = from; ; dir = path.dirname(dir)) {
    if (path.basename(dir) !== "node_modules") {
      const found = path.join(dir, "node_modules", name);
      if (fs.existsSync(path.join(found, "package.json"))) return fs.realpathSync(found);
    }
    if (dir === path.dirname(dir)) return undefined;
  }
};
const fits = (version, range) => {
  if (/^(workspace|catalog|file|link|git|github|https?|\.|\/)/.test(range) || range.includes("/")) return true;
  if (range.startsWith("npm:")) range = range.slice(range.lastIndexOf("@") + 1);
  if (!semver.validRange(range, { loose: true })) return true; // a tag
  return semver.satisfies(version, range, { loose: true, includePrerelease: true });
};
const commands = manifest => {
  if (typeof manifest.bin === "string") return { [manifest.name.split("/").pop()]: manifest.bin };
  return manifest.bin ?? {};
};

const seen = new Map();
const visit = (dir, project) => {
  if (seen.has(dir)) return;
  const manifest = read(path.join(dir, "package.json"));
  if (!manifest) return void wrong.push(`${dir}: no package.json`);
  seen.set(dir, manifest);
  const where = path.relative(root, dir) || ".";
  const bundled = new Set(manifest.bundleDependencies ?? manifest.bundledDependencies ?? []);
  const groups = [["dependencies", true], ["optionalDependencies", false], ["peerDependencies", true]];
  if (project) groups.push(["devDependencies", true]);
  for (const [group, needed] of groups) {
    for (const [name, range] of Object.entries(manifest[group] ?? {})) {
      const peer = group === "peerDependencies";
      if (peer && (manifest.peerDependenciesMeta?.[name]?.optional || manifest.dependencies?.[name])) continue;
      if (group === "dependencies" && manifest.optionalDependencies?.[name]) continue;
      const found = resolve(dir, name);
      count[peer ? "peers" : "edges"]++;
      if (!found) {
        if (needed) wrong.push(`${where}: ${name}@${range} (${group}) is not found`);
        continue;
      }
      const version = read(path.join(found, "package.json"))?.version ?? "0.0.0";
      if (!fits(version, range) && !overridden.has(name)) {
        (peer || bundled.has(name) ? notes : wrong).push(`${where}: ${name}@${range} (${group}) finds ${version}`);
      }
      visit(found, false);
      if (!project || peer) continue;
      for (const [command, file] of Object.entries(commands(seen.get(found) ?? {}))) {
        count.bins++;
        const bin = [dir, root].map(at => path.join(at, "node_modules/.bin", command)).find(at => fs.existsSync(at));
        // A command that several packages have is one of theirs; a file the package does not ship has no command.
        if (!bin) {
          if (fs.existsSync(path.join(found, file))) wrong.push(`${where}: the command ${command} of ${name} is missing`);
        } else if (!fs.statSync(bin).isFile() || !(fs.statSync(bin).mode & 0o100)) {
          wrong.push(`${where}: the command ${command} of ${name} cannot be executed`);
        }
      }
    }
  }
};
for (const member of Object.keys(lock.workspaces)) visit(path.join(root, member), true);
count.packages = new Set([...seen.values()].map(({ name, version }) => `${name}@${version}`)).size;
count.copies = seen.size;

// Name -> entry of every file and link of a tarball, without its first component.
const untar = bytes => {
  const files = new Map();
  let long, pax;
  const text = field => field.subarray(0, (field.indexOf(0) + 1 || field.length + 1) - 1).toString();
  for (let at = 0; at + 512 <= bytes.length && bytes[at]; ) {
    const head = bytes.subarray(at, at + 512);
    const size = parseInt(text(head.subarray(124, 136)), 8) || 0;
    const type = String.fromCharCode(head[156]);
    const body = bytes.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
    if (type === "L") long = text(body);
    else if (type === "x") pax = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(body.toString())?.[1];
    else if (type !== "g") {
      const prefix = head.subarray(257, 262).toString() === "ustar" ? text(head.subarray(345, 500)) : "";
      const name = pax ?? long ?? (prefix ? `${prefix}/` : "") + text(head.subarray(0, 100));
      const clean = path.posix.normalize(name).split("/").slice(1).join("/");
      if ((type === "0" || type === "\0") && clean && !name.endsWith("/")) files.set(clean, body);
      long = pax = undefined;
    }
  }
  return files;
};
const list = (dir, prefix, out) => {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) list(path.join(dir, entry.name), `${prefix}${entry.name}/`, out);
    else out.push(prefix + entry.name);
  }
  return out;
};
const compare = (label, dir, files) => {
  const have = new Set(list(dir, "", []));
  const nested = name => name.startsWith("node_modules/");
  for (const [name, body] of files) {
    count.files++;
    if (!have.delete(name)) wrong.push(`${label}: ${name} is missing in ${dir}`);
    else if (!fs.readFileSync(path.join(dir, name)).equals(body)) {
      // npm and Bun take the CR off the first line of commands.
      const unix = Buffer.from(body.toString("latin1").replace(/^(#![^\n]*)\r\n/, "$1\n"), "latin1");
      if (!fs.readFileSync(path.join(dir, name)).equals(unix)) wrong.push(`${label}: ${name} differs in ${dir}`);
    }
  }
  for (const name of have) if (!nested(name)) wrong.push(`${label}: ${name} is in ${dir}, but not in the tarball`);
};
if (contents) {
  const copies = new Map();
  for (const [dir, manifest] of seen) {
    const key = `${manifest.name}@${manifest.version}`;
    if (dir.split(path.sep).includes("node_modules") || dir.includes("/links/")) copies.set(key, [...(copies.get(key) ?? []), dir]);
  }
  const jobs = new Map();
  for (const [id, url, , integrity] of Object.values(lock.packages)) {
    if (typeof integrity === "string" && integrity.startsWith("sha") && copies.has(id)) jobs.set(id, [url, integrity]);
  }
  const queue = [...jobs].filter((_, at) => at % sample === 0);
  const work = async () => {
    for (let job; (job = queue.pop()); ) {
      const [id, [url, integrity]] = job;
      const [name, version] = [id.slice(0, id.lastIndexOf("@")), id.slice(id.lastIndexOf("@") + 1)];
      const usual = `${registry}${name}/-/${name.split("/").pop()}-${version.split("+")[0]}.tgz`;
      const bytes = Buffer.from(await (await fetch(url.startsWith("http") ? url : usual)).arrayBuffer());
      const [kind, digest] = integrity.split(/-(.*)/s);
      if (createHash(kind).update(bytes).digest("base64") !== digest) {
        wrong.push(`${id}: the tarball has another digest`);
        continue;
      }
      count.tarballs++;
      const files = untar(zlib.gunzipSync(bytes));
      for (const dir of copies.get(id)) compare(id, dir, files);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}
for (const note of notes.slice(0, 5)) console.log(`note: ${note}`);
if (notes.length > 5) console.log(`note: ${notes.length - 5} more peers out of range`);
for (const line of wrong.slice(0, 50)) console.log(`wrong: ${line}`);
console.log(`${JSON.stringify(count)}, ${wrong.length} wrong`);
process.exit(wrong.length ? 1 : 0);
