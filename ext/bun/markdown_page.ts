// `bao FILE.md`: a document as a program prints it on the terminal, as in Bun.

/** The columns of the terminal, else what COLUMNS says, else 80. */
function columns(): number {
  const width = process.stdout.columns ?? Number(process.env.COLUMNS);
  return Number.isInteger(width) && width > 0 ? width : 80;
}

/** Prints the document `path`. A file that cannot be read is an error on standard error and exit code 1. */
export function start(path: string): void {
  let text: string;
  try {
    text = require("node:fs").readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeError;
    const what = code === "ENOENT" ? `File not found "${path}"` : `cannot read "${path}": ${code}`;
    process.stderr.write(`error: ${what}\n`);
    process.exitCode = 1;
    return;
  }
  const colors = require("internal/util/colors").shouldColorize(process.stdout);
  // Links that are not seen are of use in a terminal only.
  const hyperlinks = colors && process.stdout.isTTY === true;
  process.stdout.write(require("bun/markdown").markdown.ansi(text, { colors, hyperlinks, columns: columns() }));
}
