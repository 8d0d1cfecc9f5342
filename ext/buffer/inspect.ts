/** How a Buffer looks on a console; loaded by the first one that is printed. */

const { hasOwn } = Object;
/**
 * `<Buffer 68 69>`: the class name, at most `maxBytes` bytes, how many more there are, and further own properties.
 *
 * @param ctx the options of `util.inspect`, absent when `buf.inspect()` is called directly
 */
export function inspectBuffer(
  buf: Uint8Array,
  maxBytes: number,
  ctx: { showHidden?: unknown } | null | undefined,
): string {
  const size = buf.length;
  const shown = Math.min(maxBytes, size);
  const more = size - maxBytes;
  let text = "";
  for (let i = 0; i < shown; i++) {
    const byte: number = buf[i];
    text += (i === 0 ? "" : " ") + (byte < 16 ? "0" : "") + byte.toString(16);
  }
  if (more > 0) text += ` ... ${more} more byte${more > 1 ? "s" : ""}`;
  if (ctx) {
    const extras: { [key: PropertyKey]: unknown } = { __proto__: null };
    let found = false;
    for (const key of native("inspect").ownNonIndexKeys(buf, !ctx.showHidden)) {
      found = true;
      extras[key] = (buf as unknown as { [key: PropertyKey]: unknown })[key];
    }
    if (found) {
      if (size !== 0) text += ", ";
      // The properties as of an object without prototype, less its label and braces.
      const { inspect } = require("internal/util/inspect");
      text += inspect(extras, { ...ctx, breakLength: Infinity, compact: true }).slice(27, -2);
    }
  }
  let name = "Buffer";
  try {
    const { constructor } = buf;
    if (typeof constructor === "function" && hasOwn(constructor, "name")) name = constructor.name;
  } catch {
    // A throwing accessor: keep the default.
  }
  return `<${name} ${text}>`;
}
