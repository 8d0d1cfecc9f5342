/** `db.limits` of node:sqlite (https://sqlite.org/c3ref/limit.html). */
import { argumentError, needInteger, needType, rangeError } from "internal/sqlite/node_checks";

const ops = native("sqlite");

/** Names of limits by their numbers in SQLite. */
const NAMES = [
  "length",
  "sqlLength",
  "column",
  "exprDepth",
  "compoundSelect",
  "vdbeOp",
  "functionArg",
  "attach",
  "likePatternLength",
  "variableNumber",
  "triggerDepth",
];

/** More than any limit: SQLite takes its most. */
const MOST = 0x7fffffff;

/** Limits of the `limits` option as pairs of number and value. */
export function limitsOf(given: unknown): [number, number][] {
  if (given === undefined) return [];
  needType(given, "options.limits", "object");
  const limits: [number, number][] = [];
  for (const [index, name] of NAMES.entries()) {
    const value = (given as { readonly [name: string]: unknown })[name];
    if (value === undefined) continue;
    needInteger(value, `options.limits.${name}`);
    if (value < 0) throw rangeError(`The "options.limits.${name}" argument must be non-negative.`);
    limits.push([index, value]);
  }
  return limits;
}

/** What `db.limits` is: its properties are read from SQLite, and set there. `open` gives the connection or throws. */
export function limitsObject(open: () => Native.Connection): object {
  const values: { [name: string]: number } = {};
  for (const [index, name] of NAMES.entries()) values[name] = ops.limit(open(), index, -1);
  return new Proxy(values, {
    get(target, name, receiver) {
      const index = NAMES.indexOf(name as string);
      return index === -1 ? Reflect.get(target, name, receiver) : ops.limit(open(), index, -1);
    },
    set(target, name, value: unknown) {
      const index = NAMES.indexOf(name as string);
      if (index === -1) return Reflect.set(target, name, value);
      const handle = open();
      if (value !== Infinity) {
        if (!Number.isInteger(value)) {
          throw argumentError("Limit value must be a non-negative integer or Infinity.");
        }
        if ((value as number) < 0) throw rangeError("Limit value must be non-negative.");
      }
      ops.limit(handle, index, Math.min(value as number, MOST));
      target[name as string] = ops.limit(handle, index, -1);
      return true;
    },
  });
}
