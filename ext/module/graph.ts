// Graphs of modules beside the program's own: what the loader asks of them. The class is in bun/module_graph.ts.

import { currentOwner, Owner } from "internal/events/ownership";
import type { OnError } from "internal/events/ownership";
import { graphs } from "internal/module/cjs";

const loader = native("loader");

/** One graph. */
export class Graph {
  readonly number: number;
  readonly owner: Owner;
  globals: Record<string, unknown>;

  constructor(globals: Record<string, unknown>, onError: OnError | undefined) {
    const names = Object.keys(globals).filter(isIdentifier);
    this.globals = { __proto__: null as never };
    for (const name of names) this.globals[name] = globals[name];
    this.number = loader.createGraph(names);
    this.owner = new Owner(onError);
    byNumber.set(this.number, this);
    numbers.set(this.owner, this.number);
    // Native code asks there who takes an error.
    require("internal/process/execution");
    graphs.set(this.number, { cache: Object.create(null), main: undefined });
  }

  /** Throws once the graph is disposed. */
  check(): void {
    if (this.owner.isDisposed) throw disposed();
  }

  /** The promise of a module's namespace; it settles in the context of who asks. */
  import(specifier: string): Promise<object> {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    this.owner.run(loader.importInto, undefined, [this.number, specifier]).then(resolve, reject);
    return promise;
  }

  dispose(): void {
    if (this.owner.isDisposed) return;
    this.owner.dispose();
    loader.disposeGraph(this.number);
    this.globals = {};
    byNumber.delete(this.number);
    const { cache } = graphs.get(this.number)!;
    graphs.delete(this.number);
    // It is `require.cache` of what the graph leaves behind.
    for (const key of Object.keys(cache)) delete cache[key];
  }
}

/** Graphs that are not disposed, by number. */
const byNumber = new Map<number, Graph>();
/** The numbers of all, by what they are in a context. */
const numbers = new WeakMap<Owner, number>();

/** The number of the graph in whose context the code runs; 0 for none. */
export function currentNumber(): number {
  const owner = currentOwner();
  return (owner && numbers.get(owner)) ?? 0;
}

const RESERVED =
  /^(?:arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)$/;

// What is none is the name of no variable.
function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name) && !RESERVED.test(name);
}

export function disposed(): Error {
  const error: NodeError = new Error("ModuleGraph has been disposed");
  error.code = "ERR_INVALID_STATE";
  return error;
}

/** The values of a graph's names; the loader asks. */
export function globalsOf(number: number): Record<string, unknown> {
  const graph = byNumber.get(number);
  if (graph === undefined) throw disposed();
  return graph.globals;
}

/** The loader asks for what a graph had before it was disposed. */
export function refuseValue(): never {
  throw disposed();
}

/** An import in code of a disposed graph: an error for who calls that code, never an answer for what the graph left behind. */
export function refuseImport(number: number): Promise<never> {
  if (currentNumber() === number) return new Promise(() => {});
  throw disposed();
}
