// One segment of a glob pattern as the source of a regular expression (flags "su").

const POSIX_CLASSES: Record<string, string> = {
  alnum: "\\p{L}\\p{Nl}\\p{Nd}",
  alpha: "\\p{L}\\p{Nl}",
  ascii: "\\x00-\\x7f",
  blank: "\\p{Zs}\\t",
  cntrl: "\\p{Cc}",
  digit: "\\p{Nd}",
  lower: "\\p{Ll}",
  print: "\\P{C}",
  punct: "\\p{P}",
  space: "\\p{Z}\\t\\r\\n\\v\\f",
  upper: "\\p{Lu}",
  word: "\\p{L}\\p{Nl}\\p{Nd}\\p{Pc}",
  xdigit: "A-Fa-f0-9",
};

interface Group {
  kind: string;
  options: Node[][];
}

/** Plain text, "*" or "?" (wild), the source of a bracket expression, or an extended group. */
type Node = { text: string } | { wild: "*" | "?" } | { source: string } | Group;

/** The source for `text`, or undefined if it has no wildcard that works (then it is compared as it is). */
export function segmentSource(text: string): string | undefined {
  const parser = new Parser(text);
  const nodes = parser.sequence(false);
  if (!parser.magic) return undefined;
  if (nodes.length === 1 && "wild" in nodes[0]! && nodes[0].wild === "*") return "(?!\\.)[^/]+";
  return nodes.some((node) => "options" in node) ? emit(nodes, true, "") : emitPlain(nodes);
}

/**
 * Emits nodes without groups so that matching takes time in proportion to the name and the pattern, not exponential in the number of "*": what
 * stands between two of them is looked for once, and the first place is kept (what follows has most room there).
 */
function emitPlain(nodes: Node[]): string {
  const stars = nodes.flatMap((node, i) => ("wild" in node && node.wild === "*" ? [i] : []));
  let source = "";
  let at = 0;
  const upTo = (end: number) => {
    let part = "";
    for (; at < end; at++) part += emitNode(nodes[at]!, at === 0, "");
    return part;
  };
  source += upTo(stars[0] ?? nodes.length);
  for (let i = 0; i < stars.length - 1; i++) {
    // A lookahead is not tried again once it has matched, nor is what it has captured.
    source += `(?=(?<s${i}>${upTo(stars[i + 1]!)}))\\k<s${i}>`;
  }
  return source + upTo(nodes.length);
}

class Parser {
  #at = 0;
  magic = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses up to the end of the text or, inside a group, up to "|" or ")". */
  sequence(inGroup: boolean): Node[] {
    const text = this.#text;
    const nodes: Node[] = [];
    let plain = "";
    const flush = () => {
      if (plain !== "") nodes.push({ text: plain });
      plain = "";
    };
    while (this.#at < text.length) {
      const c = text[this.#at]!;
      if (inGroup && (c === "|" || c === ")")) break;
      if (text[this.#at + 1] === "(" && "?*+@!".includes(c)) {
        const group = this.#group(c);
        if (group !== undefined) {
          flush();
          nodes.push(group);
          continue;
        }
      }
      if (c === "*" || c === "?") {
        flush();
        this.magic = true;
        const last = nodes[nodes.length - 1];
        if (!(c === "*" && last !== undefined && "wild" in last && last.wild === "*")) nodes.push({ wild: c });
        this.#at++;
      } else if (c === "[") {
        const bracket = parseBracket(text, this.#at);
        if (bracket === undefined) {
          plain += c;
          this.#at++;
        } else {
          flush();
          this.magic ||= bracket.magic;
          nodes.push(bracket.node);
          this.#at = bracket.end;
        }
      } else {
        plain += c;
        this.#at++;
      }
    }
    flush();
    return nodes;
  }

  /** Parses a group at its "(", or leaves the position alone and returns undefined if it is not closed. */
  #group(kind: string): Group | undefined {
    const start = this.#at;
    const magic = this.magic;
    const options: Node[][] = [];
    this.#at += 2;
    while (true) {
      options.push(this.sequence(true));
      const c = this.#text[this.#at];
      this.#at++;
      if (c === ")") {
        this.magic = true;
        return { kind, options };
      }
      if (c === undefined) {
        this.#at = start;
        this.magic = magic;
        return undefined;
      }
    }
  }
}

/** A bracket expression at `start`; undefined if it is not closed or its range is the wrong way round. */
function parseBracket(text: string, start: number): { node: Node; end: number; magic: boolean } | undefined {
  let at = start + 1;
  const negated = text[at] === "!" || text[at] === "^";
  if (negated) at++;
  const first = at;
  let inside = "";
  let single = "";
  let members = 0;
  while (true) {
    const c = text[at];
    if (c === undefined) return undefined;
    if (c === "]" && at > first) break;
    const named = c === "[" ? /^\[:([a-z]+):\]/.exec(text.slice(at, at + 12)) : null;
    if (named !== null && POSIX_CLASSES[named[1]!] !== undefined) {
      inside += POSIX_CLASSES[named[1]!];
      members += 2;
      at += named[0].length;
      continue;
    }
    const from = String.fromCodePoint(text.codePointAt(at)!);
    at += from.length;
    if (text[at] === "-" && text[at + 1] !== undefined && text[at + 1] !== "]") {
      const to = String.fromCodePoint(text.codePointAt(at + 1)!);
      at += 1 + to.length;
      members += 2;
      // An empty range such as [z-a] has no members.
      if (to.codePointAt(0)! >= from.codePointAt(0)!) inside += `${escapeInBracket(from)}-${escapeInBracket(to)}`;
    } else {
      inside += escapeInBracket(from);
      single = from;
      members++;
    }
  }
  const end = at + 1;
  // "[a]" is the way to write a character that would otherwise be special.
  if (members === 1 && !negated) return { node: { text: single }, end, magic: false };
  if (inside === "") return { node: { source: negated ? "[^/]" : "[]" }, end, magic: true };
  return { node: { source: negated ? `[^/${inside}]` : `[${inside}]` }, end, magic: true };
}

function escapeInBracket(c: string): string {
  return /[\\\][^-]/.test(c) ? `\\${c}` : c;
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * Emits nodes. `start`: the first of them may stand at the start of the name, where a wildcard must not match a dot.
 * `rest` is the source of what follows this sequence in the whole segment; !(...) has to look ahead to the end.
 */
function emit(nodes: Node[], start: boolean, rest: string): string {
  let source = "";
  // From the right, because a negated group needs what follows it.
  const starts: boolean[] = [];
  let maybeStart = start;
  for (const node of nodes) {
    starts.push(maybeStart);
    maybeStart &&= "options" in node && "?*!".includes(node.kind);
  }
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    source = emitNode(node, starts[i]!, source + rest) + source;
  }
  return source;
}

function emitNode(node: Node, start: boolean, rest: string): string {
  const noDot = start ? "(?!^\\.)" : "";
  if ("text" in node) return escapeText(node.text);
  if ("wild" in node) return noDot + (node.wild === "*" ? "[^/]*?" : "[^/]");
  if ("source" in node) return noDot + node.source;
  const body = node.options.map((option) => emit(option, start, node.kind === "!" ? rest : "")).join("|");
  switch (node.kind) {
    case "!": {
      const any = body === "" ? "[^/]+?" : "[^/]*?";
      return body === "" ? noDot + any : `(?:${noDot}(?!(?:${body})${rest}$)${any})`;
    }
    case "@":
      return `(?:${body})`;
    case "?":
      return `(?:${body})?`;
    default:
      return `(?:${body})${node.kind}?`;
  }
}
