// Bun.XML: documents as objects and back. An element is its text; or an object with "@name" for attributes, "#text" for
// text, and the names of its elements, several of one name as an array. https://www.w3.org/TR/xml/
import { Doctype } from "internal/bun/xml_doctype";
import { bytesOf, blobBytes, invalidType, notImplemented } from "bun/util";

const nameStart =
  "A-Za-z_:\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f" +
  "\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";
const namePattern = `[${nameStart}][${nameStart}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040]*`;
const wholeName = new RegExp(`^${namePattern}$`, "u");
const entities: Record<string, string> = { __proto__: null as never, lt: "<", gt: ">", amp: "&", apos: "'", quot: '"' };

/** An element that is being read. */
interface Element {
  /** Its attributes and elements. */
  object: { [key: string]: unknown };
  text: string;
  isObject: boolean;
}

function syntaxError(message: string): SyntaxError {
  return new SyntaxError(`XML Parse error: ${message}`);
}

class Parser {
  #text: string;
  #at = 0;
  #name = new RegExp(namePattern, "uy");
  #doctype: Doctype | undefined;

  constructor(text: string) {
    this.#text = text
      .replace(/^\ufeff/, "")
      .replaceAll("\r\n", "\n")
      .replaceAll("\r", "\n");
  }

  #skipSpace(): void {
    while (/[ \t\n]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  /** What comes next, for messages. */
  get #next(): string {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    if (rest === "") return "end of file";
    return `'${/^(?:\/?>|[^\s<>/="']+|.)/s.exec(rest)![0]}'`;
  }

  #readName(what: string): string {
    this.#name.lastIndex = this.#at;
    const found = this.#name.exec(this.#text);
    if (found === null) throw syntaxError(`Expected ${what} but found ${this.#next}`);
    this.#at = this.#name.lastIndex;
    return found[0];
  }

  #skipPast(end: string, what: string): string {
    const stop = this.#text.indexOf(end, this.#at);
    if (stop < 0) throw syntaxError(`Unterminated ${what}`);
    const body = this.#text.slice(this.#at, stop);
    this.#at = stop + end.length;
    return body;
  }

  /** Skips space, comments, processing instructions and a document type. */
  #skipMisc(): void {
    for (;;) {
      this.#skipSpace();
      const text = this.#text;
      if (text.startsWith("<!--", this.#at)) {
        this.#at += 4;
        this.#skipPast("-->", "comment");
      } else if (text.startsWith("<?", this.#at)) {
        this.#skipPast("?>", "processing instruction");
      } else if (text.startsWith("<!DOCTYPE", this.#at)) {
        this.#skipDoctype();
      } else {
        return;
      }
    }
  }

  #skipDoctype(): void {
    let inside = 0;
    let subset = -1;
    for (; this.#at < this.#text.length; this.#at++) {
      const c = this.#text[this.#at]!;
      if (c === '"' || c === "'") {
        this.#at++;
        this.#skipPast(c, "string");
        this.#at--;
      } else if (this.#text.startsWith("<!--", this.#at)) {
        this.#at += 4;
        this.#skipPast("-->", "comment");
        this.#at--;
      } else if (c === "[") {
        if (inside++ === 0) subset = this.#at + 1;
      } else if (c === "]") {
        if (--inside === 0)
          this.#doctype = new Doctype(this.#text.slice(subset, this.#at), this.#text.length, syntaxError);
      } else if (c === ">" && inside === 0) {
        this.#text = this.#doctype?.replaceText(this.#text.slice(this.#at + 1)) ?? this.#text.slice(this.#at + 1);
        this.#at = 0;
        return;
      }
    }
    throw syntaxError("Unterminated document type");
  }

  #decode(text: string): string {
    if (!text.includes("&")) return text;
    return text.replace(/&(?:#x([0-9a-fA-F]+);|#([0-9]+);|([^;&\s]*);|)/g, (_, hex, decimal, name) => {
      if (name !== undefined) {
        const value = entities[name];
        if (value !== undefined) return value;
        switch (this.#doctype?.kindOf(name)) {
          case "internal":
            return this.#inAttribute(this.#doctype!.expand(name));
          case "external":
            return `&${name};`;
        }
        throw syntaxError(`Entity '${name}' is not declared`);
      }
      const code = hex !== undefined ? parseInt(hex, 16) : decimal !== undefined ? parseInt(decimal, 10) : -1;
      if (code < 0) throw syntaxError("Expected an entity after '&'");
      if (
        code > 0x10ffff ||
        (code < 0x20 && code !== 9 && code !== 10 && code !== 13) ||
        (code >= 0xd800 && code < 0xe000)
      ) {
        throw syntaxError("Invalid character reference");
      }
      return String.fromCodePoint(code);
    });
  }

  /** The text of an entity in the value of an attribute. */
  #inAttribute(text: string): string {
    if (text.includes("<")) throw syntaxError("'<' is not allowed in attribute values");
    return this.#decode(text.replace(/[\t\n]/g, " "));
  }

  document(): unknown {
    this.#skipMisc();
    if (this.#at >= this.#text.length) throw syntaxError("XML document must have a root element");
    if (this.#text[this.#at] !== "<") throw syntaxError(`Expected the root element but found ${this.#next}`);
    const [name, value] = this.#element();
    this.#skipMisc();
    if (this.#text[this.#at] === "<") throw syntaxError("Only one root element is allowed");
    if (this.#at < this.#text.length) throw syntaxError(`Expected end of file but found ${this.#next}`);
    return own({}, name, value);
  }

  /** The element whose `<` is next: its name and value. Elements in it are read in a loop, however deep they are. */
  #element(): [string, unknown] {
    const open: (Element & { name: string })[] = [];
    for (;;) {
      this.#at++;
      const name = this.#readName("an element name");
      const object: { [key: string]: unknown } = {};
      let isObject = false;
      for (;;) {
        const before = this.#at;
        this.#skipSpace();
        const c = this.#text[this.#at];
        if (c === ">" || (c === "/" && this.#text[this.#at + 1] === ">")) break;
        if (before === this.#at) throw syntaxError(`Expected '>' but found ${this.#next}`);
        const key = `@${this.#readName("an attribute name")}`;
        this.#skipSpace();
        if (this.#text[this.#at] !== "=")
          throw syntaxError(`Expected '=' after the attribute name but found ${this.#next}`);
        this.#at++;
        this.#skipSpace();
        const quote = this.#text[this.#at];
        if (quote !== '"' && quote !== "'")
          throw syntaxError(`Expected a quoted attribute value but found ${this.#next}`);
        this.#at++;
        const value = this.#skipPast(quote, "attribute value");
        if (value.includes("<")) throw syntaxError("'<' is not allowed in an attribute value");
        if (Object.hasOwn(object, key)) throw syntaxError(`Duplicate attribute '${key.slice(1)}'`);
        own(object, key, this.#decode(value.replace(/[\t\n]/g, " ")));
        isObject = true;
      }
      for (const [key, value] of this.#doctype?.attributes.get(name) ?? []) {
        if (Object.hasOwn(object, `@${key}`)) continue;
        own(object, `@${key}`, this.#decode(value));
        isObject = true;
      }
      const element = { name, object, text: "", isObject };
      const isEmpty = this.#text[this.#at] === "/";
      this.#at += isEmpty ? 2 : 1;
      let closed: typeof element | undefined = isEmpty ? element : undefined;
      if (!isEmpty) open.push(element);
      // Content, up to the next element in it; or ends of elements, with what stands between them.
      for (;;) {
        if (closed !== undefined) {
          const value = valueOf(closed);
          const parent = open.at(-1);
          if (parent === undefined) return [closed.name, value];
          parent.isObject = true;
          add(parent.object, closed.name, value);
          closed = undefined;
        }
        const current = open.at(-1)!;
        const less = this.#text.indexOf("<", this.#at);
        if (less < 0) throw syntaxError(`Missing closing tag for element '${current.name}'`);
        current.text += this.#decode(this.#text.slice(this.#at, less));
        this.#at = less;
        if (this.#text.startsWith("<!--", less)) {
          this.#at += 4;
          this.#skipPast("-->", "comment");
        } else if (this.#text.startsWith("<![CDATA[", less)) {
          this.#at += 9;
          current.text += this.#skipPast("]]>", "CDATA section");
        } else if (this.#text.startsWith("<?", less)) {
          this.#skipPast("?>", "processing instruction");
        } else if (this.#text[less + 1] === "/") {
          this.#at += 2;
          const end = this.#readName("an element name");
          if (end !== current.name) throw syntaxError(`Expected closing tag </${current.name}> but found </${end}>`);
          this.#skipSpace();
          if (this.#text[this.#at] !== ">") throw syntaxError(`Expected '>' but found ${this.#next}`);
          this.#at++;
          closed = open.pop();
        } else {
          break;
        }
      }
    }
  }
}

function own(object: { [key: string]: unknown }, key: string, value: unknown): unknown {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
  return object;
}

/** Adds an element; several of one name become an array. */
function add(object: { [key: string]: unknown }, name: string, value: unknown): void {
  if (!Object.hasOwn(object, name)) own(object, name, value);
  else if (Array.isArray(object[name])) object[name].push(value);
  else own(object, name, [object[name], value]);
}

function valueOf(element: Element): unknown {
  if (!element.isObject) return element.text;
  const { object, text } = element;
  if (text.trim() === "") return object;
  // Between the attributes and the elements.
  const all: { [key: string]: unknown } = {};
  const names = Object.keys(object);
  for (const name of names) if (name.startsWith("@")) own(all, name, object[name]);
  all["#text"] = text;
  for (const name of names) if (!name.startsWith("@")) own(all, name, object[name]);
  return all;
}

const escapeText = (text: string) => text.replace(/[&<>]/g, (c) => (c === "&" ? "&amp;" : c === "<" ? "&lt;" : "&gt;"));
const escapeAttribute = (text: string) =>
  escapeText(text).replace(/["\t\n\r]/g, (c) => (c === '"' ? "&quot;" : `&#${c.charCodeAt(0)};`));

function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

function write(name: string, value: unknown, indent: string, gap: string, above: object[]): string {
  if (!wholeName.test(name)) throw new Error(`XML.stringify: '${name}' is not a valid XML element name`);
  if (typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === "function")
    value = (value as { toJSON(): unknown }).toJSON();
  if (value === null || value === "" || isAbsent(value)) return `<${name}/>`;
  if (typeof value !== "object") return `<${name}>${escapeText(`${value}`)}</${name}>`;
  if (above.includes(value)) throw new Error("Converting circular structure to XML");
  above.push(value);
  let attributes = "";
  let text = "";
  const children: string[] = [];
  for (const key of Object.keys(value)) {
    const item = (value as { [key: string]: unknown })[key];
    if (isAbsent(item)) continue;
    if (key.startsWith("@")) attributes += ` ${key.slice(1)}="${escapeAttribute(`${item ?? ""}`)}"`;
    else if (key === "#text") text = escapeText(`${item}`);
    else
      for (const one of Array.isArray(item) ? item : [item])
        children.push(write(key, one, indent, gap + indent, above));
  }
  above.pop();
  if (children.length === 0) return text === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${text}</${name}>`;
  if (indent === "" || text !== "") return `<${name}${attributes}>${text}${children.join("")}</${name}>`;
  const inner = `\n${gap}${indent}`;
  return `<${name}${attributes}>${inner}${children.join(inner)}\n${gap}</${name}>`;
}

type Tree = { [name: string]: unknown };

export const XML = {
  /** The value of a document; throws a SyntaxError. */
  parse(text?: unknown): unknown {
    if (text === undefined || text === null)
      throw invalidType("input must be a string, ArrayBuffer, ArrayBufferView or Blob");
    const bytes = typeof text === "object" ? (bytesOf(text) ?? blobBytes(text)) : undefined;
    return new Parser(bytes === undefined ? `${text}` : new TextDecoder().decode(bytes)).document();
  },

  /** The document of an object with one name, that of the root element; with `space` in lines. */
  stringify(value?: unknown, replacer?: unknown, space?: unknown): string | undefined {
    if (replacer !== undefined && replacer !== null)
      throw new Error("XML.stringify does not support the replacer argument");
    if (value === undefined) return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error(
        "XML.stringify expects an object: a { name, attributes, children } node or an object with a single root element key",
      );
    }
    if (typeof (value as Tree).name === "string" && Array.isArray((value as Tree).children))
      throw notImplemented("XML.stringify with nodes");
    const names = Object.keys(value).filter((key) => !isAbsent((value as Tree)[key]));
    if (names.length === 0)
      throw new Error("XML.stringify: the top-level object must have one key naming the root element");
    if (names.length > 1) {
      throw new Error(
        "XML.stringify: an XML document has exactly one root element, but the top-level object has more than one key",
      );
    }
    const [name] = names as [string];
    if (Array.isArray((value as Tree)[name])) {
      throw new Error(
        `XML.stringify: the root element '${name}' cannot be an array (an XML document has exactly one root element)`,
      );
    }
    const indent =
      typeof space === "number"
        ? " ".repeat(Math.max(0, Math.min(10, Math.trunc(space))))
        : `${space ?? ""}`.slice(0, 10);
    return write(name, (value as Tree)[name], indent, "", []);
  },
};
