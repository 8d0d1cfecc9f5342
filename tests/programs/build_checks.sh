# expected: written by hand, from what bun 1.4.5 prints for the same files
# `bao build --check`: the project's TypeScript looks at entry points and what they import, and nothing is bundled if it finds mistakes.
. support/lib.sh
tools=$(packages tools) || exit 1
dir=$(readlink -f "$(mktemp -d)")
trap 'rm -rf "$dir" "$dir.out"' EXIT INT TERM
cd "$dir" || exit 1
run() {
  echo "--- $*"
  "$BAO" "$@" >"$dir.out" 2>&1 </dev/null || echo "exit code $?" >>"$dir.out"
  sed "s|$dir|DIR|g; s|[0-9]*ms|N ms|" "$dir.out"
}
echo 'import { b } from "./b"; const a: number = "x"; console.log(a, b);' >a.ts
echo 'export const b: string = 1; export const implied = (c) => c;' >b.ts
echo 'p { color: red }' >sheet.css
run build a.ts --check --outfile out.js
run build sheet.css --check --outfile sheet.out.css
mkdir node_modules
ln -s "$tools/node_modules/typescript" node_modules/typescript
run build a.ts --check --outfile out.js
# A project that writes declarations for others, from a folder, and lists its files.
echo '{ "compilerOptions": { "strict": false, "module": "esnext", "moduleResolution": "bundler", "composite": true, "emitDeclarationOnly": true, "rootDir": "src" }, "files": [] }' >tsconfig.json
run build a.ts --check --outfile out.js
ls
echo 'import { b } from "./b"; const a: number = 1; console.log(a + b);' >a.ts
echo 'export const b = 1;' >b.ts
run build a.ts --check --outfile out.js
run out.js
cat >api.mjs <<'JS'
const files = { "./virtual.ts": "import { b } from './b'; export const v: string = b;" };
for (const check of [true, false]) {
  const { success, logs, outputs } = await Bun.build({ entrypoints: ["./virtual.ts"], files, check, throw: false });
  console.log(success, outputs.length, logs.map(({ message, position }) => `${message} ${position.line}:${position.column}`));
}
JS
run api.mjs
echo '{ "compilerOptions": { "strict": "yes" }, }' >tsconfig.json
run build a.ts --check --outfile out.js
