// Bun.markdown (https://bun.com/docs/runtime/markdown): Markdown as HTML, through functions of a program, and as React
// elements.
import { bytesOf, blobBytes, invalidType } from "bun/util";

const ops = native("bun");

const TABLES = 1;
const STRIKETHROUGH = 2;
const TASK_LISTS = 4;
const AUTOLINKS = 8;
const HEADING_IDS = 16;
const HEADING_LINKS = 32;
const TAG_FILTER = 64;
const HARD_BREAKS = 128;
const NO_HTML_SPANS = 256;
const WIKI_LINKS = 512;
const AUTOLINKS_WWW = 1024;
const AUTOLINKS_MAIL = 2048;

const UNDERLINE = 4096;
const MATH = 8192;
const COLLAPSE = 16384;
const PERMISSIVE_HEADINGS = 32768;
const NO_INDENTED_CODE = 65536;
const NO_HTML_BLOCKS = 131072;

/** The text of a document. A zero is an unknown character (CommonMark, 2.3). */
function textOf(text: unknown): string {
  const source = sourceOf(text);
  return source.includes("\0") ? source.replaceAll("\0", "\ufffd") : source;
}

function sourceOf(text: unknown): string {
  if (typeof text === "string") return text;
  const bytes = typeof text === "object" && text !== null ? (bytesOf(text) ?? blobBytes(text)) : undefined;
  if (bytes === undefined) throw invalidType("Expected a string or buffer to render");
  return new TextDecoder().decode(bytes);
}

interface HeadingOptions {
  ids?: unknown;
  autolink?: unknown;
}

/** Options by name; `headings` and `autolinks` may be objects with further ones. */
type Options = { [name: string]: unknown } | null | undefined;

function flagsOf(options: Options): number {
  let flags = TABLES | STRIKETHROUGH | TASK_LISTS;
  if (typeof options !== "object" || options === null) return flags;
  const set = (name: string, bit: number) => {
    if (options[name] !== undefined) flags = options[name] ? flags | bit : flags & ~bit;
  };
  set("tables", TABLES);
  set("strikethrough", STRIKETHROUGH);
  set("tasklists", TASK_LISTS);
  set("tagFilter", TAG_FILTER);
  set("hardSoftBreaks", HARD_BREAKS);
  set("noHtmlSpans", NO_HTML_SPANS);
  set("wikiLinks", WIKI_LINKS);
  set("underline", UNDERLINE);
  set("latexMath", MATH);
  set("collapseWhitespace", COLLAPSE);
  set("permissiveAtxHeaders", PERMISSIVE_HEADINGS);
  set("noIndentedCodeBlocks", NO_INDENTED_CODE);
  set("noHtmlBlocks", NO_HTML_BLOCKS);
  const { autolinks, headings } = options;
  if (autolinks === true) {
    flags |= AUTOLINKS | AUTOLINKS_WWW | AUTOLINKS_MAIL;
  } else if (typeof autolinks === "object" && autolinks !== null) {
    const { url, www, email } = autolinks as { url?: unknown; www?: unknown; email?: unknown };
    if (url) flags |= AUTOLINKS;
    if (www) flags |= AUTOLINKS_WWW;
    if (email) flags |= AUTOLINKS_MAIL;
  }
  if (headings === true) flags |= HEADING_IDS | HEADING_LINKS;
  else if (typeof headings === "object" && headings !== null) {
    if ((headings as HeadingOptions).ids) flags |= HEADING_IDS;
    if ((headings as HeadingOptions).ids && (headings as HeadingOptions).autolink) flags |= HEADING_LINKS;
  }
  return flags;
}

/** An element, or text, of a document. */
export interface Item {
  name: string;
  details: string[];
  children: (Item | string)[];
  /** Of list items: whether the task is done. */
  checked?: boolean;
  /** Of the text of HTML: it is not to be shown as text. */
  raw?: boolean;
}

/** How many details follow the name of an element in the outline. */
const detailCounts: Record<string, number> = {
  heading: 2,
  list: 1,
  code: 1,
  link: 2,
  image: 2,
  wikilink: 1,
  th: 1,
  td: 1,
};

function treeOf(text: string, flags: number): Item {
  const root: Item = { name: "", details: [], children: [] };
  const open = [root];
  const outline: string[] = ops.markdownOutline(text, flags);
  for (let i = 0; i < outline.length; i++) {
    const entry = outline[i]!;
    const top = open.at(-1)!;
    switch (entry[0]) {
      case "+": {
        const name = entry.slice(1);
        const count = detailCounts[name] ?? 0;
        const item = { name, details: outline.slice(i + 1, i + 1 + count), children: [] };
        i += count;
        top.children.push(item);
        open.push(item);
        break;
      }
      case "-":
        open.pop();
        break;
      case "t":
        top.children.push(entry.slice(1));
        break;
      case "h":
        top.children.push({ name: "raw", details: [], children: [entry.slice(1)], raw: true });
        break;
      case "b":
        top.children.push({ name: "br", details: [], children: [] });
        break;
      case "s":
        top.children.push("\n");
        break;
      case "r":
        top.children.push({ name: "hr", details: [], children: [] });
        break;
      case "x":
      case "o":
        open.findLast((item) => item.name === "listItem")!.checked = entry === "x";
    }
  }
  return root;
}

/** What a callback gets besides the content. */
function metaOf(item: Item, depth: number, index: number, list: Item | undefined) {
  const [first, second] = item.details;
  switch (item.name) {
    case "heading":
      return second === "" ? { level: Number(first) } : { level: Number(first), id: second };
    case "code":
      return first === "" ? undefined : { language: first };
    case "link":
      return second === "" ? { href: first } : { href: first, title: second };
    case "image":
      return second === "" ? { src: first } : { src: first, title: second };
    case "th":
    case "td":
      return first === "" ? {} : { align: first };
    case "list":
      return first === ""
        ? { ordered: false, start: undefined, depth }
        : { ordered: true, start: Number(first), depth };
    case "listItem": {
      const start = list?.details[0] ?? "";
      const ordered = start !== "";
      return { index, depth, ordered, start: ordered ? Number(start) : undefined, checked: item.checked };
    }
  }
  return undefined;
}

/** Functions of a program by the names of elements; "text" for text. */
type Callbacks = { [name: string]: ((content: string, details?: unknown) => unknown) | undefined };

function rendered(
  item: Item | string,
  callbacks: Callbacks,
  depth: number,
  index: number,
  list: Item | undefined,
): string {
  if (typeof item === "string") {
    if (item === "\n") return item;
    return typeof callbacks.text === "function" ? text(callbacks.text(item)) : item;
  }
  if (item.name === "br") return "\n";
  const inner = item.name === "list" ? depth + 1 : depth;
  let content = "";
  let count = 0;
  for (const child of item.children) {
    const number = typeof child === "object" && child.name === "listItem" ? count++ : 0;
    content += rendered(child, callbacks, inner, number, item);
  }
  const callback = callbacks[item.name];
  if (item.name === "raw" || item.name === "wikilink" || item.name === "" || typeof callback !== "function")
    return content;
  const level = item.name === "listItem" ? depth - 1 : depth;
  return text(callback(content, metaOf(item, level, index, list)));
}

/** What a callback has given: nothing where it gave null or undefined. */
function text(value: unknown): string {
  return value === null || value === undefined ? "" : `${value}`;
}

const tags: Record<string, string> = {
  paragraph: "p",
  blockquote: "blockquote",
  list: "ul",
  listItem: "li",
  table: "table",
  thead: "thead",
  tbody: "tbody",
  tr: "tr",
  th: "th",
  td: "td",
  strong: "strong",
  emphasis: "em",
  link: "a",
  wikilink: "a",
  image: "img",
  codespan: "code",
  strikethrough: "del",
  hr: "hr",
  br: "br",
  code: "pre",
};

/** The marks of elements: of React 19, or before. */
const modern = Symbol.for("react.transitional.element");
const legacy = Symbol.for("react.element");

function element(
  item: Item | string,
  components: { [tag: string]: unknown } | null | undefined,
  mark: symbol,
  key: number,
) {
  if (typeof item === "string") return item;
  if (item.name === "raw" || item.name === "html")
    return item.children.map((child) => (typeof child === "string" ? child : child.children.join(""))).join("");
  let children = item.children.map((child, index) => element(child, components, mark, index));
  let tag = tags[item.name] ?? "span";
  const props: { [key: string]: unknown } = {};
  const [first, second] = item.details;
  switch (item.name) {
    case "heading":
      tag = `h${first}`;
      if (second !== "") props.id = second;
      break;
    case "list":
      if (first !== "") {
        tag = "ol";
        props.start = Number(first);
      }
      break;
    case "code":
      if (first !== "") props.language = first;
      break;
    case "link":
      props.href = first;
      if (second !== "") props.title = second;
      break;
    case "wikilink":
      props.target = first;
      break;
    case "image":
      props.src = first;
      props.alt = item.children.filter((child) => typeof child === "string").join("");
      if (second !== "") props.title = second;
      children = [];
      break;
    case "th":
    case "td":
      if (first !== "") props.align = first;
      break;
    case "listItem":
      if (item.checked !== undefined) props.checked = item.checked;
  }
  if (children.length > 0) props.children = children;
  return { $$typeof: mark, type: components?.[tag] ?? tag, key: `${key}`, ref: null, props };
}

/** Whether the terminal says so: its last colour in COLORFGBG is that of the background. */
function hasLightBackground(): boolean {
  const background = process.env.COLORFGBG?.split(";").at(-1);
  return background === "7" || background === "15";
}

export const markdown = {
  /**
   * HTML of a text.
   * @param options `tables`, `strikethrough`, `tasklists` (all true), `autolinks`, `headings` (true, or `{ ids, autolink }`),
   *   `tagFilter`, `hardSoftBreaks`, `wikiLinks`, `underline`, `latexMath`, `collapseWhitespace`, `permissiveAtxHeaders`,
   *   `noIndentedCodeBlocks`, `noHtmlBlocks`, `noHtmlSpans`
   */
  html(text?: unknown, options?: Options): string {
    return ops.markdownHtml(textOf(text), flagsOf(options));
  },

  /** The text that `callbacks` make of each element: each gets its content and what else there is to know. */
  render(text?: unknown, callbacks?: Callbacks | null, options?: Options): string {
    const source = textOf(text);
    const flags = flagsOf(options ?? callbacks);
    return rendered(treeOf(source, flags), callbacks ?? {}, 0, 0, undefined);
  },

  /** A fragment of React elements; `components` replace tags. */
  react(text?: unknown, components?: { [tag: string]: unknown } | null, options?: Options) {
    const tree = treeOf(textOf(text), flagsOf(options));
    const mark = options?.reactVersion !== undefined && Number(options.reactVersion) < 19 ? legacy : modern;
    const children = tree.children.map((child, index) => element(child, components, mark, index));
    return { $$typeof: mark, type: Symbol.for("react.fragment"), key: null, ref: null, props: { children } };
  },

  /**
   * Text for a terminal.
   * @param theme `colors` (true), `hyperlinks`, `light` (what COLORFGBG says), `columns` (80; 0 for no wrapping),
   *   `kittyGraphics`
   */
  ansi(text?: unknown, theme?: unknown): string {
    const source = textOf(text);
    const given = (typeof theme === "object" && theme !== null ? theme : {}) as Record<string, unknown>;
    const { colors, hyperlinks, light, columns, kittyGraphics } = given;
    const document = treeOf(
      source,
      TABLES | STRIKETHROUGH | TASK_LISTS | WIKI_LINKS | AUTOLINKS | AUTOLINKS_WWW | AUTOLINKS_MAIL,
    );
    return require("internal/bun/markdown_ansi").renderAnsi(document, {
      colors: colors === undefined || Boolean(colors),
      hyperlinks: Boolean(hyperlinks),
      light: light === undefined ? hasLightBackground() : Boolean(light),
      columns: typeof columns === "number" && columns >= 0 ? Math.trunc(columns) : 80,
      kittyGraphics: Boolean(kittyGraphics),
    });
  },
};
