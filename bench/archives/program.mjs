// What a program on bao sees: the source files of packages read with node:fs, from tar archives, from SQLite, and by bao:store.
// usage: bao program.mjs ARCHIVES SCRATCH [FILES] [ROUNDS] [--cold]   ARCHIVES: a folder of archives, SCRATCH: where the other forms are
// written; --cold (as root): drops the page cache before each reading
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Database } from "bun:sqlite";
import { open } from "bao:store";

const cold = process.argv.includes("--cold");
const [archives, scratch, most = "30000", rounds = "3"] = process.argv.slice(2).filter((word) => word !== "--cold");
const isSource = (name) => /\.([cm]?[jt]s|json)$/.test(name);
const list = fs.readdirSync(archives).filter((name) => name.endsWith(".bao")).sort();
const packages = [];
let count = 0;
// Every fifth package, so that names of the whole alphabet are among them.
for (let i = 0; i < list.length && count < Number(most); i += 5) {
  const archive = await open(path.join(archives, list[i]));
  const files = [...archive].filter((entry) => entry.kind === "file" && isSource(entry.name));
  if (files.length === 0) continue;
  packages.push([list[i], files.map((entry) => entry.name)]);
  count += files.length;
  const folder = path.join(scratch, list[i]);
  if (fs.existsSync(`${folder}.tgz`)) continue;
  const contents = {};
  for (const entry of files) {
    const file = path.join(folder, entry.name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, (contents[entry.name] = entry.bytesSync()));
  }
  const tar = await new Bun.Archive(contents).bytes();
  fs.writeFileSync(`${folder}.tar`, tar);
  fs.writeFileSync(`${folder}.tgz`, Bun.gzipSync(tar));
}
const database = path.join(scratch, "files.sqlite");
fs.rmSync(database, { force: true });
{
  const db = new Database(database);
  db.run("create table files (name text primary key, content blob) without rowid");
  const insert = db.prepare("insert into files values (?, ?)");
  db.transaction(() => {
    for (const [name, files] of packages) {
      for (const file of files) insert.run(`${name}/${file}`, fs.readFileSync(path.join(scratch, name, file)));
    }
  })();
  db.close();
}

let bytes = 0;
async function fromTar(extension) {
  for (const [name] of packages) {
    for (const entry of await open(path.join(scratch, name + extension))) {
      if (entry.kind === "file") bytes += entry.bytesSync().length;
    }
  }
}
const ways = {
  "single files, readFileSync": () => {
    for (const [name, files] of packages) for (const file of files) bytes += fs.readFileSync(`${scratch}/${name}/${file}`).length;
  },
  "tar a package": () => fromTar(".tar"),
  "tar.gz a package": () => fromTar(".tgz"),
  "SQLite": () => {
    const db = new Database(database, { readonly: true });
    const select = db.prepare("select content from files where name = ?");
    for (const [name, files] of packages) for (const file of files) bytes += select.get(`${name}/${file}`).content.length;
    db.close();
  },
  "store archives, by name": async () => {
    for (const [name, files] of packages) {
      const archive = await open(path.join(archives, name));
      for (const file of files) bytes += archive.get(file).bytesSync().length;
    }
  },
};
const best = {};
let expected;
for (let round = 0; round < Number(rounds); round++) {
  for (const [name, read] of Object.entries(ways)) {
    bytes = 0;
    if (cold) {
      execFileSync("sync");
      fs.writeFileSync("/proc/sys/vm/drop_caches", "3");
    }
    const [before, start] = [process.cpuUsage(), performance.now()];
    await read();
    const [wall, { user, system }] = [performance.now() - start, process.cpuUsage(before)];
    expected ??= bytes;
    if (bytes !== expected) throw new Error(`${name}: ${bytes} bytes instead of ${expected}`);
    const cpu = (user + system) / 1000;
    if (best[name] === undefined || (cold ? wall < best[name].wall : cpu < best[name].cpu)) best[name] = { wall, cpu, system: system / 1000 };
  }
}
console.log(`${count} files of ${packages.length} packages, ${(expected / 1e6).toFixed(1)} MB, ${cold ? "cold; the fastest round" : "warm; the round with the least CPU time"} of ${rounds}\n`);
console.log("| from | wall ms | CPU ms | of it system | CPU us a file |\n|---|---:|---:|---:|---:|");
for (const [name, { wall, cpu, system }] of Object.entries(best)) {
  console.log(`| ${name} | ${wall.toFixed(0)} | ${cpu.toFixed(0)} | ${system.toFixed(0)} | ${((cpu * 1000) / count).toFixed(2)} |`);
}
