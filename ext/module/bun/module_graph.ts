// Bun.ModuleGraph, https://bun.com/docs/runtime/module-graph: instances of a program's modules with state, names and resources of their own.

import { currentOwner } from "internal/events/ownership";
import { own } from "internal/events/async_context";
import { Graph } from "internal/module/graph";
import { codes } from "internal/core/errors";
import type { OnError } from "internal/events/ownership";

interface Options {
  /** Values of names that the graph's modules use without declaring them. */
  globals?: unknown;
  /** Called with errors that nobody has caught, in the context that the graph was made in. */
  onError?: unknown;
}

const byOwner = new WeakMap<object, ModuleGraph>();

function checkObject(value: unknown, what: string): asserts value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new codes.ERR_INVALID_ARG_TYPE(what, "object", value);
}

/** Modules are loaded into it by `import`; `run` calls a function in its context; `dispose` closes what its code has opened. */
export class ModuleGraph {
  #graph: Graph;

  constructor(options?: Options) {
    let globals: Record<string, unknown> = {};
    let onError: OnError | undefined;
    if (options !== undefined) {
      checkObject(options, "options");
      if (options.globals !== undefined) {
        checkObject(options.globals, "options.globals");
        globals = options.globals;
      }
      if (options.onError !== undefined) {
        if (typeof options.onError !== "function")
          throw new codes.ERR_INVALID_ARG_TYPE("options.onError", "function", options.onError);
        onError = options.onError as OnError;
      }
    }
    this.#graph = new Graph(globals, onError);
    byOwner.set(this.#graph.owner, this);
    // A graph that code of a graph makes ends with it.
    own(this, (graph) => graph.dispose());
  }

  /** The graph in whose context the caller runs; undefined in the program's own. */
  static get current(): ModuleGraph | undefined {
    const owner = currentOwner();
    return owner === undefined ? undefined : byOwner.get(owner);
  }

  static #of(value: ModuleGraph, method: string): Graph {
    if (typeof value === "object" && value !== null && #graph in value) return value.#graph;
    const error: NodeError = new TypeError(`Can only call ModuleGraph.${method} on instances of ModuleGraph`);
    error.code = "ERR_INVALID_THIS";
    throw error;
  }

  /**
   * The namespace of a module of this graph, loaded and evaluated if it has not been. `specifier` is as for `import()`; relative ones count
   * from the working directory. Rejects with ERR_INVALID_STATE once the graph is disposed.
   */
  import(specifier: string): Promise<object> {
    const graph = ModuleGraph.#of(this, "import");
    if (typeof specifier !== "string") {
      return Promise.reject(new codes.ERR_INVALID_ARG_TYPE("specifier", "string", specifier));
    }
    try {
      graph.check();
      return graph.import(specifier);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Closes what the graph's code has opened and forgets its modules. Nothing is told of it. */
  dispose(): void {
    ModuleGraph.#of(this, "dispose").dispose();
  }

  /** Calls `fn(...args)` in the graph's context and gives what it returns. Throws ERR_INVALID_STATE once the graph is disposed. */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    const graph = ModuleGraph.#of(this, "run");
    if (typeof fn !== "function") throw new codes.ERR_INVALID_ARG_TYPE("fn", "function", fn);
    graph.check();
    return graph.owner.run(fn, undefined, args);
  }

  declare [Symbol.dispose]: () => void;
}

for (const name of ["import", "dispose", "run"] as const)
  Object.defineProperty(ModuleGraph.prototype, name, { enumerable: true });
Object.defineProperty(ModuleGraph.prototype, Symbol.dispose, {
  value: ModuleGraph.prototype.dispose,
  writable: true,
  configurable: true,
});
Object.defineProperty(ModuleGraph.prototype, Symbol.toStringTag, { value: "ModuleGraph", configurable: true });
