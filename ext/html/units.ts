/**
 * What handlers of an HTMLRewriter get: elements, text chunks, comments, the doctype, end tags, the end of the document.
 *
 * An object is current as long as its handler runs, and until the promise that this gives is settled. Afterwards its
 * properties are undefined, as in Bun, and its methods throw (in Bun they do nothing).
 */
import { finishInterface } from "internal/fetch/webidl";
import { expectedString, HTMLRewriterError } from "internal/html/errors";

const html = native("html");

/** The rewriter that has stopped at a unit. */
export type NativeRewriter = ReturnType<typeof html.start>;

/** A document that is being rewritten, as its units see it. */
export interface Stopped {
  readonly rewriter: NativeRewriter;
  /** Keeps the handler of an end tag under its number. */
  keepEndTag(number: number, handler: Function): void;
}

const BEFORE = 0;
const AFTER = 1;
const PREPEND = 2;
const APPEND = 3;
const REPLACE = 4;
const SET_INNER = 5;

function stringOf(value: unknown): string {
  if (value === undefined || value === null) throw expectedString();
  return `${value as string}`;
}

function isHtml(options: unknown): boolean {
  return typeof options === "object" && options !== null && Boolean((options as { html?: unknown }).html);
}

/** What all units have: whether they are current. */
class Unit {
  #document: Stopped | undefined;

  constructor(document: Stopped) {
    this.#document = document;
  }

  /** The document, of a unit that is current. */
  static of(unit: Unit): Stopped | undefined {
    return unit.#document;
  }

  static end(unit: Unit): void {
    unit.#document = undefined;
  }
}

const documentOf = Unit.of;
export const endUnit = Unit.end;
export type AnyUnit = Unit;

function current(unit: Unit, method: string): Stopped {
  const document = documentOf(unit);
  if (document === undefined) {
    const name = Object.prototype.toString.call(unit).slice(8, -1);
    throw new HTMLRewriterError(`${name}.${method}() is called after the handler that got it has ended`);
  }
  return document;
}

function insert(unit: Unit, method: string, place: number, content: unknown, options: unknown): void {
  const { rewriter } = current(unit, method);
  html.insert(rewriter, place, stringOf(content), isHtml(options));
}

function check(problem: string | undefined): void {
  if (problem !== undefined) throw new HTMLRewriterError(problem);
}

/** An element, at its start tag. */
export class Element extends Unit {
  /** Counts changes of attributes: iterators made before one end. */
  #version = 0;

  /** For iterators: the version, or -1 if the element is not current. */
  static version(element: Element): number {
    return documentOf(element) === undefined ? -1 : element.#version;
  }

  get tagName(): string | undefined {
    const document = documentOf(this);
    return document && html.name(document.rewriter);
  }

  set tagName(name: unknown) {
    const document = documentOf(this);
    if (document !== undefined) check(html.setName(document.rewriter, `${name as string}`));
  }

  get namespaceURI(): string | undefined {
    const document = documentOf(this);
    return document && html.namespaceUri(document.rewriter);
  }

  get removed(): boolean | undefined {
    const document = documentOf(this);
    return document && html.isRemoved(document.rewriter);
  }

  get selfClosing(): boolean | undefined {
    const document = documentOf(this);
    return document && html.isSelfClosing(document.rewriter);
  }

  get canHaveContent(): boolean | undefined {
    const document = documentOf(this);
    return document && html.canHaveContent(document.rewriter);
  }

  /** An iterator of name and value. */
  get attributes(): AttributeIterator | undefined {
    return documentOf(this) && new AttributeIterator(this, this.#version);
  }

  getAttribute(name: unknown): string | null {
    return html.getAttribute(current(this, "getAttribute").rewriter, stringOf(name)) ?? null;
  }

  hasAttribute(name: unknown): boolean {
    return html.hasAttribute(current(this, "hasAttribute").rewriter, stringOf(name)) ?? false;
  }

  setAttribute(name: unknown, value: unknown): this {
    const { rewriter } = current(this, "setAttribute");
    check(html.setAttribute(rewriter, stringOf(name), stringOf(value)));
    this.#version++;
    return this;
  }

  removeAttribute(name: unknown): this {
    html.removeAttribute(current(this, "removeAttribute").rewriter, stringOf(name));
    this.#version++;
    return this;
  }

  before(content: unknown, options: unknown = undefined): this {
    insert(this, "before", BEFORE, content, options);
    return this;
  }

  after(content: unknown, options: unknown = undefined): this {
    insert(this, "after", AFTER, content, options);
    return this;
  }

  prepend(content: unknown, options: unknown = undefined): this {
    insert(this, "prepend", PREPEND, content, options);
    return this;
  }

  append(content: unknown, options: unknown = undefined): this {
    insert(this, "append", APPEND, content, options);
    return this;
  }

  replace(content: unknown, options: unknown = undefined): this {
    insert(this, "replace", REPLACE, content, options);
    return this;
  }

  setInnerContent(content: unknown, options: unknown = undefined): this {
    insert(this, "setInnerContent", SET_INNER, content, options);
    return this;
  }

  remove(): this {
    html.remove(current(this, "remove").rewriter);
    return this;
  }

  removeAndKeepContent(): this {
    html.removeAndKeepContent(current(this, "removeAndKeepContent").rewriter);
    return this;
  }

  /** One handler per handler of the element: the last one that is given. */
  onEndTag(handler: unknown): this {
    const document = current(this, "onEndTag");
    if (typeof handler !== "function") throw new TypeError("Expected a function");
    const number = html.onEndTag(document.rewriter);
    if (number === undefined) throw new HTMLRewriterError("No end tag.");
    document.keepEndTag(number, handler);
    return this;
  }
}

/** Names and values of an element's attributes, until the element is no longer current or an attribute is changed. */
class AttributeIterator {
  #element: Element;
  #version: number;
  #pairs: string[] | undefined;
  #at = 0;

  constructor(element: Element, version: number) {
    this.#element = element;
    this.#version = version;
  }

  next(): { value: [string, string] | undefined; done: boolean } {
    if (Element.version(this.#element) === this.#version) {
      const pairs = (this.#pairs ??= html.attributes(documentOf(this.#element)!.rewriter) ?? []);
      const at = this.#at;
      if (at < pairs.length) {
        this.#at = at + 2;
        return { value: [pairs[at]!, pairs[at + 1]!], done: false };
      }
    }
    this.#version = -2;
    return { value: undefined, done: true };
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** A part of a text node. */
export class TextChunk extends Unit {
  get text(): string | undefined {
    const document = documentOf(this);
    return document && html.text(document.rewriter);
  }

  get lastInTextNode(): boolean | undefined {
    const document = documentOf(this);
    return document && html.isLastInTextNode(document.rewriter);
  }

  get removed(): boolean | undefined {
    const document = documentOf(this);
    return document && html.isRemoved(document.rewriter);
  }

  before(content: unknown, options: unknown = undefined): this {
    insert(this, "before", BEFORE, content, options);
    return this;
  }

  after(content: unknown, options: unknown = undefined): this {
    insert(this, "after", AFTER, content, options);
    return this;
  }

  replace(content: unknown, options: unknown = undefined): this {
    insert(this, "replace", REPLACE, content, options);
    return this;
  }

  remove(): this {
    html.remove(current(this, "remove").rewriter);
    return this;
  }
}

/** A comment. */
export class Comment extends Unit {
  get text(): string | undefined {
    const document = documentOf(this);
    return document && html.text(document.rewriter);
  }

  set text(text: unknown) {
    const document = documentOf(this);
    if (document !== undefined) check(html.setText(document.rewriter, `${text as string}`));
  }

  get removed(): boolean | undefined {
    const document = documentOf(this);
    return document && html.isRemoved(document.rewriter);
  }

  before(content: unknown, options: unknown = undefined): this {
    insert(this, "before", BEFORE, content, options);
    return this;
  }

  after(content: unknown, options: unknown = undefined): this {
    insert(this, "after", AFTER, content, options);
    return this;
  }

  replace(content: unknown, options: unknown = undefined): this {
    insert(this, "replace", REPLACE, content, options);
    return this;
  }

  remove(): this {
    html.remove(current(this, "remove").rewriter);
    return this;
  }
}

/** The document type declaration. */
export class DocType extends Unit {
  get name(): string | null | undefined {
    return this.#part(0);
  }

  get publicId(): string | null | undefined {
    return this.#part(1);
  }

  get systemId(): string | null | undefined {
    return this.#part(2);
  }

  /** Null if it has none. */
  #part(index: 0 | 1 | 2): string | null | undefined {
    const document = documentOf(this);
    return document && (html.doctype(document.rewriter)?.[index] ?? null);
  }

  get removed(): boolean | undefined {
    const document = documentOf(this);
    return document && html.isRemoved(document.rewriter);
  }

  remove(): this {
    html.remove(current(this, "remove").rewriter);
    return this;
  }
}

/** An end tag. */
export class EndTag extends Unit {
  get name(): string | undefined {
    const document = documentOf(this);
    return document && html.name(document.rewriter);
  }

  set name(name: unknown) {
    const document = documentOf(this);
    if (document !== undefined) check(html.setName(document.rewriter, `${name as string}`));
  }

  before(content: unknown, options: unknown = undefined): this {
    insert(this, "before", BEFORE, content, options);
    return this;
  }

  after(content: unknown, options: unknown = undefined): this {
    insert(this, "after", AFTER, content, options);
    return this;
  }

  remove(): this {
    html.remove(current(this, "remove").rewriter);
    return this;
  }
}

/** The end of the document. */
export class DocumentEnd extends Unit {
  append(content: unknown, options: unknown = undefined): this {
    insert(this, "append", APPEND, content, options);
    return this;
  }
}

const interfaces: [{ prototype: object }, string][] = [
  [Element, "Element"],
  [TextChunk, "TextChunk"],
  [Comment, "Comment"],
  [DocType, "DocType"],
  [EndTag, "EndTag"],
  [DocumentEnd, "DocEnd"],
  [AttributeIterator, "AttributeIterator"],
];
for (const [type, name] of interfaces) {
  // As in Bun: a program cannot make one.
  delete (type.prototype as { constructor?: unknown }).constructor;
  finishInterface(type, name, Object.getOwnPropertyNames(type.prototype));
}
