/** `import()` in code of node:vm: what `importModuleDynamically` gives, as a module record for the engine. */

import { codes } from "internal/core/errors";
import { validateFunction } from "internal/core/validators";

const ops = native("vm");

/** What the engine asks: `load` gives a module record or a promise of one. */
export interface Holder {
  load(specifier: string, type: string | undefined, dynamic: boolean, source: boolean): unknown;
  /** Fills `import.meta`. */
  meta?(meta: object): void;
  /** The module record; set by the native half. */
  module?: object;
}

/** Module records of vm.Module objects, and how to evaluate them; internal/vm/module enters them. */
export const modules = new WeakMap<object, { record: object }>();

/** Checks the option `importModuleDynamically`. */
export function checkImportOption(option: unknown, defaultLoader: symbol): void {
  if (option !== undefined && option !== defaultLoader) validateFunction(option, "options.importModuleDynamically");
}

/** The option `importModuleDynamically`. */
export type ImportCallback = (
  specifier: string,
  referrer: unknown,
  attributes: Record<string, string>,
  phase: string,
) => unknown;

/** What it gives: a vm.Module, or a namespace. */
interface Found {
  status: string;
  error: unknown;
  evaluate(): Promise<undefined>;
}

/** The answer of a callback, evaluated. */
export async function importThrough(
  callback: ImportCallback,
  referrer: unknown,
  specifier: string,
  type: string | undefined,
  source: boolean,
) {
  const attributes: Record<string, string> = Object.create(null);
  if (type !== undefined) attributes.type = type;
  const found = (await callback(specifier, referrer, attributes, source ? "source" : "evaluation")) as Found | null;
  if (source) throw noSource(found);
  const namespaceOf = ops.moduleOfNamespace(found);
  if (namespaceOf !== undefined) return namespaceOf;
  const known = found !== null && typeof found === "object" ? modules.get(found) : undefined;
  if (known === undefined) throw new codes.ERR_VM_MODULE_NOT_MODULE();
  if (found!.status === "errored") throw found!.error;
  await found!.evaluate();
  return known.record;
}

/** The error of a module that has no source: none of the program's own has. */
export function noSource(module: unknown): Error {
  const { identifier } = (module ?? {}) as { identifier?: string };
  const error: NodeError = new SyntaxError(
    `Source phase import object is not defined for module '${identifier ?? String(module)}'`,
  );
  error.code = "ERR_SOURCE_PHASE_NOT_DEFINED";
  return error;
}

/** A holder for a script or function; `referrer` gives what the callback is told. */
export function importHolder(callback: ImportCallback, referrer: () => unknown): Holder {
  return { load: (specifier, type, _, source) => importThrough(callback, referrer(), specifier, type, source) };
}
