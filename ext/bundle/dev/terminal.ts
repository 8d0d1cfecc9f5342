// What the development server says in the terminal.
import type { Problem } from "internal/bundle/dev/module";

const isColored = (fd: number) => require("node:tty").isatty(fd) && process.env["NO_COLOR"] === undefined;

function paint(code: string, text: string, fd: number): string {
  return isColored(fd) ? `\x1b[${code}m${text}\x1b[0m` : text;
}

/** A line of standard output; those of a page's console have a level (`l`, `w`, `e`) and the place of the call. */
export function printMessage(text: string, level = "l", place?: { file: string; line: number; column: number }): void {
  const tail = place === undefined ? "" : ` ${paint("2", `(${place.file}:${place.line}:${place.column})`, 1)}`;
  const color = level === "e" ? "31" : level === "w" ? "33" : "";
  process.stdout.write(`${color === "" ? text : paint(color, text, 1)}${tail}\n`);
}

/** Mistakes with their excerpts, on standard error. */
export function printProblems(problems: readonly Problem[]): void {
  for (const { file, level, text, line, column, lineText, notes } of problems) {
    const lines: string[] = [];
    if (line > 0) {
      const head = `${line} | `;
      lines.push(
        paint("2", head, 2) + lineText,
        " ".repeat(head.length + Math.max(column - 1, 0)) + paint("31", "^", 2),
      );
    }
    lines.push(`${paint(level === "error" ? "31" : "33", level, 2)}: ${text}`);
    lines.push(`    at ${file}${line > 0 ? `:${line}:${column}` : ""}`);
    for (const note of notes) lines.push(`note: ${note}`);
    process.stderr.write(`${lines.join("\n")}\n\n`);
  }
}
