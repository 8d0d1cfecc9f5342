/** How many colors a terminal shows, as far as the environment tells. Used by tty.WriteStream and the console. */
import { validateInteger } from "internal/core/validators";

// Bits per pixel, as getColorDepth() counts.
const COLORS_2 = 1;
const COLORS_16 = 4;
const COLORS_256 = 8;
const COLORS_16m = 24;

// Terminals by $TERM; others are matched by `families`.
const terminals: Record<string, number> = {
  __proto__: null as never,
  eterm: COLORS_16,
  cons25: COLORS_16,
  console: COLORS_16,
  cygwin: COLORS_16,
  dtterm: COLORS_16,
  gnome: COLORS_16,
  hurd: COLORS_16,
  jfbterm: COLORS_16,
  konsole: COLORS_16,
  kterm: COLORS_16,
  mlterm: COLORS_16,
  mosh: COLORS_16m,
  putty: COLORS_16,
  "rxvt-unicode-24bit": COLORS_16m,
  st: COLORS_16,
  terminator: COLORS_16m,
  "xterm-kitty": COLORS_16m,
};

const families = /ansi|color|linux|direct|^con[0-9]*x[0-9]|^rxvt|^screen|^xterm|^vt100|^vt220/i;

// Continuous integration services by the variable they set.
const services: Array<[string, number]> = [
  ["APPVEYOR", COLORS_256],
  ["BUILDKITE", COLORS_256],
  ["CIRCLECI", COLORS_16m],
  ["DRONE", COLORS_256],
  ["GITEA_ACTIONS", COLORS_16m],
  ["GITHUB_ACTIONS", COLORS_16m],
  ["GITLAB_CI", COLORS_256],
  ["TRAVIS", COLORS_256],
];

let warned = false;

/** Variables of the environment, or what a program gives in their place. */
type Environment = { [name: string]: string | undefined };

function warnOnIgnored(env: Environment): void {
  if (warned) return;
  let name = "";
  if (env.NODE_DISABLE_COLORS !== undefined && env.NODE_DISABLE_COLORS !== "") name = "NODE_DISABLE_COLORS";
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") name += name === "" ? "NO_COLOR" : "' and 'NO_COLOR";
  if (name === "") return;
  warned = true;
  process.emitWarning(`The '${name}' env is ignored due to the 'FORCE_COLOR' env being set.`, "Warning");
}

/** Colors as bits: 1 (none), 4, 8 or 24. See Node's writeStream.getColorDepth([env]). */
export function getColorDepth(env: Environment = process.env): number {
  // FORCE_COLOR decides alone: https://force-color.org
  if (env.FORCE_COLOR !== undefined) {
    switch (env.FORCE_COLOR) {
      case "":
      case "1":
      case "true":
        warnOnIgnored(env);
        return COLORS_16;
      case "2":
        warnOnIgnored(env);
        return COLORS_256;
      case "3":
        warnOnIgnored(env);
        return COLORS_16m;
      default:
        return COLORS_2;
    }
  }

  // https://no-color.org
  if (
    (env.NODE_DISABLE_COLORS !== undefined && env.NODE_DISABLE_COLORS !== "") ||
    (env.NO_COLOR !== undefined && env.NO_COLOR !== "") ||
    env.TERM === "dumb"
  ) {
    return COLORS_2;
  }

  if (process.platform === "win32") return windowsDepth();

  if (env.TMUX) return COLORS_16m;
  // Azure DevOps
  if ("TF_BUILD" in env && "AGENT_NAME" in env) return COLORS_16;
  if ("CI" in env) {
    for (const [name, depth] of services) if (name in env) return depth;
    return env.CI_NAME === "codeship" ? COLORS_256 : COLORS_2;
  }
  if ("TEAMCITY_VERSION" in env) {
    return /^(?:9\.0*[1-9]\d*\.|\d{2,}\.)/.test(env.TEAMCITY_VERSION!) ? COLORS_16 : COLORS_2;
  }

  switch (env.TERM_PROGRAM) {
    case "iTerm.app":
      return !env.TERM_PROGRAM_VERSION || /^[0-2]\./.test(env.TERM_PROGRAM_VERSION) ? COLORS_256 : COLORS_16m;
    case "HyperTerm":
    case "MacTerm":
      return COLORS_16m;
    case "Apple_Terminal":
      return COLORS_256;
  }

  if (env.COLORTERM === "24bit" || env.COLORTERM === "truecolor") return COLORS_16m;
  if (env.TERM) {
    if (env.TERM.includes("truecolor")) return COLORS_16m;
    if (env.TERM.startsWith("xterm-256")) return COLORS_256;
    const known = terminals[env.TERM.toLowerCase()];
    if (known !== undefined) return known;
    if (families.test(env.TERM)) return COLORS_16;
  }
  return env.COLORTERM ? COLORS_16 : COLORS_2;
}

/** Windows 10 shows 256 colors from build 10586 on, all of them from 14931 on. */
function windowsDepth(): number {
  const [major, , build] = require("node:os").release().split(".").map(Number);
  if (!(major >= 10)) return COLORS_16;
  return build >= 14931 ? COLORS_16m : build >= 10586 ? COLORS_256 : COLORS_16;
}

/** Whether the terminal shows at least `count` colors (16 if left out). See Node's writeStream.hasColors(). */
export function hasColors(
  this: { getColorDepth(env?: Environment): number },
  count?: number | Environment,
  env?: Environment,
): boolean {
  if (env === undefined && (count === undefined || (typeof count === "object" && count !== null))) {
    env = count;
    count = 16;
  } else {
    validateInteger(count, "count", 2);
  }
  return count <= 2 ** this.getColorDepth(env);
}
