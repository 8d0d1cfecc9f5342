/** `bun:bundle` where nothing is bundled (https://bun.com/docs/bundler#features). */

/** Whether a feature is on, which a build decides; of what runs from its sources none is. */
function feature(name: string): boolean {
  if (typeof name !== "string") throw new TypeError("feature() requires exactly one string argument");
  return false;
}

export default { feature };
