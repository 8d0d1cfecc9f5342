# expected: written by hand
# Bun.openInEditor: which editor, and how it is told the line.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in code subl mate idea; do
  printf '#!/bin/sh\necho "%s $*" >> "%s/log.part" && mv "%s/log.part" "%s/log"\n' $name "$dir" "$dir" "$dir" > "$dir/$name"
  chmod +x "$dir/$name"
done
cat > "$dir/open.mjs" <<'X'
import { existsSync, readFileSync, rmSync } from "node:fs";
const log = process.env.DIR + "/log";
const open = async (...given) => {
  rmSync(log, { force: true });
  try { console.log(Bun.openInEditor(...given)); } catch (error) { return console.log(error.message); }
  for (let n = 0; n < 300 && !existsSync(log); n++) await Bun.sleep(10);
  console.log(readFileSync(log, "utf8").trim());
};
await open();
await open("");
await open("/a.ts");
await open("/a.ts", { line: 3 });
await open("/a.ts", { line: 3, column: 4 });
await open("/a.ts", { editor: "subl", line: "3" });
await open("/a.ts", { editor: "vscode" });
await open("/a.ts; echo no", { editor: "mate", line: 3, column: 4 });
await open("/a.ts", { editor: "vim", line: 0 });
process.env.EDITOR = "idea --wait";
await open("/a.ts", { line: 3, column: 4 });
process.env.PATH = "/nowhere";
await open("/a.ts");
X
DIR="$dir" EDITOR= VISUAL= PATH="$dir:/bin:/usr/bin" "$BAO" "$dir/open.mjs"
