/** `bun:bundle` where nothing is bundled (https://bun.com/docs/bundler#features). */

/** Features of the command line (`--feature`). */
let features: readonly string[] | undefined;

/** Whether a feature is on, which a build decides; of what runs from its sources the command line does. */
function feature(name: string): boolean {
  if (typeof name !== "string") throw new TypeError("feature() requires exactly one string argument");
  features ??= (native("process").cliOption("--feature") as readonly string[] | undefined) ?? [];
  return features.includes(name);
}

export default { feature };
