// A heap snapshot in the format of JavaScriptCore's inspector, which `Bun.generateHeapSnapshot()` gives: made of the one in V8's format.
// https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/heap/HeapSnapshotBuilder.cpp describes it.

import { takeSnapshot } from "internal/v8/heap_snapshot";

/** The version of the format that Bun 1.4 writes. */
const VERSION = 3;
const INTERNAL_NODE = 1;
const OBJECT_NODE = 2;
const EDGE_TYPES = ["Internal", "Property", "Index", "Variable"];

/** Numbers in groups of four: nodes are id, size in bytes, class and flags; edges are from, to, type and name (or index). */
interface InspectorSnapshot {
  version: number;
  type: string;
  nodes: number[];
  nodeClassNames: string[];
  edges: number[];
  edgeTypes: string[];
  edgeNames: string[];
}

interface V8Snapshot {
  snapshot: {
    meta: {
      node_fields: string[];
      node_types: [string[], ...unknown[]];
      edge_fields: string[];
      edge_types: [string[], ...unknown[]];
    };
  };
  nodes: number[];
  edges: number[];
  strings: string[];
}

/** Numbers for texts, in the order of their first use. */
class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.list.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

/** The class of a node: objects have the name of their constructor, the others that of their kind. */
function classOf(type: string, name: string): string {
  if (type === "object" || type === "native") return name === "" ? "Object" : name;
  if (type === "closure") return "Function";
  if (type === "regexp") return "RegExp";
  if (type === "concatenated string" || type === "sliced string") return "string";
  return type;
}

/** The snapshot of this thread's heap. */
export function inspectorSnapshot(): InspectorSnapshot {
  const { snapshot, nodes, edges, strings } = JSON.parse(takeSnapshot(undefined)) as V8Snapshot;
  const { node_fields, node_types, edge_fields, edge_types } = snapshot.meta;
  const [type, name, size, edgeCount] = ["type", "name", "self_size", "edge_count"].map((f) => node_fields.indexOf(f));
  const [edgeType, edgeName, to] = ["type", "name_or_index", "to_node"].map((f) => edge_fields.indexOf(f));
  const classes = new Names();
  const names = new Names();
  const result = { nodes: [] as number[], edges: [] as number[] };
  classes.numberOf("<root>");
  let edge = 0;
  for (let at = 0, id = 0; at < nodes.length; at += node_fields.length, id++) {
    const kind = node_types[0][nodes[at + type!]!]!;
    const flags = kind === "object" || kind === "closure" || kind === "regexp" ? OBJECT_NODE : INTERNAL_NODE;
    // The first node is the root, which has no class.
    const number = id === 0 ? 0 : classes.numberOf(classOf(kind, strings[nodes[at + name!]!]!));
    result.nodes.push(id, nodes[at + size!]!, number, id === 0 ? 0 : flags);
    for (let left = nodes[at + edgeCount!]!; left > 0; left--, edge += edge_fields.length) {
      const way = edge_types[0][edges[edge + edgeType!]!]!;
      const what = edges[edge + edgeName!]!;
      const target = edges[edge + to!]! / node_fields.length;
      if (way === "property") result.edges.push(id, target, 1, names.numberOf(strings[what]!));
      else if (way === "element") result.edges.push(id, target, 2, what);
      else if (way === "context") result.edges.push(id, target, 3, names.numberOf(strings[what]!));
      else result.edges.push(id, target, 0, 0);
    }
  }
  return {
    version: VERSION,
    type: "Inspector",
    nodes: result.nodes,
    nodeClassNames: classes.list,
    edges: result.edges,
    edgeTypes: [...EDGE_TYPES],
    edgeNames: names.list,
  };
}
