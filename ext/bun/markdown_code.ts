/** Colours of JavaScript and TypeScript in code blocks of `Bun.markdown.ansi`. */

const languages = new Set("js jsx mjs cjs javascript ts tsx mts cts typescript".split(" "));

const keywords = new Set(
  (
    "as async await break case catch class const continue debugger default delete do else export extends finally for from " +
    "function get if import in instanceof let new of return set static super switch throw try typeof var void while with yield"
  ).split(" "),
);
const values = new Set(["null", "true", "false", "undefined", "NaN", "Infinity", "this"]);
const types = new Set(
  (
    "abstract any boolean declare enum implements interface keyof namespace never number private protected public readonly " +
    "string symbol type unknown"
  ).split(" "),
);

/** Comments, strings, parts of templates, numbers, methods that are called, words, semicolons. */
const token =
  /\/\/[^\n]*|(?<!\.)\.#?[A-Za-z_$][\w$]*(?=\()|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)n?|#?[A-Za-z_$][\w$]*|;|`|\}/g;
const templatePart = /(?:\\.|[^`\\$]|\$(?!\{))*(?:`|\$\{|$)/y;

function styleOf(word: string, before: string): string | undefined {
  const first = word[0]!;
  if (first === "/" || first === ";") return "\x1b[2m";
  if (first === ".") return "\x1b[3m\x1b[1m";
  if (first === '"' || first === "'") return "\x1b[32m";
  if (/\d/.test(first) || values.has(word)) return "\x1b[33m";
  if (keywords.has(word)) return "\x1b[35m";
  if (types.has(word)) return "\x1b[34m";
  if (before === "interface" || before === "type") return "\x1b[1m\x1b[34m";
  return undefined;
}

/** Code with escape sequences, if its language is known; each token ends with a reset. */
export function highlight(code: string, language: string): string {
  if (!languages.has(language.toLowerCase())) return code;
  let output = "";
  let at = 0;
  let before = "";
  /** How many braces are open in each template around. */
  const templates: number[] = [];
  // No style goes on over the end of a line, where a border comes.
  const styled = (text: string, style: string) =>
    text
      .split("\n")
      .map((line) => (line === "" ? "" : `\x1b[0m${style}${line}\x1b[0m`))
      .join("\n");
  const template = (start: number) => {
    templatePart.lastIndex = at;
    const part = templatePart.exec(code)![0];
    at += part.length;
    const opens = part.endsWith("${");
    output += styled(code.slice(start, opens ? at - 2 : at), "\x1b[32m") + (opens ? "${" : "");
    if (opens) templates.push(0);
  };
  while (at < code.length) {
    token.lastIndex = at;
    const match = token.exec(code);
    if (match === null) break;
    const word = match[0];
    const between = code.slice(at, match.index);
    output += between;
    at = match.index + word.length;
    if (templates.length > 0) templates[templates.length - 1]! += between.split("{").length - 1;
    if (word === "`") {
      template(match.index);
    } else if (word === "}") {
      output += word;
      if (templates.length > 0 && templates[templates.length - 1]!-- === 0) {
        templates.pop();
        template(at);
      }
    } else {
      // A member is no keyword; a class is made where a parenthesis follows.
      const isMember = between.endsWith(".") && /[\w$#]/.test(word[0]!) && !/\d/.test(word[0]!);
      const isMade = before === "new" && /^[ \t]+$/.test(between) && code[at] === "(";
      const style = isMember ? undefined : (styleOf(word, before) ?? (isMade ? "\x1b[1m" : undefined));
      output += style === undefined ? word : styled(word, style);
      before = word;
    }
  }
  return output + code.slice(at);
}
