// `util.debuglog`: messages for sections that the environment variable NODE_DEBUG names.

let sections: RegExp | undefined;

function isEnabled(set: string): boolean {
  if (sections === undefined) {
    const names = process.env.NODE_DEBUG;
    // Names are separated by commas and may contain "*".
    sections = names
      ? new RegExp(
          `^(?:${names
            .split(",")
            .map((name) => name.replace(/[|\\{}()[\]^$+?.]/g, "\\$&").replaceAll("*", ".*"))
            .join("|")})$`,
          "i",
        )
      : /(?!)/;
  }
  return sections.test(set);
}

function write(set: string, args: unknown[]) {
  const { fdHasColors } = require("internal/util/colors");
  const { formatWithOptions, inspect } = require("internal/util/inspect");
  const colors = fdHasColors(2);
  const text = formatWithOptions({ colors }, ...args);
  native("console").write(2, `${set} ${inspect(process.pid, { colors })}: ${text}\n`);
}

/**
 * A function that writes a formatted message to standard error if NODE_DEBUG names `set`, with `enabled`. `callback` gets
 * the function that does it when the first message is logged, so that callers can replace theirs.
 */
export function debuglog(set: string, callback?: (fn: unknown) => void): (...values: unknown[]) => unknown {
  let enabled: boolean | undefined;
  const test = () => (enabled ??= isEnabled((set = `${set}`.toUpperCase())));
  const withEnabled = (fn: (...values: unknown[]) => unknown) =>
    Object.defineProperty(fn, "enabled", { get: test, configurable: true, enumerable: true });
  let log: (...values: unknown[]) => unknown = (...args) => {
    const target = test() ? (...args: unknown[]) => write(set, args) : () => {};
    log = withEnabled(target);
    if (typeof callback === "function") callback(log);
    log(...args);
  };
  return withEnabled((...args: unknown[]) => log(...args));
}

export function formatTime(ms: number): string {
  return require("internal/console/methods").formatTime(ms);
}
