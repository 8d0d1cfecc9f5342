# bao x in the whole program: who runs a script that asks for node, what it gets, and the name baox.
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export HOME="$T/home" CI=1
mkdir -p "$HOME" "$T/node_modules/.bin" "$T/bin" "$T/sub"
ln -s "$BAO" "$T/bin/baox"
cat > "$T/node_modules/.bin/tool" <<'J'
#!/usr/bin/env node
const { basename } = require("node:path");
console.log(basename(process.execPath) === "node" ? "node" : "bao", process.argv.slice(2).join(" "));
console.log(process.env.npm_command, process.env.npm_lifecycle_event, process.env.npm_lifecycle_script, process.env.GREETING);
if (process.argv[2] === "child") console.log(require("node:child_process").execSync("node -p 'process.execPath'", { encoding: "utf8" }).includes("bao") ? "child bao" : "child node");
process.exitCode = 3;
J
mkdir "$T/node_modules/typed"
printf '#!/usr/bin/env bun\nconst text: string = "typed"; console.log(text);\n' > "$T/node_modules/typed/cli.ts"
chmod +x "$T/node_modules/typed/cli.ts"
ln -s ../typed/cli.ts "$T/node_modules/.bin/typed"
printf '#!/nowhere/at/all\n' > "$T/node_modules/.bin/broken"
chmod +x "$T"/node_modules/.bin/*
echo 'GREETING="hello there"' > "$T/.env.x"
cd "$T/sub" || exit 1
"$BAO" x tool a --bun -p; echo "code $?"
"$BAO" x --bun tool b; echo "code $?"
"$BAO" --bun x tool c
"$BAO" x --bun tool child
"$BAO" x --env-file "$T/.env.x" tool d
"$T/bin/baox" --bun tool e
"$T/bin/baox" tool f
"$BAO" x typed
"$BAO" x broken 2>&1 | sed "s#$T#TMP#"
"$BAO" x --no-install absent; echo "code $?"
"$BAO" x tool --help | head -1
"$BAO" x --help | head -1
"$BAO" create --help | head -1
PATH="$T/none" "$BAO" x tool g 2>&1 | head -1
