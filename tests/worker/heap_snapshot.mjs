// Heap snapshots in V8's format, of this thread and of a worker: what is in one can be found by its name.
import v8 from "node:v8";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { once } from "node:events";

/** Nodes and edges by their fields. */
function read(text) {
  const { snapshot, nodes, edges, strings } = JSON.parse(text);
  const { node_fields: fields, node_types: [types], edge_types: [kinds] } = snapshot.meta;
  const list = [];
  let at = 0;
  for (let i = 0; i < nodes.length; i += fields.length) {
    const node = { type: types[nodes[i]], name: strings[nodes[i + 1]], id: nodes[i + 2], size: nodes[i + 3], edges: [] };
    for (let n = 0; n < nodes[i + 4]; n++, at += 3) {
      const [kind, name, to] = edges.slice(at, at + 3);
      node.edges.push({ type: kinds[kind], name: kinds[kind] === "element" ? name : strings[name], to: to / fields.length });
    }
    list.push(node);
  }
  const whole = list.length === snapshot.node_count && at === edges.length && at / 3 === snapshot.edge_count;
  return { list, whole, follow: (node, name) => list[node.edges.find((edge) => edge.name === name)?.to] };
}

/** What the snapshot says of `new Treasure()`. */
function describe(text) {
  const { list, whole, follow } = read(text);
  const found = list.filter((node) => node.type === "object" && node.name === "Treasure");
  const node = found[0];
  console.log(whole, found.length, follow(node, "chest")?.name, follow(node, "text")?.name, follow(node, "spécial")?.name);
  console.log(follow(node, "open")?.type, follow(node, "open")?.name, follow(follow(node, "chest"), 1)?.name, node.size > 0);
  console.log(list[0].edges.some((edge) => edge.type === "shortcut" && list[edge.to].name === "global"), list[1].name);
  console.log(new Set(list.map((one) => one.id)).size === list.length);
}

const program = `
  class Treasure {
    chest = ["gold".repeat(3), "silver".repeat(3)];
    text = "a \\"quoted\\" line\\n" + Math.random().toString().slice(0, 2);
    spécial = "é".repeat(3);
    open = function openIt() {};
  }
  globalThis.kept = new Treasure();
`;
(0, eval)(program);

const stream = v8.getHeapSnapshot();
describe(stream.read());

const folder = mkdtempSync(join(tmpdir(), "snapshot-"));
const file = join(folder, "one.heapsnapshot");
console.log(v8.writeHeapSnapshot(file) === file);
describe(readFileSync(file, "utf8"));
process.chdir(folder);
console.log(/^Heap-\d{8}-\d{6}-\d+-0-001\.heapsnapshot$/.test(v8.writeHeapSnapshot()));
rmSync(folder, { recursive: true });

const worker = new Worker(program + "setInterval(() => {}, 1000); 0", { eval: true });
await once(worker, "online");
const text = (await worker.getHeapSnapshot()).read();
describe(text);
console.log(/"system"/.test(text), /"prop_map"/.test(text));
const withInternals = (await worker.getHeapSnapshot({ exposeInternals: true })).read();
console.log(/"prop_map"/.test(withInternals));
for (const options of [1, { exposeInternals: 1 }, { exposeNumericValues: true }]) {
  try {
    await worker.getHeapSnapshot(options);
  } catch ({ code }) {
    console.log(code);
  }
}
await worker.terminate();
await worker.getHeapSnapshot().catch(({ code }) => console.log(code));
console.log(typeof Bun.generateHeapSnapshot("v8"), Bun.generateHeapSnapshot("v8", "arraybuffer") instanceof ArrayBuffer);
