// `mode` of Bun.write counts for copies of files, too, also where the file was there before.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

process.umask(0o022);
const directory = mkdtempSync(join(tmpdir(), "write-mode-"));
const source = join(directory, "source");
await Bun.write(source, "text");
const modeOf = (path) => (statSync(path).mode & 0o777).toString(8);
const to = (name) => join(directory, name);

await Bun.write(to("a"), Bun.file(source), { mode: 0o600 });
await Bun.write(to("deep/er/b"), Bun.file(source), { mode: 0o755 });
await Bun.write(Bun.file(to("c")), Bun.file(source), { mode: 0o700 });
await Bun.write(to("d"), "first");
await Bun.write(to("d"), Bun.file(source), { mode: 0o640 });
await Bun.write(to("e"), Bun.file(source));
for (const name of ["a", "deep/er/b", "c", "d", "e"]) console.log(name, modeOf(to(name)), await Bun.file(to(name)).text());
rmSync(directory, { recursive: true });
