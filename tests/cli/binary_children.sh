# expected: written by hand
# --bun: a package's program that runs in bao's own process gives its children what a process of its own would have: bao as `node` and
# `bun`, the programs of packages, npm's variables.
. support/lib.sh
file package.json <<JSON
{ "name": "one" }
JSON
mkdir -p node_modules/.bin fake
printf '#!/bin/sh\necho the installed node\n' >fake/node
printf '#!/bin/sh\necho another program\n' >node_modules/.bin/other
file node_modules/.bin/tool <<'JS'
#!/usr/bin/env node
const { execSync } = require("node:child_process");
const run = (command) => execSync(command, { encoding: "utf8" }).trim();
const isBao = 'process.versions.bao !== undefined';
console.log("node is bao:", run(`node -p '${isBao}'`));
console.log("bun is bao:", run(`bun -p '${isBao}'`));
console.log(run("other"));
console.log(process.env.npm_execpath === process.execPath, process.env.npm_config_user_agent.split("/")[0]);
console.log(process.env.npm_config_local_prefix === process.cwd(), process.env.npm_node_execpath.endsWith("/node"));
JS
chmod +x fake/node node_modules/.bin/other node_modules/.bin/tool
PATH=$dir/fake:$PATH
bao --bun run tool
bao --bun tool
bao run --bun tool
