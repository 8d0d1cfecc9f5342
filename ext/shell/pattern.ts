// Patterns of the shell: `*`, `?`, `[...]`, and a backslash before what stands for itself. Matching takes time linear in the text
// for each `*`, because only the last one is ever tried again.

type Item = { any: true } | { star: true } | { character: string } | { set: (character: string) => boolean };

const CLASSES: Record<string, RegExp> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  // eslint-disable-next-line no-control-regex
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[^\s\p{C}]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{C}]/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /\p{Lu}/u,
  xdigit: /[0-9A-Fa-f]/,
};

/** What a bracket expression at `start` (its `[`) accepts, and where it ends; undefined if it is none. */
function bracket(characters: readonly string[], start: number): { item: Item; end: number } | undefined {
  let i = start + 1;
  const negated = characters[i] === "!" || characters[i] === "^";
  if (negated) i++;
  const singles = new Set<string>();
  const ranges: Array<[number, number]> = [];
  const classes: RegExp[] = [];
  for (let first = true; ; first = false) {
    let character = characters[i];
    if (character === undefined || character === "/") return undefined;
    if (character === "]" && !first) break;
    if (character === "[" && characters[i + 1] === ":") {
      const end = characters.indexOf("]", i + 2);
      const name = characters.slice(i + 2, end - 1).join("");
      if (end !== -1 && characters[end - 1] === ":" && name in CLASSES) {
        classes.push(CLASSES[name]!);
        i = end + 1;
        continue;
      }
    }
    if (character === "\\") character = characters[++i];
    if (character === undefined) return undefined;
    i++;
    if (characters[i] === "-" && characters[i + 1] !== "]" && characters[i + 1] !== undefined) {
      let last = characters[i + 1]!;
      i += 2;
      if (last === "\\") last = characters[i++] ?? "\\";
      ranges.push([character.codePointAt(0)!, last.codePointAt(0)!]);
    } else {
      singles.add(character);
    }
  }
  const set = (character: string): boolean => {
    const code = character.codePointAt(0)!;
    const inside =
      singles.has(character) ||
      ranges.some(([low, high]) => code >= low && code <= high) ||
      classes.some((expression) => expression.test(character));
    return inside !== negated;
  };
  return { item: { set }, end: i };
}

function itemsOf(pattern: string): Item[] {
  const characters = Array.from(pattern);
  const items: Item[] = [];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!;
    if (character === "*") {
      if (!(items.at(-1) && "star" in items.at(-1)!)) items.push({ star: true });
    } else if (character === "?") {
      items.push({ any: true });
    } else if (character === "\\" && i + 1 < characters.length) {
      items.push({ character: characters[++i]! });
    } else {
      const found = character === "[" ? bracket(characters, i) : undefined;
      if (found === undefined) {
        items.push({ character });
      } else {
        items.push(found.item);
        i = found.end;
      }
    }
  }
  return items;
}

/** A function that tells whether all of a text matches a pattern. */
export function matcher(pattern: string): (text: string) => boolean {
  const items = itemsOf(pattern);
  const star = items.findIndex((item) => "star" in item);
  if (items.every((item, i) => "character" in item || i === star)) {
    // Text, or one `*` between texts.
    const textOf = (part: Item[]) => part.map((item) => ("character" in item ? item.character : "")).join("");
    if (star === -1) {
      const whole = textOf(items);
      return (text) => text === whole;
    }
    const start = textOf(items.slice(0, star));
    const end = textOf(items.slice(star + 1));
    const least = start.length + end.length;
    return (text) => text.length >= least && text.startsWith(start) && text.endsWith(end);
  }
  return (text) => {
    // eslint-disable-next-line no-control-regex
    const characters: ArrayLike<string> = /^[\x00-\ud7ff]*$/.test(text) ? text : Array.from(text);
    let i = 0;
    let j = 0;
    let star = -1;
    let mark = 0;
    while (i < characters.length) {
      const item = items[j];
      if (item !== undefined && "star" in item) {
        star = j++;
        mark = i;
      } else if (
        item !== undefined &&
        ("any" in item || ("character" in item ? item.character === characters[i] : item.set(characters[i]!)))
      ) {
        i++;
        j++;
      } else if (star !== -1) {
        j = star + 1;
        i = ++mark;
      } else {
        return false;
      }
    }
    while (j < items.length && "star" in items[j]!) j++;
    return j === items.length;
  };
}

/** Text as a pattern that matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replace(/[*?[\]\\!^-]/g, "\\$&");
}

/** What a pattern without patterns in it says. */
export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\(.)/gsu, "$1");
}

/** Whether a pattern has something that matches more than one text. */
export function hasPattern(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\./gsu, ""));
}

/** The text without the shortest or longest part at its start or end that matches. */
export function withoutMatch(text: string, pattern: string, atEnd: boolean, longest: boolean): string {
  const matches = matcher(pattern);
  const characters = Array.from(text);
  const count = characters.length;
  for (let step = 0; step <= count; step++) {
    const length = longest ? count - step : step;
    const part = atEnd ? characters.slice(count - length) : characters.slice(0, length);
    if (matches(part.join("")))
      return (atEnd ? characters.slice(0, count - length) : characters.slice(length)).join("");
  }
  return text;
}

/** The text with the first match, or all, replaced. `#` and `%` at the start of the pattern tie it to the start or the end. */
export function replaceMatches(text: string, pattern: string, by: string, all: boolean): string {
  let place = "";
  if (!all && (pattern[0] === "#" || pattern[0] === "%")) {
    place = pattern[0];
    pattern = pattern.slice(1);
  }
  if (pattern === "") return text;
  const matches = matcher(pattern);
  const characters = Array.from(text);
  let out = "";
  for (let i = 0; i < characters.length;) {
    let length = -1;
    for (let end = characters.length; end > i; end--) {
      if (place === "%" && end < characters.length) break;
      if (matches(characters.slice(i, end).join(""))) {
        length = end - i;
        break;
      }
    }
    if (length === -1) {
      if (place === "#") return text;
      out += characters[i++]!;
      continue;
    }
    out += by;
    i += length;
    if (!all) return out + characters.slice(i).join("");
  }
  return out;
}
