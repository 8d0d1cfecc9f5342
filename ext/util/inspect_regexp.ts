// Colours for regular expressions: the colour says how deep a part is nested, so that a group and its parenthesis, a
// class and its bracket stand out from what is in them.

const defaultColors = ["green", "red", "yellow", "cyan", "magenta"];

/**
 * Colours the source text of a regular expression (`/(a|b)+/g`). `colors`: pairs of SGR numbers by name;
 * `palette`: the names to cycle through, from the outside to the inside (default when empty or undefined).
 */
export function highlightRegExp(text: string, colors: Record<string, number[]>, palette?: string[]): string {
  if (!Array.isArray(palette) || palette.length === 0) palette = defaultColors;
  const start = text.indexOf("/");
  const end = text.lastIndexOf("/");
  if (start < 0 || end <= start) return text;

  let out = text.slice(0, start);
  let depth = 0;
  // The next part of the text in the colour of the current depth plus `offset`.
  const write = (part: string, offset: number) => {
    const name = palette[(depth + offset) % palette.length] ?? palette[0]!;
    const color = colors[name];
    out += color === undefined ? part : `\u001b[${color[0]}m${part}\u001b[${color[1]}m`;
  };
  // From a construct with a name or number in braces: its opening, its content, its closing.
  const writeBraced = (open: string, content: string, close: string, offset: number) => {
    write(open, offset);
    write(content, offset + 1);
    write(close, offset);
  };

  const literal = 2;
  const operator = 4;
  let inClass = false;
  let classStart = 0;

  write("/", 0);
  let i = start + 1;
  while (i < end) {
    const char = text[i]!;
    if (char === "\\") {
      const plain = inClass ? 1 : literal;
      const next = text[i + 1]!;
      const opening = next === "k" ? "<" : next === "p" || next === "P" || next === "u" ? "{" : undefined;
      if (opening !== undefined && text[i + 2] === opening) {
        const close = text.indexOf(opening === "<" ? ">" : "}", i + 3);
        if (close > 0 && close < end) {
          writeBraced(text.slice(i, i + 3), text.slice(i + 3, close), text[close]!, next === "k" ? 0 : 1);
          i = close + 1;
        } else {
          write(text.slice(i, i + 3), plain);
          i += 3;
        }
      } else if (next === "x" && /^[0-9a-fA-F]{2}$/.test(text.slice(i + 2, i + 4))) {
        write(text.slice(i, i + 4), plain);
        i += 4;
      } else {
        write(text.slice(i, i + 2), plain);
        i += 2;
      }
      continue;
    }
    if (inClass) {
      if (char === "]") {
        depth--;
        inClass = false;
        write(char, 1);
      } else if (char === "-" && i > classStart && text[i + 1] !== "]") {
        write(char, 2);
      } else {
        write(char, 1);
      }
      i++;
      continue;
    }
    switch (char) {
      case "[":
        write(char, 1);
        depth++;
        inClass = true;
        classStart = i + 1;
        break;
      case "(": {
        write(char, 1);
        if (text[i + 1] === "?") {
          const lookaround = /^\?(?:[:=!]|<[=!])/.exec(text.slice(i + 1, i + 4));
          if (lookaround !== null) {
            write(lookaround[0], 1);
            i += lookaround[0].length;
          } else if (text[i + 2] === "<") {
            const close = text.indexOf(">", i);
            if (close > 0 && close < end) {
              writeBraced("?<", text.slice(i + 3, close), ">", 1);
              i = close;
            }
          }
        }
        depth++;
        break;
      }
      case ")":
        depth--;
        write(char, 1);
        break;
      case "{": {
        const count = /^\{(\d+)(,)?(\d+)?\}/.exec(text.slice(i, end));
        if (count === null) {
          write(char, literal);
          break;
        }
        write("{", 1);
        write(count[1]!, 3);
        if (count[2] !== undefined) write(",", 2);
        if (count[3] !== undefined) write(count[3], 3);
        write("}", 1);
        i += count[0].length - 1;
        break;
      }
      case ".":
        write(char, 3);
        break;
      case "*":
      case "+":
      case "?":
      case "|":
      case "^":
      case "$":
      case ",":
        write(char, operator);
        break;
      default:
        write(char, literal);
    }
    i++;
  }
  depth = 0;
  write("/", 0);
  if (end + 1 < text.length) write(text.slice(end + 1), 1);
  return out;
}
