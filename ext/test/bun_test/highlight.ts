// JavaScript in colours, line by line, for the excerpts of errors on a terminal.

const KEYWORDS = new Set(
  (
    "abstract as async await break case catch class const continue debugger default delete do else enum export extends finally for from function get if implements import in " +
    "instanceof interface let new of package private protected public return set static super switch this throw try type typeof var void while with yield"
  ).split(" "),
);
const VALUES = new Set(["true", "false", "null", "undefined", "NaN", "Infinity"]);

const TOKEN =
  /(\/\/.*)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?)|(\.?[A-Za-z_$][\w$]*)|(\d[\w.]*)|(;)/g;

/** One line with escape sequences. */
export function highlight(line: string): string {
  let after = "";
  return line.replace(TOKEN, (whole, comment, text, word, number, semicolon, at) => {
    if (comment !== undefined) return `\x1b[0m\x1b[2m${comment}\x1b[0m`;
    if (text !== undefined) return text.startsWith("`") ? template(text) : `\x1b[0m\x1b[32m${text}\x1b[0m`;
    if (number !== undefined) return `\x1b[0m\x1b[33m${number}\x1b[0m`;
    if (semicolon !== undefined) return "\x1b[0m\x1b[2m;\x1b[0m";
    const isClass = after === "new" && !word.startsWith(".");
    after = word;
    if (word.startsWith(".")) return line[at + whole.length] === "(" ? `\x1b[0m\x1b[3m\x1b[1m${word}\x1b[0m` : word;
    if (KEYWORDS.has(word)) return `\x1b[0m\x1b[35m${word}\x1b[0m`;
    if (VALUES.has(word)) return `\x1b[0m\x1b[33m${word}\x1b[0m`;
    return isClass ? `\x1b[0m\x1b[1m${word}\x1b[0m` : word;
  });
}

/** A template literal: what it encloses is code. */
function template(text: string): string {
  let shown = "";
  let rest = text;
  for (;;) {
    const at = rest.indexOf("${");
    const end = at < 0 ? -1 : rest.indexOf("}", at);
    if (end < 0) return `${shown}\x1b[0m\x1b[32m${rest}\x1b[0m`;
    shown += `\x1b[0m\x1b[32m${rest.slice(0, at)}\x1b[0m\${${highlight(rest.slice(at + 2, end))}}`;
    rest = rest.slice(end + 1);
  }
}

/** How many functions are open at the end of `text`, judged by the brackets. */
export function openFunctions(text: string): number {
  const open: boolean[] = [];
  let count = 0;
  let before = "";
  for (let at = 0; at < text.length; at++) {
    const c = text[at]!;
    if (c === '"' || c === "'" || c === "`") {
      for (at++; at < text.length && text[at] !== c; at++) if (text[at] === "\\") at++;
    } else if (c === "/" && text[at + 1] === "/") {
      while (at < text.length && text[at] !== "\n") at++;
      continue;
    } else if (c === "/" && text[at + 1] === "*") {
      at = text.indexOf("*/", at + 2);
      if (at < 0) return count;
      at++;
      continue;
    } else if (c === "(" || c === "[" || c === "{") {
      const isFunction = c === "{" ? before.endsWith(")") || before.endsWith("=>") : false;
      open.push(isFunction);
      if (isFunction) count++;
    } else if (c === ")" || c === "]" || c === "}") {
      if (open.pop()) count--;
    }
    // An arrow function without braces ends with what encloses it.
    if (c === ">" && text[at - 1] === "=") {
      const rest = text.slice(at + 1).trimStart();
      if (rest === "" || !rest.startsWith("{")) {
        if (!/[),;\n]/.test(rest) || rest === "") return count + 1;
      }
    }
    if (c.trim() !== "") before = (before + c).slice(-2);
  }
  return count;
}
