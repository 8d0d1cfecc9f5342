# expected: written by hand
# --heap-prof writes a profile of the heap at the end of each thread: its file, its functions, after process.exit(), of a worker, also one that is terminated.
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
cat > "$TMP/main.mjs" <<'END'
import { Worker, isMainThread } from "node:worker_threads";
const kept = [];
function fills() {
  for (let i = 0; i < 100000; i++) kept.push({ i });
}
fills();
if (process.argv[2] === "worker" && isMainThread) new Worker(new URL(import.meta.url), { execArgv: ["--heap-prof", "--heap-prof-dir", "of-worker"] });
else if (process.argv[2] === "exit") process.exit(3);
END
cat > "$TMP/show.cjs" <<'END'
const fs = require("node:fs");
for (const file of process.argv.slice(2)) {
  const { head } = JSON.parse(fs.readFileSync(file, "utf8"));
  const find = (node) => (node.callFrame.functionName === "fills" ? node : node.children.map(find).find(Boolean));
  const { callFrame, selfSize } = find(head);
  const name = require("node:path").basename(file).replace(/\d{8}\.\d{6}\.\d+\.\d+/, "DATE.TIME.PID.THREAD");
  console.log(name, callFrame.url.split("/").pop(), selfSize > 1000000);
}
END
cat > "$TMP/ended.cjs" <<'END'
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");
globalThis.kept = [];
function fills() {
  for (let i = 0; i < 100000; i++) kept.push({ i });
}
function begin(loops) {
  const worker = new Worker(__filename, { workerData: loops, execArgv: ["--heap-prof", "--heap-prof-dir", `ended-${loops}`] });
  worker.on("message", () => worker.terminate());
}
if (isMainThread) {
  begin(true);
  begin(false);
} else {
  fills();
  parentPort.postMessage("here");
  while (workerData);
  setInterval(() => {}, 1000);
}
END
cd "$TMP"
"$BAO" --heap-prof --heap-prof-dir one main.mjs && "$BAO" show.cjs one/*
"$BAO" --heap-prof --heap-prof-name=named.heapprofile --heap-prof-interval 1024 main.mjs exit
echo "exit code $?" && "$BAO" show.cjs named.heapprofile
"$BAO" main.mjs worker && "$BAO" show.cjs of-worker/*
# Of a worker that is terminated.
"$BAO" ended.cjs && "$BAO" show.cjs ended-true/* ended-false/*
"$BAO" --heap-prof-dir one main.mjs 2>&1
echo "exit code $?"
