// Brace expansion: `a{b,c}d` is `abd acd`. Braces and commas count only where they stand in the text of the script.

import type { Part } from "internal/shell/ast";

/** So many groups a word may have: each level is one of the native stack. */
const MAX_GROUPS = 256;
/** So many words may come out of one. */
const MAX_WORDS = 1 << 16;

/** One character of text, or a part that braces do not look into. */
type Token = string | Part;

/** What a word is made of: tokens, and groups of alternatives. */
type Node = Token | { alternatives: Node[][] };

function tooMany(): Error {
  return new Error("Too many braces in brace expansion");
}

function tokensOf(parts: readonly Part[]): Token[] {
  const tokens: Token[] = [];
  for (const part of parts) {
    if (part.kind === "text") for (const character of part.text) tokens.push(character);
    else tokens.push(part);
  }
  return tokens;
}

/** For each `{` the position of its `}`. */
function pairs(tokens: readonly Token[]): Map<number, number> {
  const open: number[] = [];
  const found = new Map<number, number>();
  tokens.forEach((token, i) => {
    if (token === "{") open.push(i);
    else if (token === "}" && open.length > 0) found.set(open.pop()!, i);
  });
  if (found.size > MAX_GROUPS) throw tooMany();
  return found;
}

/** The tokens from `start` to `end` as nodes. A group without a comma is text, unless it is
 * within another or has one within: its braces vanish then, as in Bun. */
function nodesOf(
  tokens: readonly Token[],
  start: number,
  end: number,
  ends: Map<number, number>,
  inner: boolean,
): Node[] {
  const nodes: Node[] = [];
  for (let i = start; i < end; i++) {
    const token = tokens[i]!;
    const close = token === "{" ? ends.get(i) : undefined;
    if (close === undefined) {
      nodes.push(token);
      continue;
    }
    const commas: number[] = [];
    for (let j = i + 1; j < close; j++) {
      if (tokens[j] === ",") commas.push(j);
      else if (tokens[j] === "{") j = ends.get(j) ?? j;
    }
    const within = commas.length === 0 ? nodesOf(tokens, i + 1, close, ends, inner) : [];
    const groups = within.some((node) => typeof node === "object" && "alternatives" in node);
    if (commas.length === 0 && !groups && !(inner && close > i + 1)) {
      for (const node of ["{", ...within, "}"]) nodes.push(node);
    } else {
      const alternatives: Node[][] = [];
      let from = i + 1;
      for (const comma of [...commas, close]) {
        alternatives.push(nodesOf(tokens, from, comma, ends, true));
        from = comma + 1;
      }
      nodes.push({ alternatives });
    }
    i = close;
  }
  return nodes;
}

function expand(nodes: readonly Node[]): Token[][] {
  let words: Token[][] = [[]];
  for (const node of nodes) {
    if (typeof node !== "object" || !("alternatives" in node)) {
      for (const word of words) word.push(node);
      continue;
    }
    const endings = node.alternatives.flatMap(expand);
    if (words.length * endings.length > MAX_WORDS) throw tooMany();
    words = words.flatMap((word) => endings.map((ending) => [...word, ...ending]));
  }
  return words;
}

function partsOf(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  let text = "";
  for (const token of tokens) {
    if (typeof token === "string") {
      text += token;
      continue;
    }
    if (text !== "") parts.push({ kind: "text", text });
    text = "";
    parts.push(token);
  }
  if (text !== "") parts.push({ kind: "text", text });
  return parts;
}

/** The words that the braces of a word make; undefined where there are none. Throws an Error for far too many. */
export function bracesOf(parts: readonly Part[]): Part[][] | undefined {
  if (!parts.some((part) => part.kind === "text" && part.text.includes("{"))) return undefined;
  const tokens = tokensOf(parts);
  const ends = pairs(tokens);
  if (ends.size === 0) return undefined;
  const nodes = nodesOf(tokens, 0, tokens.length, ends, false);
  if (!nodes.some((node) => typeof node === "object" && "alternatives" in node)) return undefined;
  return expand(nodes).map(partsOf);
}

/** `$.braces(text)`: the texts that braces make of a text, in which a backslash takes the meaning of the next character. */
export function expandBraces(text: string): string[] {
  const parts: Part[] = [];
  let literal = "";
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\" && i + 1 < text.length && "{},\\".includes(text[i + 1]!)) {
      if (literal !== "") parts.push({ kind: "text", text: literal });
      literal = "";
      parts.push({ kind: "quoted", text: text[++i]! });
    } else {
      literal += text[i];
    }
  }
  if (literal !== "") parts.push({ kind: "text", text: literal });
  const words = bracesOf(parts) ?? [parts];
  return words.map((word) => word.map((part) => (part as { text: string }).text).join(""));
}
