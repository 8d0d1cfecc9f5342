/** `Bun.openInEditor`: a file in the editor of the user, at a line (https://bun.com/docs/runtime/utils). */

/** How an editor is told a place. */
type Style =
  /** `FILE:LINE:COLUMN` behind `--goto`. */
  | "goto"
  /** `FILE:LINE:COLUMN`. */
  | "colons"
  /** `--line LINE:COLUMN FILE`. */
  | "mate"
  /** `FILE:LINE`. */
  | "line";

/** Editors by the names of their programs; those of terminals are not there, because they would need the program's. */
const styles: Record<string, Style> = {
  code: "goto",
  "code-insiders": "goto",
  codium: "goto",
  cursor: "goto",
  windsurf: "goto",
  subl: "colons",
  sublime: "colons",
  atom: "colons",
  zed: "colons",
  mate: "mate",
  idea: "line",
  webstorm: "line",
};

/** Other names that the option `editor` takes. */
const aliases: Record<string, string> = {
  vscode: "code",
  "visual studio code": "code",
  sublime: "subl",
  textmate: "mate",
  intellij: "idea",
};

const programName = (path: string): string => path.slice(path.lastIndexOf("/") + 1).toLowerCase();

/** The program of an editor, and its style; undefined if it is not known or not installed. */
function find(name: string): [program: string, style: Style] | undefined {
  const word = name.trim().split(/\s+/)[0] ?? "";
  const program = aliases[word.toLowerCase()] ?? word;
  const style = styles[programName(program)];
  if (style === undefined) return undefined;
  const path = program.startsWith("/") ? program : Bun.which(program);
  return path === null ? undefined : [path, style];
}

function editor(wanted: string | undefined): [program: string, style: Style] {
  const { EDITOR, VISUAL } = process.env;
  for (const name of [wanted, EDITOR, VISUAL, ...Object.keys(styles)]) {
    const found = name ? find(name) : undefined;
    if (found !== undefined) return found;
  }
  throw new Error("Failed to auto-detect editor");
}

function argumentsFor(style: Style, file: string, line: string, column: string): string[] {
  if (line === "") return [file];
  const place = column === "" ? line : `${line}:${column}`;
  if (style === "goto") return ["--goto", `${file}:${place}`];
  if (style === "mate") return ["--line", place, file];
  return style === "line" ? [`${file}:${line}`] : [`${file}:${place}`];
}

/** A positive number as digits; an empty string for what is none. */
function position(value: unknown): string {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? `${number}` : "";
}

/**
 * Opens `file` in the editor that `options.editor` names, else in that of EDITOR or VISUAL, else in the first that is installed.
 * The editor goes on when the program ends. Throws if there is none.
 */
export function openInEditor(file?: unknown, options?: unknown): void {
  const path = file === undefined || file === null ? "" : `${file}`;
  if (path === "") throw new Error("No file path specified");
  const given = (typeof options === "object" && options !== null ? options : {}) as Record<string, unknown>;
  const { line, column } = given;
  const [program, style] = editor(typeof given.editor === "string" ? given.editor : undefined);
  const child = require("node:child_process").spawn(
    program,
    argumentsFor(style, path, position(line), position(column)),
    {
      detached: true,
      stdio: "ignore",
    },
  );
  // An editor that cannot be started is nothing that a program could do something about later.
  child.on("error", () => {});
  child.unref();
}
Object.defineProperty(openInEditor, "length", { value: 1 });
