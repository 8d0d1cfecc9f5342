// expected: recorded from bun 1.4.5
// Archives made, listed, extracted, and read back by the system's tar.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "archive-"));
const files = { "hello.txt": "hello", "deep/er/data.bin": new Uint8Array([0, 1, 2, 255]), "empty.txt": "", [`${"long/".repeat(30)}name.txt`]: "long" };

for (const compress of [undefined, "gzip"]) {
  const archive = new Bun.Archive(files, compress && { compress });
  const bytes = await archive.bytes();
  console.log(compress, bytes[0] === 0x1f, (await archive.blob()).size === bytes.length);
  const listed = await new Bun.Archive(bytes).files();
  for (const [path, file] of [...listed].sort()) console.log(path.length > 60 ? "long" : path, file.size, file instanceof Blob);
  console.log([...(await new Bun.Archive(bytes).files("**/*.bin")).keys()].join());
  const out = join(root, `out-${compress}`);
  console.log(await new Bun.Archive(bytes).extract(out), readFileSync(join(out, "hello.txt"), "utf8"), [...readFileSync(join(out, "deep/er/data.bin"))].join());
  writeFileSync(join(root, "a.tar"), bytes);
  console.log(execFileSync("tar", ["tf", join(root, "a.tar")], { encoding: "utf8" }).split("\n").filter((line) => line.length < 60).sort().join());
}

// What the system's tar has made.
const source = join(root, "source");
mkdirSync(join(source, "sub"), { recursive: true });
writeFileSync(join(source, "sub/a.txt"), "from tar");
execFileSync("tar", ["czf", join(root, "b.tar.gz"), "-C", source, "."]);
const made = new Bun.Archive(await Bun.file(join(root, "b.tar.gz")).bytes());
for (const [path, file] of await made.files()) console.log(path, await file.text());

// Names that lead out of the folder stay inside or are left out.
const python = `
import io, sys, tarfile
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w") as tar:
    for name in ["../outside.txt", "/absolute.txt", "a/../../up.txt", "fine.txt"]:
        info = tarfile.TarInfo(name); info.size = 4; tar.addfile(info, io.BytesIO(b"evil"))
    link = tarfile.TarInfo("link"); link.type = tarfile.SYMTYPE; link.linkname = "/etc"; tar.addfile(link)
    info = tarfile.TarInfo("link/passwd"); info.size = 4; tar.addfile(info, io.BytesIO(b"evil"))
sys.stdout.buffer.write(out.getvalue())
`;
const hostile = execFileSync("python3", ["-c", python]);
const jail = join(root, "jail/inner");
await new Bun.Archive(hostile).extract(jail).catch((error) => console.log("refused", error.name));
console.log(existsSync(join(root, "jail/outside.txt")), existsSync(join(root, "jail/up.txt")), existsSync("/absolute.txt"), readFileSync("/etc/passwd", "utf8").startsWith("evil"));
console.log(readdirSync(join(root, "jail")).join());

// Damage.
for (const bad of [new Uint8Array(600).fill(65), (await new Bun.Archive({ a: "x".repeat(5000) }).bytes()).subarray(0, 1500)]) {
  await new Bun.Archive(bad).files().then((files) => console.log("files", files.size), (error) => console.log("error", error instanceof Error));
}
for (const wrong of [undefined, 5, null]) {
  try {
    new Bun.Archive(wrong);
    console.log("no error");
  } catch (error) {
    console.log(error.name);
  }
}
rmSync(root, { recursive: true });
