/** `node:trace_events` (https://nodejs.org/api/tracing.html). Which categories have events: docs/compatibility.md. */
import { codes } from "internal/core/errors";
import { validateObject, validateStringArray } from "internal/core/validators";
import { categoriesOfFile, disableInFile, enableInFile } from "internal/perf/trace";
import type { Inspect, InspectOptions } from "internal/util/inspect_types";

// The file is the process's: other threads cannot say what is in it.
if (!require("node:worker_threads").isMainThread) throw new codes.ERR_TRACE_EVENTS_UNAVAILABLE();

const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** Objects that are enabled, from which on there is a warning, as in Node. */
const MOST_ENABLED = 10;

/** Those that are enabled; they trace on when nothing else refers to them. */
const enabled = new Set<Tracing>();

class Tracing {
  #categories: string[];
  #enabled = false;

  constructor(categories: string[]) {
    this.#categories = categories;
  }

  /** Has events of the categories written to the trace file of the process. */
  enable(): void {
    if (this.#enabled) return;
    this.#enabled = true;
    enableInFile(this.#categories);
    enabled.add(this);
    if (enabled.size > MOST_ENABLED) {
      process.emitWarning(
        "Possible trace_events memory leak detected. There are more than " + `${MOST_ENABLED} enabled Tracing objects.`,
      );
    }
  }

  disable(): void {
    if (!this.#enabled) return;
    this.#enabled = false;
    disableInFile(this.#categories);
    enabled.delete(this);
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  /** Names with commas between them. */
  get categories(): string {
    return this.#categories.join(",");
  }

  [inspectCustom](depth: number | null, options: InspectOptions, inspect: Inspect): string | Tracing {
    if (typeof depth === "number" && depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `Tracing ${inspect({ enabled: this.enabled, categories: this.categories }, inner as never)}`;
  }
}

/** A Tracing object for `options.categories`, an array of at least one name. */
function createTracing(options: unknown): Tracing {
  validateObject(options, "options");
  const categories: unknown = options.categories;
  validateStringArray(categories, "options.categories");
  if (categories.length === 0) throw new codes.ERR_TRACE_EVENTS_CATEGORY_REQUIRED();
  return new Tracing([...categories]);
}

/** The categories that are written, of all Tracing objects and of the command line, with commas; undefined if there are none. */
function getEnabledCategories(): string | undefined {
  return categoriesOfFile();
}

export default { createTracing, getEnabledCategories };
