// Profiles of the heap by who allocates: HeapProfiler.startSampling
// (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/), `--heap-prof`, `v8.startHeapProfile`.
//
// A Debugger of its own has the engine note the stack of a part of all allocations of objects. A profile is a census of the heap by
// these stacks: the objects that are alive, each for as many as it stands for.
import type { Agent } from "internal/inspector/backend/agent";
import { type Command, type Fields, optionalNumber, Refusal } from "internal/inspector/backend/protocol";
import { displayName, isInternal } from "internal/inspector/backend/scripts";
import type { Session } from "internal/inspector/backend/session";

const inspector = native("inspector");

/** Bytes between samples if nothing else is asked for, as in V8. */
const DEFAULT_INTERVAL = 32768;
/** What an object takes on average in bytes: the engine counts allocations, not bytes. */
const AVERAGE_SIZE = 64;

/** A function in a profile, below its callers. */
interface Node {
  callFrame: Fields;
  selfSize: number;
  id: number;
  children: Node[];
}

/** How many live objects were allocated at a stack, and their bytes. */
interface Counted {
  count: number;
  bytes: number;
}

/** Live objects by the stacks at which they were allocated. */
type Census = Map<Debug.SavedFrame | "noStack", Counted>;

/** Whether there was a profile before in this thread: the engine still knows the stacks of its objects. */
let hasSampled = false;

/** A profile under way. */
export class AllocationSampler {
  readonly #dbg = new Debugger();
  readonly #probability: number;
  readonly #scripts = new Map<string, string>();
  /** What earlier profiles have noted, which is not part of this one. */
  readonly #before: Census | undefined;
  #lastNode = 1;

  /** Starts; `interval` is about how many bytes apart samples are. */
  constructor(agent: Agent, interval: number) {
    const dbg = this.#dbg;
    dbg.allowUnobservedWasm = true;
    dbg.allowUnobservedAsmJS = true;
    this.#probability = Math.min(1, AVERAGE_SIZE / Math.max(1, interval));
    agent.refreshContexts();
    for (const { global } of agent.contexts) {
      const object = global.deref();
      if (object !== undefined) dbg.addDebuggee(object.unsafeDereference());
    }
    dbg.onNewGlobalObject = (global) => {
      dbg.addDebuggee(global);
      return undefined;
    };
    if (hasSampled) this.#before = this.#census();
    hasSampled = true;
    dbg.memory.allocationSamplingProbability = this.#probability;
    dbg.memory.trackingAllocationSites = true;
  }

  /** Ends it; only once. */
  stop(): void {
    this.#dbg.onNewGlobalObject = undefined;
    this.#dbg.memory.trackingAllocationSites = false;
    this.#dbg.removeAllDebuggees();
  }

  #census(): Census {
    const count = { by: "count", count: true, bytes: true };
    const breakdown = { by: "allocationStack", then: count, noStack: count };
    return this.#dbg.memory.takeCensus({ breakdown }) as Census;
  }

  /** The protocol's SamplingHeapProfile of what is alive now. */
  profile(): Fields {
    this.#lastNode = 1;
    const head = this.#node("(root)", "", "0", -1, -1);
    const byNode = new Map<Node, Map<string, Node>>();
    const samples: Fields[] = [];
    for (const [stack, counted] of this.#census()) {
      if (stack === "noStack") continue;
      const noted = counted.count - (this.#before?.get(stack)?.count ?? 0);
      if (noted <= 0) continue;
      const node = this.#place(head, byNode, stack);
      const objects = Math.round(noted / this.#probability);
      const size = Math.round(counted.bytes / counted.count);
      node.selfSize += objects * size;
      samples.push({ size: objects * size, nodeId: node.id, ordinal: samples.length + 1 });
    }
    return { head, samples };
  }

  #node(functionName: string, url: string, scriptId: string, lineNumber: number, columnNumber: number): Node {
    const callFrame = { functionName, scriptId, url, lineNumber, columnNumber };
    return { callFrame, selfSize: 0, id: this.#lastNode++, children: [] };
  }

  /** The node of a stack, whose frames of bao's own count for who has called them. */
  #place(head: Node, byNode: Map<Node, Map<string, Node>>, stack: Debug.SavedFrame): Node {
    const frames: Debug.SavedFrame[] = [];
    for (let frame: Debug.SavedFrame | null = stack; frame !== null; frame = frame.parent) {
      if (!isInternal(frame.source)) frames.push(frame);
    }
    if (frames.length === 0) return this.#child(head, byNode, "(program)", "", "0", -1, -1);
    let node = head;
    for (const frame of frames.reverse()) {
      const { source } = frame;
      let script = this.#scripts.get(source);
      if (script === undefined) this.#scripts.set(source, (script = `${this.#scripts.size + 1}`));
      const url = source.startsWith("/") ? inspector.fileUrl(source) : source;
      const name = displayName(frame.functionDisplayName);
      node = this.#child(node, byNode, name, url, script, frame.line - 1, frame.column - 1);
    }
    return node;
  }

  #child(
    parent: Node,
    byNode: Map<Node, Map<string, Node>>,
    name: string,
    url: string,
    scriptId: string,
    line: number,
    column: number,
  ): Node {
    let children = byNode.get(parent);
    if (children === undefined) byNode.set(parent, (children = new Map()));
    const key = `${scriptId} ${name}`;
    let child = children.get(key);
    if (child === undefined) {
      child = this.#node(name, url, scriptId, line, column);
      children.set(key, child);
      parent.children.push(child);
    }
    return child;
  }
}

/** The name under which a session keeps its profile. */
const SAMPLER = "HeapProfiler.sampling";

function samplerOf(session: Session): AllocationSampler {
  const sampler = session.kept.get(SAMPLER) as AllocationSampler | undefined;
  if (sampler === undefined) throw new Refusal("V8 sampling heap profiler was not started.");
  return sampler;
}

/** A session has ended, or stops its profile. */
export function stopSampling(session: Session): void {
  (session.kept.get(SAMPLER) as AllocationSampler | undefined)?.stop();
  session.kept.delete(SAMPLER);
}

export const samplingCommands: Record<string, Command> = {
  startSampling(session, params) {
    for (const name of ["includeObjectsCollectedByMajorGC", "includeObjectsCollectedByMinorGC"]) {
      if (params[name] === true) throw new Refusal(`'${name}' is not implemented in bao yet`);
    }
    const interval = optionalNumber(params, "samplingInterval") ?? DEFAULT_INTERVAL;
    if (interval <= 0) throw new Refusal("Invalid sampling interval");
    if (!session.kept.has(SAMPLER)) session.kept.set(SAMPLER, new AllocationSampler(session.agent, interval));
    return {};
  },

  stopSampling(session) {
    const profile = samplerOf(session).profile();
    stopSampling(session);
    return { profile };
  },

  getSamplingProfile: (session) => ({ profile: samplerOf(session).profile() }),
};

/** Profiles without a session, by number. */
const running = new Map<number, AllocationSampler>();
let last = 0;

/** Starts a profile of the thread; `interval` in bytes, 0 for the default. Gives its number. */
export function startHeapProfile(agent: Agent, interval: number): number {
  running.set(++last, new AllocationSampler(agent, interval > 0 ? interval : DEFAULT_INTERVAL));
  return last;
}

/** Ends a profile: the text of a `.heapprofile` file; undefined if it has ended. */
export function stopHeapProfile(number: number): string | undefined {
  const sampler = running.get(number);
  if (sampler === undefined) return undefined;
  running.delete(number);
  try {
    return JSON.stringify(sampler.profile());
  } finally {
    sampler.stop();
  }
}
