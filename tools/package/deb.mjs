// Debian packages (https://www.debian.org/doc/debian-policy/, deb(5)): an `ar` archive of two tarballs.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { needs } from "./elf.mjs";

/** Debian's names of processors. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };
/** The packages of Debian that have these libraries. */
const PACKAGES = {
  "libc.so.6": "libc6",
  "libm.so.6": "libc6",
  "libdl.so.2": "libc6",
  "librt.so.1": "libc6",
  "libpthread.so.0": "libc6",
  "ld-linux-x86-64.so.2": "libc6",
  "ld-linux-aarch64.so.1": "libc6",
  "libgcc_s.so.1": "libgcc-s1",
  "libstdc++.so.6": "libstdc++6",
};

/**
 * Packs a folder as a tarball whose bytes depend on nothing but its files: `epoch` is the time of all of them, `level` gzip's. Everybody
 * may read what is in it, whatever the umask is, and execute what the owner may.
 */
export function tarball(folder, names, { epoch, level }) {
  execFileSync("chmod", ["-R", "u=rwX,go=rX,a-s", ...names.map((name) => join(folder, name))]);
  const options = ["--sort=name", `--mtime=@${epoch}`, "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  return execFileSync("tar", [...options, "-I", `gzip -${level} -n`, "-cf", "-", "-C", folder, ...names], { maxBuffer: 1 << 30 });
}

/** All files below a folder, relative to it. */
export function filesBelow(folder, from = folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, from) : [relative(from, path)];
  });
}

/** An `ar` archive of members with names and bytes. */
function ar(members, epoch) {
  const parts = [Buffer.from("!<arch>\n")];
  for (const [name, bytes] of members) {
    const fields = [name.padEnd(16), String(epoch).padEnd(12), "0".padEnd(6), "0".padEnd(6), "100644".padEnd(8), String(bytes.length).padEnd(10)];
    parts.push(Buffer.from(`${fields.join("")}\`\n`), bytes);
    if (bytes.length % 2 === 1) parts.push(Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}

/** The packages that an executable depends on. */
function depends(executable) {
  const { libraries, glibc } = needs(readFileSync(executable));
  const names = new Set(
    libraries.map((library) => {
      if (!(library in PACKAGES)) throw new Error(`${executable} needs ${library}, and deb.mjs does not know whose that is`);
      return PACKAGES[library];
    }),
  );
  return [...names].sort().map((name) => (name === "libc6" && glibc ? `libc6 (>= ${glibc})` : name)).join(", ");
}

/**
 * Writes a package of the files below `root`, and gives its name.
 * @param fields of its control file: Package, Architecture, ...; version, maintainer and size are added
 * @param scripts what the maintainer has to run, by the name that dpkg knows
 * @param scratch an empty folder
 */
function write({ fields, root, scripts = {} }, release, out, scratch) {
  const { version, epoch, maintainer } = release;
  const { Package, Architecture, ...rest } = fields;
  const files = filesBelow(root).sort();
  const sizes = files.map((file) => Math.ceil(lstatSync(join(root, file)).size / 1024));
  const size = sizes.reduce((sum, size) => sum + size, 0);
  const all = { Package, Version: version, Architecture, Maintainer: maintainer, "Installed-Size": size, ...rest };
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, "control"), Object.entries(all).map(([name, value]) => `${name}: ${value}\n`).join(""));
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(scratch, name), text, { mode: 0o755 });
  const digest = (file) => createHash("md5").update(readFileSync(join(root, file))).digest("hex");
  const regular = files.filter((file) => lstatSync(join(root, file)).isFile());
  writeFileSync(join(scratch, "md5sums"), regular.map((file) => `${digest(file)}  ${file}\n`).join(""));
  const name = `${Package}_${version}_${Architecture}.deb`;
  const members = [
    ["debian-binary", Buffer.from("2.0\n")],
    ["control.tar.gz", tarball(scratch, ["."], release)],
    ["data.tar.gz", tarball(root, ["."], release)],
  ];
  writeFileSync(join(out, name), ar(members, epoch));
  return name;
}

/** Writes files into the tree of a package. */
function filler(root) {
  return (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
}

/**
 * Makes the package of the executable, and gives its name.
 * @param release version, cpu, epoch, executable, licence, completions (by shell), maintainer
 * @param out the folder it is written to
 * @param scratch an empty folder
 */
export function deb(release, out, scratch) {
  const architecture = ARCHITECTURES[release.cpu];
  if (architecture === undefined) throw new Error(`Debian has no name for the processor ${release.cpu}`);
  const root = join(scratch, "root");
  const put = filler(root);
  mkdirSync(join(root, "usr/bin"), { recursive: true });
  cpSync(release.executable, join(root, "usr/bin/bao"));
  chmodSync(join(root, "usr/bin/bao"), 0o755);
  symlinkSync("bao", join(root, "usr/bin/baox"));
  put("usr/share/bash-completion/completions/bao", release.completions.bash);
  put("usr/share/zsh/vendor-completions/_bao", release.completions.zsh);
  put("usr/share/fish/vendor_completions.d/bao.fish", release.completions.fish);
  put("usr/share/doc/bao/copyright", release.licence);
  const fields = {
    Package: "bao",
    Architecture: architecture,
    Depends: depends(release.executable),
    Suggests: "bao-as-bun",
    Section: "javascript",
    Priority: "optional",
    Description: "runs JavaScript and TypeScript, installs packages, bundles and tests\n One executable that speaks the interfaces of Bun and Node.js, on Firefox's engine.",
  };
  return write({ fields, root }, release, out, join(scratch, "control"));
}

/** Ends an installation that would overwrite a Bun which no package owns: dpkg itself looks at files of packages only. */
const LEAVES_BUN_ALONE = `#!/bin/sh
set -e
if [ "$1" = install ]; then
  for name in bun bunx; do
    if [ -e "$DPKG_ROOT/usr/bin/$name" ] || [ -h "$DPKG_ROOT/usr/bin/$name" ]; then
      echo "bao-as-bun: /usr/bin/$name is there already and stays as it is; remove it first" >&2
      exit 1
    fi
  done
fi
`;

/**
 * Makes the package that gives bao the names of Bun's commands, `bun` and `bunx`, for scripts that call them; gives its name. It is one of
 * its own because nobody who installs bao beside Bun is to lose Bun.
 * @param release version, epoch, licence, maintainer
 * @param out the folder it is written to
 * @param scratch an empty folder
 */
export function debAsBun(release, out, scratch) {
  const root = join(scratch, "root");
  filler(root)("usr/share/doc/bao-as-bun/copyright", release.licence);
  mkdirSync(join(root, "usr/bin"), { recursive: true });
  for (const name of ["bun", "bunx"]) symlinkSync("bao", join(root, "usr/bin", name));
  const fields = {
    Package: "bao-as-bun",
    Architecture: "all",
    Depends: "bao",
    Conflicts: "bun",
    Provides: "bun",
    Section: "javascript",
    Priority: "optional",
    Description: "bao under the names of Bun's commands\n The links /usr/bin/bun and /usr/bin/bunx to bao.",
  };
  return write({ fields, root, scripts: { preinst: LEAVES_BUN_ALONE } }, release, out, join(scratch, "control"));
}
