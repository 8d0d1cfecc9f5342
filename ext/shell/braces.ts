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

/** The tokens from `start` to `end` as nodes. A group without a comma is text, as in bash; groups within it are not. */
function nodesOf(tokens: readonly Token[], start: number, end: number, ends: Map<number, number>): Node[] {
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
    if (commas.length === 0) {
      for (const node of ["{", ...nodesOf(tokens, i + 1, close, ends), "}"]) nodes.push(node);
    } else {
      const alternatives: Node[][] = [];
      let from = i + 1;
      for (const comma of [...commas, close]) {
        alternatives.push(nodesOf(tokens, from, comma, ends));
        from = comma + 1;
      }
      nodes.push({ alternatives });
    }
    i = close;
  }
  return nodes;
}

function isGroup(node: Node): node is { alternatives: Node[][] } {
  return typeof node === "object" && "alternatives" in node;
}

function expand(nodes: readonly Node[]): Token[][] {
  let words: Token[][] = [[]];
  for (const node of nodes) {
    if (!isGroup(node)) {
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

/** The nodes of a word that has braces; undefined where there are none. */
function groupsOf(parts: readonly Part[]): Node[] | undefined {
  if (!parts.some((part) => part.kind === "text" && part.text.includes("{"))) return undefined;
  const tokens = tokensOf(parts);
  const ends = pairs(tokens);
  if (ends.size === 0) return undefined;
  const nodes = nodesOf(tokens, 0, tokens.length, ends);
  return nodes.some(isGroup) ? nodes : undefined;
}

/** The words that the braces of a word make; undefined where there are none. Throws an Error for far too many. */
export function bracesOf(parts: readonly Part[]): Part[][] | undefined {
  const nodes = groupsOf(parts);
  return nodes && expand(nodes).map(partsOf);
}

/** A text as parts: a backslash takes the meaning of the next character. */
function literalParts(text: string): Part[] {
  const parts: Part[] = [];
  let literal = "";
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\" && i + 1 < text.length) {
      if (literal !== "") parts.push({ kind: "text", text: literal });
      literal = "";
      parts.push({ kind: "quoted", text: text[++i]! });
    } else {
      literal += text[i];
    }
  }
  if (literal !== "") parts.push({ kind: "text", text: literal });
  return parts;
}

const textOfToken = (token: Token): string => (typeof token === "string" ? token : (token as { text: string }).text);

/** `$.braces(text)`: the texts that braces make of a text; the text itself if there are none. */
export function expandBraces(text: string): string[] {
  const nodes = groupsOf(literalParts(text));
  return nodes ? expand(nodes).map((word) => word.map(textOfToken).join("")) : [text];
}

/** Nodes with the tokens between groups joined to texts. */
function pieces(nodes: readonly Node[]): (string | { alternatives: Node[][] })[] {
  const found: (string | { alternatives: Node[][] })[] = [];
  for (const node of nodes) {
    const last = found.at(-1);
    if (isGroup(node)) found.push(node);
    else if (typeof last === "string") found[found.length - 1] = last + textOfToken(node);
    else found.push(textOfToken(node));
  }
  return found;
}

function nodesOfText(text: string): Node[] {
  const parts = literalParts(text);
  return groupsOf(parts) ?? tokensOf(parts);
}

/** `$.braces(text, { tokenize: true })`: JSON with the tokens of Bun's lexer. */
export function tokenizeBraces(text: string): string {
  const tokensOfNodes = (nodes: readonly Node[]): unknown[] =>
    pieces(nodes).flatMap((piece) => {
      if (typeof piece === "string") return [{ text: piece }];
      const inner = piece.alternatives.flatMap((nodes, i) => [...(i > 0 ? ["comma"] : []), ...tokensOfNodes(nodes)]);
      return [{ open: { idx: 0, end: 0 } }, ...inner, "close"];
    });
  return JSON.stringify([...tokensOfNodes(nodesOfText(text)), "eof"]);
}

/** `$.braces(text, { parse: true })`: JSON with the tree of Bun's parser. */
export function parseBraces(text: string): string {
  const tree = (nodes: readonly Node[]): object => {
    const atoms = pieces(nodes).map((piece) =>
      typeof piece === "string" ? { text: piece } : { expansion: { variants: piece.alternatives.map(tree) } },
    );
    const all = atoms.length === 1 ? { single: atoms[0] } : { many: atoms };
    return { bubble_up: null, bubble_up_next: null, atoms: all };
  };
  return JSON.stringify(tree(nodesOfText(text)));
}
