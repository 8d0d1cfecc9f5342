# expected: recorded from bun 1.4.5
# Programs pass process.execArgv on to their workers, with options that hold for the process as a whole.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/main.mjs" <<'JS'
import { isMainThread, Worker } from "node:worker_threads";
if (isMainThread) {
  console.log(process.execArgv.join(" "));
  new Worker(new URL(import.meta.url), { execArgv: [...process.execArgv] }).on("exit", (code) => console.log("exit", code));
} else {
  console.log("worker", process.execArgv.join(" "));
}
JS
"$BAO" --bun --smol "$dir/main.mjs"
