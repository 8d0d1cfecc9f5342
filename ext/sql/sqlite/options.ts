/** Which file a URL, a path or options mean for the SQLite adapter. */

type Given = Record<string, unknown>;

/** Whether text that names no adapter means a file of SQLite. */
export function parseSqlite(text: string): boolean {
  return text === ":memory:" || /^sqlite:/i.test(text) || /^file:/i.test(text);
}

/** The file of a URL, and the options of its query. */
function parts(text: string): { filename: string; options: Given } {
  if (text === ":memory:" || text === "") return { filename: ":memory:", options: {} };
  const options: Given = {};
  if (!parseSqlite(text)) return { filename: text, options };
  const mark = text.indexOf("?");
  let filename = mark < 0 ? text : text.slice(0, mark);
  if (mark >= 0) {
    const mode = new URLSearchParams(text.slice(mark + 1)).get("mode");
    if (mode === "ro") options.readonly = true;
    else if (mode === "rw") options.readonly = false;
    else if (mode === "rwc") {
      options.readonly = false;
      options.create = true;
    }
  }
  if (/^file:/i.test(filename)) {
    if (filename.startsWith("file://")) {
      try {
        return {
          filename: (require("node:url") as { fileURLToPath(url: string): string }).fileURLToPath(filename),
          options,
        };
      } catch {
        filename = filename.slice(7);
      }
    } else filename = filename.slice(5);
  } else filename = filename.replace(/^sqlite:(\/\/)?/i, "");
  // Two spellings of the same.
  if (filename === "memory") filename = ":memory:";
  return { filename: filename === "" ? ":memory:" : filename, options };
}

/** The file that is opened, and what else `Database` is told. */
export function sqliteFile(given: Given, url: string | undefined): { filename: unknown; rest: Given } {
  let filename: unknown = given.filename;
  let options: Given = {};
  if (filename instanceof URL || (typeof filename === "string" && filename !== ":memory:")) {
    ({ filename, options } = parts(String(filename)));
  } else if (filename === undefined || filename === null) {
    ({ filename, options } = url === undefined ? { filename: ":memory:", options: {} } : parts(url));
  }
  const rest: Given = { ...options };
  for (const name of ["readonly", "create", "readwrite", "safeIntegers", "strict"]) {
    if (given[name] !== undefined) rest[name] = given[name];
  }
  return { filename, rest };
}
