// The error of a method of the test runner's objects whose `this` is something else, in Bun's words.

function describe(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "object" || typeof value === "function")
    return `, but received an instance of ${value.constructor?.name ?? "Object"}`;
  return `, but received type ${typeof value} (${String(value)})`;
}

/** A TypeError with the code ERR_INVALID_THIS; `wanted` names the class. */
export function invalidThis(wanted: string, value: unknown): TypeError {
  const error = new TypeError(`Expected this to be instanceof ${wanted}${describe(value)}`);
  return Object.assign(error, { code: "ERR_INVALID_THIS" });
}
