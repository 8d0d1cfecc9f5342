// How Bun.inspect shows elements of React, timers, events, and lists of names with several values.

import type { Printer } from "bun/inspect";

/** An element as the functions of `react/jsx-runtime` make it, of React 18 and below or of 19. */
interface Element {
  $$typeof: symbol;
  type: unknown;
  key: unknown;
  props: Record<string, unknown>;
}

const element = Symbol.for("react.element");
const newElement = Symbol.for("react.transitional.element");
const fragment = Symbol.for("react.fragment");
/** Properties that stand on the line where the element begins. */
const ON_FIRST_LINE = 5;

/** Whether an object is an element. */
export function isElement(value: object): value is Element {
  const descriptor = Object.getOwnPropertyDescriptor(value, "$$typeof");
  if (descriptor === undefined || (descriptor.value !== element && descriptor.value !== newElement)) return false;
  const { props } = value as Partial<Element>;
  return typeof props === "object" && props !== null;
}

function tagOf(type: unknown): string {
  if (type === fragment) return "";
  if (typeof type === "string") return type;
  const name = typeof type === "function" || typeof type === "object" ? (type as { name?: unknown } | null)?.name : "";
  return typeof name === "string" && name !== "" ? name : "NoName";
}

/** Writes an element as JSX has it. */
export function writeElement(printer: Printer, value: Element): void {
  const { colors } = printer.settings;
  const tag = tagOf(value.type);
  const name = colors && tag !== "" ? `\x1b[0m\x1b[32m${tag}\x1b[0m` : tag;
  printer.text += `<${name}`;
  printer.line += tag.length + 1;
  if (value.key !== null && value.key !== undefined) {
    printer.text += " key=";
    printer.value(value.key);
  }
  const names = Object.keys(value.props).filter((key) => key !== "children");
  printer.indent++;
  for (const [index, key] of names.entries()) {
    if (index < ON_FIRST_LINE) printer.text += " ";
    else printer.newLine();
    printer.text += colors ? `\x1b[0m\x1b[34m${key}\x1b[2m=\x1b[0m` : `${key}=`;
    printer.value(value.props[key]);
  }
  printer.indent--;
  const children = childrenOf(value.props["children"]);
  if (children.length === 0) printer.text += " />";
  else {
    printer.text += ">";
    writeChildren(printer, children);
    printer.text += `</${name}>`;
  }
  printer.resetLine();
}

/** What is between the tags; nothing for what React does not show either. */
function childrenOf(children: unknown): unknown[] {
  if (Array.isArray(children)) return children;
  return children === undefined || children === null || children === "" || typeof children === "boolean"
    ? []
    : [children];
}

function writeChildren(printer: Printer, children: unknown[]): void {
  const [only] = children;
  if (children.length === 1 && (typeof only === "string" || typeof only === "number")) {
    printer.text += `${only}`;
    return;
  }
  printer.indent++;
  for (const child of children) {
    printer.newLine();
    printer.resetLine();
    if (typeof child === "string") printer.text += child;
    else printer.value(child);
  }
  printer.indent--;
  printer.newLine();
}

/** Writes a timer, an immediate or an event; false for other objects. */
export function writeHost(printer: Printer, value: object): boolean {
  const { Timeout, Immediate } = require("internal/core/timers");
  if (value instanceof Timeout) {
    printer.text += `Timeout (#${+value}${value._repeat === null ? "" : ", repeats"})`;
    return true;
  }
  if (value instanceof Immediate) {
    printer.text += "Immediate";
    return true;
  }
  const members = eventMembers(value);
  if (members === undefined) return false;
  printer.text += `${(value as { [Symbol.toStringTag]?: string })[Symbol.toStringTag]} `;
  printer.plain(members);
  return true;
}

/** The members of an event that are shown; undefined for other objects, as the prototypes of events. */
function eventMembers(value: object): Record<string, unknown> | undefined {
  const { Event } = require("web/event_target");
  if (!(value instanceof Event) || Object.hasOwn(value, "constructor")) return undefined;
  const { ErrorEvent, MessageEvent } = require("web/events");
  const { type, defaultPrevented, cancelable, timeStamp } = value;
  if (value instanceof MessageEvent) return { type, data: value.data };
  if (value instanceof ErrorEvent) return { type, message: value.message, error: value.error };
  return { type, defaultPrevented, cancelable, timeStamp };
}

/** Pairs with the values of a name that comes several times in one array. */
export function grouped(pairs: Iterable<[unknown, unknown]>): Map<unknown, unknown> {
  const found = new Map<unknown, unknown>();
  const several = new Set<unknown>();
  for (const [name, value] of pairs) {
    if (several.has(name)) (found.get(name) as unknown[]).push(value);
    else if (found.has(name)) {
      found.set(name, [found.get(name), value]);
      several.add(name);
    } else found.set(name, value);
  }
  return found;
}
