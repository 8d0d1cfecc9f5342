// `inspect` as messages of errors need it, where a program has not asked for node:util.

/** A value on one line. */
export function inspect(value: unknown): string {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function: ${value.name}]`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Error) return String(value);
  try {
    const text = JSON.stringify(value);
    if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return text;
    return `${value.constructor?.name ?? "[Object: null prototype]"} ${text}`;
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** A text with values in it, or behind it. */
export function format(text: unknown, ...values: unknown[]): string {
  const word = (value: unknown) => (typeof value === "string" ? value : inspect(value));
  const filled = word(text).replace(/%[sdijoOc%]/g, (found) => {
    if (found === "%%") return "%";
    return values.length === 0 ? found : word(values.shift());
  });
  return [filled, ...values.map(word)].join(" ");
}
