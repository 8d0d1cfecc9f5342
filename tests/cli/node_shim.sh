# --bun: `node` in scripts and binaries is bao; without it, the node that is installed, or bao where none is.
. support/lib.sh
is_bao='process.versions.bao !== undefined'
file package.json <<JSON
{ "scripts": { "which": "node -p '$is_bao'", "outer": "bao run which", "bun": "bun -p '$is_bao'" } }
JSON
mkdir -p node_modules/.bin fake bare
printf '#!/bin/sh\necho the installed node\n' >fake/node
chmod +x fake/node
for tool in sh env dirname; do ln -s "$(command -v $tool)" "bare/$tool"; done
file node_modules/.bin/tool <<'JS'
#!/usr/bin/env node
console.log("tool", process.versions.bao !== undefined, process.argv.slice(2).join());
process.exit(3);
JS
chmod +x node_modules/.bin/tool
original=$PATH
PATH=$dir/fake:$original
bao run which
bao run --bun which
bao --bun run outer
bao tool a
bao --bun tool a b
bao --bun node -p "$is_bao"
bao run --bun node -p "$is_bao"
PATH=$dir/bare
bao run which
bao run bun
bao tool a
PATH=$original
