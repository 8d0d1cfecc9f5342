# expected: recorded from node 25.9.0
# NODE_PRESERVE_SYMLINKS and NODE_PRESERVE_SYMLINKS_MAIN: of the process, and of a worker with an environment of its own.
dir=$(readlink -f "$(mktemp -d)")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN
mkdir real links
echo 'exports.at = __filename;' > real/module.js
echo 'console.log(__filename.replace(process.cwd(), "."), require("./module.js").at.replace(process.cwd(), "."));' > real/main.js
ln -s ../real/main.js links/main.js
ln -s ../real/module.js links/module.js
echo 'console.log(require("./links/module.js").at.replace(process.cwd(), "."));' > required.js
run() { printf -- "-- %s\n" "$*" | sed "s#$BAO#BAO#"; env "$@" 2>&1; }
run "$BAO" links/main.js
run NODE_PRESERVE_SYMLINKS=1 "$BAO" links/main.js
run NODE_PRESERVE_SYMLINKS_MAIN=1 "$BAO" links/main.js
run NODE_PRESERVE_SYMLINKS=1 NODE_PRESERVE_SYMLINKS_MAIN=1 "$BAO" links/main.js
run NODE_PRESERVE_SYMLINKS=0 NODE_PRESERVE_SYMLINKS_MAIN=true "$BAO" links/main.js
run NODE_PRESERVE_SYMLINKS=1 "$BAO" required.js
run "$BAO" --preserve-symlinks required.js
cat > workers.js <<'END'
const { Worker } = require("worker_threads");
const start = (file, env, execArgv) => new Promise((resolve) => new Worker(file, { env, execArgv }).on("exit", resolve));
(async () => {
  await start("./required.js");
  await start("./required.js", { ...process.env, NODE_PRESERVE_SYMLINKS: "1" });
  await start("./links/main.js", { ...process.env, NODE_PRESERVE_SYMLINKS_MAIN: "1" });
  await start("./links/main.js", process.env, ["--preserve-symlinks", "--preserve-symlinks-main"]);
})();
END
run "$BAO" workers.js
