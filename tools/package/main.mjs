// Makes what is given to others of a built executable (`./x package`):
//
//     bao tools/package/main.mjs [--exe FILE] [--out FOLDER] [--url URL] [--level 1-9]
//
// a tarball, two Debian packages, two packages of npm, a Dockerfile and install.sh, with checksums. FOLDER is emptied before; what is not
// empty and was not made by this program is left as it is, and that is an error. --url is where install.sh will find the files, --level
// how hard gzip packs. With BAO_SIGNING_KEY (a secret key of minisign without a password) the executable is signed, which `bao upgrade`
// asks for. With BAO_OLD_GLIBC=1 an executable that needs a newer glibc than 2.31 is an error. The same executable and commit give the same bytes.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { deb, debAsBun, tarball } from "./deb.mjs";
import { needs } from "./elf.mjs";
import { publicLine, sign } from "./minisign.mjs";
import { npm } from "./npm.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const { values } = parseArgs({ options: { exe: { type: "string" }, out: { type: "string" }, url: { type: "string", default: "" }, level: { type: "string", default: "9" } } });
const executable = resolve(values.exe ?? process.execPath);
const out = resolve(values.out ?? join(root, "dist"));
const scratch = mkdtempSync(join(tmpdir(), "bao-package-"));

/** The time of all files: that of the commit, so that a second run gives the same bytes. */
function epoch() {
  if (process.env.SOURCE_DATE_EPOCH) return Number(process.env.SOURCE_DATE_EPOCH);
  try {
    return Number(execFileSync("git", ["-C", root, "log", "-1", "--format=%ct"], { encoding: "utf8" }));
  } catch {
    throw new Error("no git repository: set SOURCE_DATE_EPOCH (seconds since 1970)");
  }
}

const ask = (...words) => execFileSync(executable, words, { encoding: "utf8" });
const secretKey = process.env.BAO_SIGNING_KEY ? readFileSync(process.env.BAO_SIGNING_KEY, "utf8") : undefined;
if (process.env.BAO_OLD_GLIBC === "1") {
  const { glibc } = needs(readFileSync(executable));
  if (Number(glibc?.slice(2)) > 31) {
    throw new Error(`${executable} needs glibc ${glibc}: build it with BAO_OLD_GLIBC=1 too, and add new functions to cli/old_glibc.c`);
  }
}
const version = ask("--version").trim();
const release = {
  version,
  os: process.platform,
  cpu: process.arch,
  epoch: epoch(),
  level: Number(values.level),
  executable,
  licence: readFileSync(join(root, "LICENSE"), "utf8"),
  readme: readFileSync(join(root, "README.md"), "utf8"),
  maintainer: process.env.BAO_MAINTAINER ?? "The maintainers of bao <maintainers@localhost>",
  completions: { bash: ask("completions", "bash"), zsh: ask("completions", "zsh"), fish: ask("completions", "fish") },
};
if (secretKey !== undefined) {
  release.signature = sign(secretKey, readFileSync(executable), `bao ${version} ${release.os}-${release.cpu}`);
}

/** bao-VERSION-PLATFORM.tar.gz: the executable, its signature, completions, the licence. */
function archive() {
  const name = `bao-${version}-${release.os}-${release.cpu}`;
  const folder = join(scratch, name);
  mkdirSync(join(folder, "completions"), { recursive: true });
  cpSync(executable, join(folder, "bao"));
  chmodSync(join(folder, "bao"), 0o755);
  if (release.signature !== undefined) writeFileSync(join(folder, "bao.minisig"), release.signature);
  writeFileSync(join(folder, "LICENSE"), release.licence);
  writeFileSync(join(folder, "README.md"), release.readme);
  const names = { bash: "bao.bash", zsh: "_bao", fish: "bao.fish" };
  for (const [shell, file] of Object.entries(names)) writeFileSync(join(folder, "completions", file), release.completions[shell]);
  writeFileSync(join(out, `${name}.tar.gz`), tarball(scratch, [name], release));
  return `${name}.tar.gz`;
}

/** A file of this folder with its `@NAME@`s replaced. */
function fill(file, replacements, mode) {
  const text = readFileSync(join(here, file), "utf8").replace(/@(\w+)@/g, (whole, name) => replacements[name] ?? whole);
  writeFileSync(join(out, file), text, { mode });
  return file;
}

/** Makes the folder for the release, or empties it if it holds nothing but an older one. */
function clear() {
  mkdirSync(out, { recursive: true });
  const there = readdirSync(out);
  if (there.length === 0) return;
  const isOurs = (name) => /^(bao[-_].*\.(tar\.gz|tar\.gz\.sha256|deb|tgz)|Dockerfile|install\.sh|SHA256SUMS)$/.test(name);
  const foreign = there.some((name) => name.startsWith("bao-")) ? there.find((name) => !isOurs(name)) : there[0];
  if (foreign !== undefined) throw new Error(`${out} holds "${foreign}", which is not of a release: choose another folder, or empty it`);
  for (const name of there) rmSync(join(out, name));
}

try {
  clear();
  const tar = archive();
  const debian = deb(release, out, join(scratch, "deb"));
  const names = debAsBun(release, out, join(scratch, "deb-as-bun"));
  const packages = npm(release, out, join(scratch, "npm"));
  fill("Dockerfile", { VERSION: version, ARCHITECTURE: debian.split("_").at(-1).replace(".deb", "") }, 0o644);
  fill("install.sh", { URL: values.url, PUBLIC_KEY: secretKey === undefined ? "" : publicLine(secretKey) }, 0o755);
  const sums = readdirSync(out).sort().map((name) => {
    const digest = createHash("sha256").update(readFileSync(join(out, name))).digest("hex");
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(out, `${tar}.sha256`), sums.find((line) => line.endsWith(`  ${tar}\n`)));
  for (const name of [tar, debian, names, ...packages, "Dockerfile", "install.sh", "SHA256SUMS"]) console.log(join(out, name));
  if (secretKey === undefined) {
    console.error("not signed: BAO_SIGNING_KEY is not set, and `bao upgrade` takes signed releases only");
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
