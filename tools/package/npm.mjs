// The packages of npm: `bao`, and one with the executable for each platform among its optional dependencies, so that a package manager
// installs the one that fits and no install script has to download anything.

import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tarball } from "./deb.mjs";

const here = join(dirname(fileURLToPath(import.meta.url)), "npm");

/** Writes a package's folder and its tarball; gives the tarball's name. */
function pack(manifest, files, release, out, scratch) {
  const name = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
  const folder = join(scratch, name, "package");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [path, { from, text, mode = 0o644 }] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    if (from !== undefined) cpSync(from, target);
    else writeFileSync(target, text);
    chmodSync(target, mode);
  }
  writeFileSync(join(out, name), tarball(dirname(folder), ["package"], release));
  return name;
}

/**
 * Makes both packages, and gives their names.
 * @param release version, os, cpu, epoch, executable, signature (a text, if it is signed), licence, readme
 */
export function npm(release, out, scratch) {
  const { version, os, cpu } = release;
  const platform = `${os}-${cpu}`;
  const about = { version, license: "MIT", description: "Runs JavaScript and TypeScript, installs packages, bundles and tests" };
  const licence = { text: release.licence };
  const files = { "bin/bao": { from: release.executable, mode: 0o755 }, LICENSE: licence };
  if (release.signature !== undefined) files["bin/bao.minisig"] = { text: release.signature };
  const own = pack(
    { name: `@bao-js/${platform}`, ...about, os: [os], cpu: [cpu], ...(os === "linux" ? { libc: ["glibc"] } : {}), preferUnplugged: true },
    files,
    release,
    out,
    scratch,
  );
  const shim = { text: readFileSync(join(here, "shim.js"), "utf8"), mode: 0o755 };
  const main = pack(
    {
      name: "bao",
      ...about,
      bin: { bao: "bin/bao", baox: "bin/baox" },
      scripts: { postinstall: "node install.js" },
      optionalDependencies: { [`@bao-js/${platform}`]: version },
      engines: { node: ">=18" },
    },
    {
      "bin/bao": shim,
      "bin/baox": shim,
      "install.js": { text: readFileSync(join(here, "install.js"), "utf8").replace("@PLATFORMS@", platform) },
      "README.md": { text: release.readme },
      LICENSE: licence,
    },
    release,
    out,
    scratch,
  );
  return [main, own];
}
