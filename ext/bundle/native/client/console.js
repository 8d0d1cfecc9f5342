// The console's echo in the server's terminal.

/* global config, send */
function inspect(value, depth = 0, seen = new Set()) {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function${value.name ? `: ${value.name}` : ""}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if (seen.has(value)) return "[Circular]";
  if (value instanceof Error) return String(value.stack ?? value);
  if (globalThis.Element !== undefined && value instanceof Element) return `<${value.tagName.toLowerCase()}>`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (depth > 3) return Array.isArray(value) ? "[Array]" : "[Object]";
  seen.add(value);
  const inside = (item) => inspect(item, depth + 1, seen);
  let text;
  if (Array.isArray(value)) text = value.length === 0 ? "[]" : `[ ${value.slice(0, 100).map(inside).join(", ")} ]`;
  else if (value instanceof Map)
    text = `Map { ${[...value].map(([k, v]) => `${inside(k)} => ${inside(v)}`).join(", ")} }`;
  else if (value instanceof Set) text = `Set { ${[...value].map(inside).join(", ")} }`;
  else {
    const entries = Object.entries(value).map(([key, item]) => `${key}: ${inside(item)}`);
    const name = value.constructor?.name;
    text = `${name === undefined || name === "Object" ? "" : `${name} `}${entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`}`;
  }
  seen.delete(value);
  return text;
}

if (config.console) {
  const levels = { log: "l", info: "l", debug: "l", warn: "w", error: "e" };
  for (const name of Object.keys(levels)) {
    const native = console[name];
    if (typeof native !== "function") continue;
    console[name] = function (...values) {
      native.apply(this, values);
      // The place of the call, for the terminal: the frame behind this one.
      const frame = (new Error().stack ?? "").split("\n").filter((line) => line.includes("/_bun/"))[1] ?? "";
      send(`l${levels[name]}${values.map((value) => inspect(value)).join(" ")}\0${frame.trim()}`);
    };
  }
}
