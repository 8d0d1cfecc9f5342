/** `Bun.markdown.ansi`: a document as text for a terminal, in the form that Bun gives it. */

import { highlight } from "internal/bun/markdown_code";
import { splitAnsi } from "bun/ansi";
import type { Item } from "bun/markdown";

/** Options, completed. */
interface Theme {
  colors: boolean;
  hyperlinks: boolean;
  /** The background of the terminal is light. */
  light: boolean;
  /** Columns to wrap at; 0 for no wrapping. */
  columns: number;
  /** Images of files and data: URLs are shown, by the Kitty graphics protocol. */
  kittyGraphics: boolean;
}

const RESET = "\x1b[0m";
const BOLD = "\x1b[1m";
const DIM = "\x1b[2m";
const ITALIC = "\x1b[3m";
const QUOTE = "\x1b[38;5;242m";
/** Of headings by their level. */
const headingColors = [35, 36, 33, 32, 34, 37];
/** The longest rule. */
const RULE = 60;
/** The shortest underline of a heading and the narrowest column of a table. */
const LEAST = 3;

const blocks = new Set("paragraph heading blockquote list listItem code html hr table thead tbody tr th td".split(" "));
const isBlock = (item: Item | string): item is Item => typeof item === "object" && blocks.has(item.name);

/** A space at which no line ends: between a link and its address. A noncharacter of Unicode. */
const TIED = "\ufdd0";
/** Stands in a word where a line may end. */
const PART = "\u{e002}";

/** The rest of a word that is longer is not measured for each line. */
const MEASURED = 4096;

/** An image, until its line is complete: what shows it has no width. Another noncharacter. */
const IMAGE = "\ufdd1";
/** Most characters of data in one command of the protocol. */
const KITTY_CHUNK = 4096;

/**
 * The commands that show a PNG file of this machine, or one in a data: URL; undefined for others.
 * https://sw.kovidgoyal.net/kitty/graphics-protocol/
 */
function kittyImage(target: string): string | undefined {
  const data = /^data:image\/png;base64,([A-Za-z0-9+/]*={0,2})$/.exec(target)?.[1];
  const command = (keys: string, payload: string) => `\x1b_G${keys};${payload}\x1b\\`;
  if (data !== undefined) {
    const chunks = data.match(new RegExp(`.{1,${KITTY_CHUNK}}`, "g")) ?? [];
    if (chunks.length <= 1) return command("a=T,t=d,f=100,q=2", data);
    const last = chunks.length - 1;
    const keysOf = (at: number) => (at === 0 ? "a=T,t=d,f=100,q=2,m=1" : `m=${at === last ? 0 : 1}`);
    return chunks.map((chunk, at) => command(keysOf(at), chunk)).join("");
  }
  try {
    const { fileURLToPath } = require("node:url");
    const isFile = target.startsWith("file://");
    if (!isFile && /^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
    const path = isFile ? fileURLToPath(target) : require("node:path").resolve(decodeURIComponent(target));
    if (!require("node:fs").statSync(path).isFile()) return undefined;
    return command("a=T,t=f,f=100,q=2", require("node:buffer").Buffer.from(path).toString("base64"));
  } catch {
    // No such file, or no such name.
    return undefined;
  }
}

/** What stands at the beginning of each line of a block: bars of quotes, and spaces of lists. */
type Prefix = ("|" | number)[];

class Renderer {
  output = "";
  readonly #theme: Theme;
  /** What has to be switched on again when something inside has ended: the style of the heading, then those of its parts. */
  #heading = "";
  readonly #open: string[] = [];
  /** Images of the block that is being made, in their order. */
  #images: string[] = [];
  /** Whether a part is made that has to stay on one line. */
  #isOneLine = false;
  /** The marker of a list item, which stands on its first line instead of spaces. */
  #marker = "";

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  #style(sequence: string): string {
    return this.#theme.colors ? sequence : "";
  }

  /** The fancy form of a sign, or its form in ASCII. */
  #sign(fancy: string, plain: string): string {
    return this.#theme.colors ? fancy : plain;
  }

  #prefix(prefix: Prefix, isBlank = false): string {
    let text = "";
    const bar = this.#sign("│ ", "| ");
    for (let at = 0; at < prefix.length;) {
      const part = prefix[at]!;
      if (typeof part === "number") {
        text += " ".repeat(part);
        at++;
        continue;
      }
      let bars = "";
      while (prefix[at] === "|") {
        bars += bar;
        at++;
      }
      if (isBlank && !prefix.slice(at).includes("|"))
        return `${text}${this.#style(QUOTE)}${bars.trimEnd()}${this.#style("\x1b[39m")}`;
      text += `${this.#style(QUOTE)}${bars}${this.#style("\x1b[39m")}`;
    }
    return isBlank ? text.trimEnd() : text;
  }

  #width(prefix: Prefix): number {
    return prefix.reduce<number>((sum, part) => sum + (part === "|" ? 2 : part), 0);
  }

  /** Takes the marker for a first line: what stands before it there. */
  #firstPrefix(prefix: Prefix): string {
    if (this.#marker === "") return this.#prefix(prefix);
    const text = this.#prefix(prefix.slice(0, -1)) + this.#marker;
    this.#marker = "";
    return text;
  }

  #line(prefix: Prefix, text: string): void {
    this.output += `${this.#firstPrefix(prefix)}${text}\n`;
  }

  /**
   * Words in lines that are not too long; a word may also be parted where it says so. A word that is longer than a line begins where
   * the one before ends, what is one piece (code, a link's address) on a line of its own.
   */
  #wrap(text: string, room: number): string[] {
    const untied = (line: string) => tidy(line).replaceAll(IMAGE, () => this.#images.shift() ?? "");
    if (this.#theme.columns === 0) return untied(text).split("\n");
    const lines: string[] = [];
    let line = "";
    let width = 0;
    const end = () => {
      lines.push(line);
      line = "";
      width = 0;
    };
    const add = (part: string, isWord: boolean, isSpaced: boolean) => {
      let length = Bun.stringWidth(part);
      if (width + Number(isSpaced) + length > room) {
        if (length <= room || !isWord) {
          if (width > 0) end();
        } else if (isSpaced) {
          line += " ";
          width++;
        }
        while (width + length > room) {
          // A wide character stands also in a line that is too short for it.
          const [head, rest] = splitAnsi(part, width === 0 ? Math.max(room, 2) : Math.max(0, room - width));
          line += head;
          part = rest;
          length = part.length > MEASURED ? length - Bun.stringWidth(head) : Bun.stringWidth(part);
          end();
        }
      } else if (isSpaced) {
        line += " ";
        width++;
      }
      line += part;
      width += length;
    };
    for (const paragraph of text.split("\n")) {
      for (const word of paragraph.split(" ")) {
        let isSpaced = width > 0;
        const [first, ...rest] = word.split(PART);
        // It is parted only if not all of it fits in a line.
        const whole = Bun.stringWidth(word.replaceAll(PART, ""));
        if (rest.length > 0 && width > 0 && width + 1 + whole > room && whole <= room) {
          end();
          isSpaced = false;
        }
        if (first !== "" || rest.length === 0) {
          add(first!, true, isSpaced);
          isSpaced = false;
        }
        for (const part of rest) {
          if (part === "") continue;
          add(part, false, isSpaced && width > 0);
          isSpaced = false;
        }
      }
      end();
    }
    return lines.map(untied);
  }

  // ------------------------------------------------------------------------------------------------ parts of lines

  /** Switches a style on, and off again behind the content. */
  #span(item: Item, on: string, off: string): string {
    this.#open.push(on);
    const content = this.#inline(item.children);
    this.#open.pop();
    return this.#style(on) + content + this.#style(off + this.#heading);
  }

  #again(): string {
    return this.#style(this.#heading + this.#open.join(""));
  }

  #linked(href: string, text: string): string {
    return `\x1b]8;;${href.replaceAll(" ", TIED)}\x1b\\${text}\x1b]8;;\x1b\\`;
  }

  #link(item: Item): string {
    const href = item.details[0]!;
    const style = "\x1b[34m\x1b[4m";
    this.#open.push(style);
    const content = this.#style(style) + this.#inline(item.children) + this.#style("\x1b[24m\x1b[39m");
    this.#open.pop();
    if (this.#theme.hyperlinks && this.#theme.colors) return this.#linked(href, content) + this.#again();
    return (
      `${content}${this.#again()}${this.#style(DIM)}${TIED}(${PART}${href}${this.#style(DIM)})` +
      this.#style("\x1b[39m\x1b[22m") +
      this.#again()
    );
  }

  #image(item: Item): string {
    if (this.#theme.kittyGraphics && this.#theme.colors && !this.#isOneLine) {
      const shown = kittyImage(item.details[0]!);
      if (shown !== undefined) {
        this.#images.push(shown);
        return `${IMAGE}\n`;
      }
    }
    const text =
      this.#style("\x1b[35m") + this.#sign("📷 ", "[img] ") + (plainText(item) || "(image)") + this.#style(RESET);
    const { hyperlinks, colors } = this.#theme;
    return (hyperlinks && colors ? this.#linked(item.details[0]!, text) : text) + this.#again();
  }

  #inline(items: (Item | string)[]): string {
    let text = "";
    for (const item of items) {
      if (typeof item === "string") {
        text += item === "\n" ? " " : item;
        continue;
      }
      switch (item.name) {
        case "strong":
          text += this.#span(item, BOLD, "\x1b[22m");
          break;
        case "emphasis":
          text += this.#span(item, ITALIC, "\x1b[23m");
          break;
        case "strikethrough":
          text += this.#span(item, "\x1b[9m", "\x1b[29m");
          break;
        case "codespan": {
          const style = this.#theme.light ? "\x1b[48;5;254m\x1b[38;5;124m" : "\x1b[48;5;236m\x1b[38;5;215m";
          const code = plainText(item).replaceAll(" ", TIED);
          text += PART + this.#style(style) + code + this.#style("\x1b[39m\x1b[49m") + this.#again() + PART;
          break;
        }
        case "wikilink":
          text += `${this.#style("\x1b[34m")}[[${this.#inline(item.children)}]]${this.#style("\x1b[39m")}`;
          break;
        case "link":
          text += this.#link(item);
          break;
        case "image":
          text += this.#image(item);
          break;
        case "br":
          text += "\n";
          break;
        case "raw":
          text += this.#style(DIM) + plainText(item) + this.#style("\x1b[22m");
          break;
        default:
          text += this.#inline(item.children);
      }
    }
    return text;
  }

  /** Content of headings and cells, with its marks for wrapping: images are named there. */
  #single(item: Item): string {
    this.#isOneLine = true;
    const text = this.#inline(item.children);
    this.#isOneLine = false;
    return text;
  }

  // ------------------------------------------------------------------------------------------------ blocks

  #text(items: (Item | string)[], prefix: Prefix, end: string): void {
    const { columns } = this.#theme;
    const lines = this.#wrap(this.#inline(items), Math.max(1, columns - this.#width(prefix)));
    const last = lines.pop()!;
    for (const line of lines) this.#line(prefix, line);
    // Behind an image the line has ended already.
    if (last === "" && lines.length > 0) this.output += this.#firstPrefix(prefix) + this.#style(end);
    else this.#line(prefix, last + this.#style(end));
  }

  #headingBlock(item: Item, prefix: Prefix): void {
    const level = Number(item.details[0]);
    this.#heading = `${BOLD}\x1b[${headingColors[level - 1]}m`;
    const text = tidy(this.#single(item));
    const style = this.#style(this.#heading);
    this.#heading = "";
    this.#line(prefix, style + text + this.#style(RESET));
    if (level > 2) return;
    const { columns } = this.#theme;
    const width = Math.max(LEAST, Math.min(Bun.stringWidth(text), columns || Infinity));
    const rule = (level === 1 ? this.#sign("═", "=") : this.#sign("─", "-")).repeat(width);
    this.#line(prefix, this.#style(DIM) + rule + this.#style(RESET));
  }

  #code(item: Item, prefix: Prefix): void {
    const language = item.details[0]!;
    const start = this.#style(DIM) + this.#firstPrefix(prefix);
    const corner = this.#sign("┌─", "+-");
    this.output +=
      language === ""
        ? `${start}${this.#style(DIM)}${corner}${this.#style(RESET)}\n`
        : `${start}${corner} ${this.#style(RESET + DIM + ITALIC)}${language}${this.#style(RESET)}\n`;
    const source = plainText(item).replace(/\n$/, "");
    const lines = (this.#theme.colors ? highlight(source, language) : source).split("\n");
    for (const line of lines)
      this.#line(prefix, `${this.#style(DIM)}${this.#sign("│ ", "| ")}${this.#style(RESET)}${line}`);
    this.#line(prefix, this.#style(DIM) + this.#sign("└─", "+-") + this.#style(RESET));
  }

  #table(item: Item, prefix: Prefix): void {
    const rows = item.children.flatMap((part) => (typeof part === "object" ? part.children : [])) as Item[];
    const cells = rows.map((row) =>
      (row.children as Item[]).map((cell) => ({
        text: tidy(this.#single(cell)),
        align: cell.details[0],
        isHead: cell.name === "th",
      })),
    );
    const widths: number[] = [];
    for (const row of cells) {
      row.forEach(({ text }, at) => (widths[at] = Math.max(widths[at] ?? LEAST, Bun.stringWidth(tidy(text)))));
    }
    const { columns } = this.#theme;
    const isNarrow = columns > 0 && shrink(widths, columns - this.#width(prefix) - 3 * widths.length - 1);
    const [down, across] = [this.#sign("│", "|"), this.#sign("─", "-")];
    const border = (left: string, middle: string, right: string) => {
      const text = widths.map((width) => across.repeat(width + 2)).join(middle);
      this.#line(prefix, this.#style(DIM) + left + text + right + this.#style(RESET));
    };
    const bar = this.#style(DIM) + down + this.#style(RESET);
    border(this.#sign("┌", "+"), this.#sign("┬", "+"), this.#sign("┐", "+"));
    cells.forEach((row, number) => {
      const columnsOfLines = widths.map((width, at) => {
        const { text = "" } = row[at] ?? {};
        return isNarrow ? carryStyles(wrapCell(text, width)) : [{ style: "", text }];
      });
      const height = Math.max(1, ...columnsOfLines.map((lines) => lines.length));
      for (let at = 0; at < height; at++) {
        let line = bar;
        columnsOfLines.forEach((lines, column) => {
          const { align = "", isHead = false } = row[column] ?? {};
          const { style, text } = lines[at] ?? { style: "", text: "" };
          // Characters that join to wider ones when they are beside each other may take more than they did alone.
          const space = Math.max(0, widths[column]! - Bun.stringWidth(text));
          const left = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
          const content = style + " ".repeat(left) + text;
          line += ` ${isHead ? this.#style(BOLD) + content + this.#style(RESET) : content}${" ".repeat(space - left)} ${bar}`;
        });
        this.#line(prefix, line);
      }
      if (number === 0 && cells.length > 1) border(this.#sign("├", "+"), this.#sign("┼", "+"), this.#sign("┤", "+"));
    });
    border(this.#sign("└", "+"), this.#sign("┴", "+"), this.#sign("┘", "+"));
  }

  #list(item: Item, prefix: Prefix): void {
    const start = item.details[0]!;
    let number = Number(start);
    for (const child of item.children) {
      if (typeof child === "string") continue;
      let sign: string;
      let style = "\x1b[36m";
      if (child.checked !== undefined) {
        sign = child.checked ? this.#sign("☒ ", "[x] ") : this.#sign("☐ ", "[ ] ");
        style = child.checked ? "\x1b[32m" : DIM;
      } else {
        sign = start === "" ? this.#sign("• ", "* ") : `${number++}. `;
      }
      const indent = start === "" ? 2 : 3;
      this.#marker = `${" ".repeat(indent)}${this.#style(style)}${sign}${this.#style(RESET)}`;
      this.blocks(child.children, [...prefix, indent + sign.length]);
      // An item without contents.
      if (this.#marker !== "") this.#line([...prefix, indent], "");
    }
  }

  /** The blocks of a container, with blank lines between them; text of tight lists stands among them. */
  blocks(items: (Item | string)[], prefix: Prefix): void {
    let isFirst = true;
    for (let at = 0; at < items.length; at++) {
      const item = items[at]!;
      if (!isBlock(item)) {
        const run: (Item | string)[] = [];
        while (at < items.length && !isBlock(items[at]!)) run.push(items[at++]!);
        at--;
        if (run.every((part) => part === "\n")) continue;
        this.#text(run, prefix, "");
        isFirst = false;
        continue;
      }
      if (!isFirst && item.name !== "list" && item.name !== "html") this.output += `${this.#prefix(prefix, true)}\n`;
      isFirst = false;
      switch (item.name) {
        case "heading":
          this.#headingBlock(item, prefix);
          break;
        case "paragraph":
          this.#text(item.children, prefix, RESET);
          break;
        case "blockquote":
          this.blocks(item.children, [...prefix, "|"]);
          break;
        case "list":
          this.#list(item, prefix);
          break;
        case "code":
          this.#code(item, prefix);
          break;
        case "html":
          for (const line of plainText(item).replace(/\n$/, "").split("\n")) {
            const end = `${this.#style("\x1b[22m" + DIM)}\n${this.#style("\x1b[22m")}`;
            this.output += `${this.#firstPrefix(prefix)}${this.#style(DIM)}${line}${end}`;
          }
          break;
        case "hr": {
          const { columns } = this.#theme;
          const rule = this.#sign("─", "-").repeat(Math.min(RULE, columns || RULE));
          this.#line(prefix, this.#style(DIM) + rule + this.#style(RESET));
          break;
        }
        case "table":
          this.#table(item, prefix);
          break;
        default:
          this.blocks(item.children, prefix);
      }
    }
  }
}

/** Text whose marks for wrapping have done what they are for. */
function tidy(text: string): string {
  return text.replaceAll(TIED, " ").replaceAll(PART, "");
}

/** Makes columns narrower until they fit, if they do not: those that take less than their share keep their width. */
function shrink(widths: number[], room: number): boolean {
  if (widths.reduce((sum, width) => sum + width, 0) <= room) return false;
  const wide = new Set(widths.keys());
  let rest = room;
  for (let hasChanged = true; hasChanged && wide.size > 0;) {
    const share = rest / wide.size;
    hasChanged = false;
    for (const at of wide) {
      if (widths[at]! > share) continue;
      wide.delete(at);
      rest -= widths[at]!;
      hasChanged = true;
    }
  }
  let left = wide.size;
  for (const at of wide) {
    const width = Math.max(LEAST, Math.floor(rest / left--));
    widths[at] = width;
    rest -= width;
  }
  return true;
}

/** Text up to a width, at least one character of it, and the rest; links are closed and opened again, styles are left as they are. */
function cut(text: string, room: number): [string, string] {
  if (text.includes("\x1b]")) {
    return splitAnsi(text, Math.max(room, 2));
  }
  let width = 0;
  let at = 0;
  // eslint-disable-next-line no-control-regex
  for (const [part] of text.matchAll(/\x1b\[[\d;]*m|[^]/gu)) {
    const more = part[0] === "\x1b" ? 0 : Bun.stringWidth(part);
    if (width > 0 && width + more > room) break;
    width += more;
    at += part.length;
  }
  return [text.slice(0, at), text.slice(at)];
}

/** The lines of a cell. As in Bun a word needs room for a space behind it, unless it is the last one; what is too long is broken. */
function wrapCell(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  // A link's address may have spaces.
  // eslint-disable-next-line no-control-regex
  const words = text.replace(/\x1b\]8;;[^\x1b]*/g, (link) => link.replaceAll(" ", TIED)).split(/[ \n]/);
  words.forEach((word, at) => {
    let length = Bun.stringWidth(word);
    if (width > 0 && width + 1 + length + Number(at < words.length - 1) > room) {
      lines.push(line);
      line = "";
      width = 0;
    } else if (width > 0) {
      line += " ";
      width++;
    }
    while (length > room) {
      const [head, tail] = cut(word, room);
      lines.push(head);
      word = tail;
      length = Bun.stringWidth(word);
    }
    line += word;
    width += length;
  });
  lines.push(line);
  return lines.map(tidy);
}

/** What switches each of these off. */
const OFF: Record<string, RegExp> = {
  "22": /^[12]$/,
  "23": /^3$/,
  "24": /^4$/,
  "29": /^9$/,
  "39": /^3[0-8]/,
  "49": /^4[0-8]/,
};

/** Lines of a cell, each of which begins with the styles that those before have left on, and ends with a reset if it leaves some. */
function carryStyles(lines: string[]): { style: string; text: string }[] {
  let open: string[] = [];
  return lines.map((text, number) => {
    // As in Bun the background comes last.
    const isBackground = (code: string) => Number(/^4[0-8]/.test(code));
    const order = open.toSorted((one, other) => isBackground(one) - isBackground(other));
    const style = order.map((code) => `\x1b[${code}m`).join("");
    // eslint-disable-next-line no-control-regex
    for (const [, code] of text.matchAll(/\x1b\[([\d;]*)m/g)) {
      const off = OFF[code!];
      if (code === "0") open = [];
      else if (off !== undefined) open = open.filter((other) => !off.test(other));
      else open.push(code!);
    }
    return { style, text: open.length > 0 && number < lines.length - 1 ? `${text}\x1b[0m` : text };
  });
}

/** The text of an element without marks. */
function plainText(item: Item): string {
  return item.children.map((child) => (typeof child === "string" ? child : plainText(child))).join("");
}

// eslint-disable-next-line no-control-regex
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
// eslint-disable-next-line no-control-regex
const sequences = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** Takes what a document says to the terminal out of it: control characters, of code whole sequences (as in Bun). */
function silence(item: Item, isCode = false): void {
  const silent = (text: string) => {
    if (text.search(controls) === -1) return text;
    return (isCode ? text.replaceAll(/\r\n?/g, "\n").replace(sequences, "") : text).replace(controls, "");
  };
  item.details = item.details.map(silent);
  item.children.forEach((child, at) => {
    if (typeof child === "string") item.children[at] = silent(child);
    else silence(child, isCode || child.name === "code" || child.name === "codespan");
  });
}

/** Renders a document. */
export function renderAnsi(document: Item, theme: Theme): string {
  silence(document);
  const renderer = new Renderer(theme);
  renderer.blocks(document.children, []);
  return renderer.output;
}
