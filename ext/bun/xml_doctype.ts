/**
 * The document type of XML (https://www.w3.org/TR/xml/#sec-prolog-dtd): entities that a document declares itself, and attributes
 * that have defaults. Nothing outside of the document is read: references to external entities stay as they are written.
 */

import { notImplemented } from "bun/util";

/** Characters that entities may stand for in any document, and how many times its length in a larger one. */
const FREE_EXPANSION = 1 << 20;
const MAX_AMPLIFICATION = 100;

/** What a document type declares. */
export class Doctype {
  /** Replacement texts by name; undefined for entities that are not in the document. */
  readonly #entities = new Map<string, string | undefined>();
  readonly #expanded = new Map<string, string>();
  readonly #open = new Set<string>();
  /** Attributes with defaults by the names of elements. */
  readonly attributes = new Map<string, Map<string, string>>();
  readonly #limit: number;
  #used = 0;
  readonly #fail: (message: string) => Error;

  /**
   * @param subset what stands between the brackets
   * @param length that of the document
   * @param fail makes the error of a message
   */
  constructor(subset: string, length: number, fail: (message: string) => Error) {
    this.#fail = fail;
    this.#limit = Math.max(FREE_EXPANSION, length * MAX_AMPLIFICATION);
    const declaration = /\s+|<!--[^]*?-->|<\?[^]*?\?>|<!((?:"[^"]*"|'[^']*'|[^"'>])*)>/y;
    let at = 0;
    while (at < subset.length) {
      if (subset[at] === "%") throw notImplemented("XML with parameter entities");
      declaration.lastIndex = at;
      const found = declaration.exec(subset);
      if (found === null) {
        throw fail(
          `Expected a markup declaration or ']' in the internal subset but found '${/^[^\s<>%]+|./.exec(subset.slice(at, at + 40))![0]}'`,
        );
      }
      at = declaration.lastIndex;
      if (found[1] !== undefined) this.#declare(found[1]);
    }
  }

  #declare(text: string): void {
    const entity = /^ENTITY\s+([^\s%"']+)\s+(?:"([^"]*)"|'([^']*)'|(?:SYSTEM|PUBLIC)\s[^]*)\s*$/.exec(text);
    if (entity !== null) {
      const [, name, double, single] = entity;
      const value = double ?? single;
      // The first declaration of a name counts. References to characters are replaced when they are declared.
      if (!this.#entities.has(name!))
        this.#entities.set(
          name!,
          value?.replace(/&#[^;]*;/g, (each) => this.#character(each)),
        );
      return;
    }
    const list = /^ATTLIST\s+(\S+)\s+([^]*)$/.exec(text);
    if (list === null) return;
    const [, element, rest] = list;
    const known = this.attributes.get(element!) ?? new Map<string, string>();
    this.attributes.set(element!, known);
    const each =
      /(\S+)\s+(?:\([^)]*\)|NOTATION\s*\([^)]*\)|[A-Z]+)\s+(?:#REQUIRED|#IMPLIED|(?:#FIXED\s+)?(?:"([^"]*)"|'([^']*)'))\s*/y;
    let found: RegExpExecArray | null;
    while ((found = each.exec(rest!)) !== null) {
      const value = found[2] ?? found[3];
      if (value !== undefined && !known.has(found[1]!)) known.set(found[1]!, value);
    }
  }

  #character(reference: string): string {
    const code = reference[2] === "x" ? parseInt(reference.slice(3), 16) : parseInt(reference.slice(2), 10);
    if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000))
      throw this.#fail("Invalid character reference");
    return String.fromCodePoint(code);
  }

  /** Whether a name is declared, and where. */
  kindOf(name: string): "internal" | "external" | undefined {
    if (!this.#entities.has(name)) return undefined;
    return this.#entities.get(name) === undefined ? "external" : "internal";
  }

  #count(text: string): string {
    this.#used += text.length;
    if (this.#used > this.#limit) throw this.#fail("Entity expansion exceeds the amplification limit");
    return text;
  }

  /** The text of an internal entity, in which all references to such entities are replaced. */
  expand(name: string): string {
    const known = this.#expanded.get(name);
    if (known !== undefined) return this.#count(known);
    if (this.#open.has(name)) throw this.#fail(`Entity '${name}' refers to itself`);
    this.#open.add(name);
    const text = this.#count(this.#replace(this.#entities.get(name)!));
    this.#open.delete(name);
    this.#expanded.set(name, text);
    return text;
  }

  #replace(text: string): string {
    return text.replace(/&([^#;&\s<]+);/g, (reference, name: string) =>
      !predefined.has(name) && this.kindOf(name) === "internal" ? this.expand(name) : reference,
    );
  }

  /** What follows the document type, with entities in its text replaced; not those in comments, CDATA, instructions and tags. */
  replaceText(text: string): string {
    if (this.#entities.size === 0) return text;
    const parts =
      /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>|&([^#;&\s<]+);/g;
    return text.replace(parts, (part, name: string | undefined) =>
      name !== undefined && !predefined.has(name) && this.kindOf(name) === "internal" ? this.expand(name) : part,
    );
  }
}

/** Entities of every document, which a declaration does not change. */
const predefined = new Set(["lt", "gt", "amp", "apos", "quot"]);
