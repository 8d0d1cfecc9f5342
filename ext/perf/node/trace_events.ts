/**
 * `node:trace_events` (https://nodejs.org/api/tracing.html). No trace is written yet: a Tracing object can be made and asked, and
 * `enable()` says that it is not there.
 */
import { codes } from "internal/core/errors";
import { validateObject, validateStringArray } from "internal/core/validators";
import type { Inspect, InspectOptions } from "internal/util/inspect_types";

const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

class Tracing {
  #categories: string[];

  constructor(categories: string[]) {
    this.#categories = categories;
  }

  /** Throws ERR_NOT_IMPLEMENTED: bao writes no traces. */
  enable(): void {
    throw new codes.ERR_NOT_IMPLEMENTED("tracing.enable() of node:trace_events");
  }

  /** It is never enabled, so there is nothing to end. */
  disable(): void {}

  get enabled(): boolean {
    return false;
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

/** The categories that are traced: none, which Node tells by undefined. */
function getEnabledCategories(): undefined {
  return undefined;
}

export default { createTracing, getEnabledCategories };
