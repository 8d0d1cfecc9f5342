// React elements, rendered React trees and DOM nodes as markup, as Jest's plugins of the same names print them.
import { type Formatter } from "internal/test/bun_test/format";

const INDENT = "  ";
const rendered = Symbol.for("react.test.json");
const fragments = new Set<unknown>(
  ["react.fragment", "react.suspense", "react.strict_mode", "react.profiler"].map((name) => Symbol.for(name)),
);
const elements = new Set<unknown>([Symbol.for("react.element"), Symbol.for("react.transitional.element")]);

const escapeText = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Attributes one to a line, sorted: `name="text"`, `name={value}`. */
function attributes(props: Record<string, unknown>, indent: string, formatter: Formatter): string {
  const deeper = indent + INDENT;
  let text = "";
  for (const key of Object.keys(props).sort()) {
    if (key === "children" || props[key] === undefined) continue;
    const value = props[key];
    let shown = formatter.value(value, deeper);
    if (typeof value !== "string") {
      if (shown.includes("\n")) shown = `\n${deeper}${INDENT}${formatter.value(value, deeper + INDENT)}\n${deeper}`;
      shown = `{${shown}}`;
    }
    text += `\n${deeper}${key}=${shown}`;
  }
  return text;
}

function tag(name: string, attributesText: string, children: string, indent: string): string {
  const open = attributesText === "" ? "" : `${attributesText}\n${indent}`;
  if (children === "") return `<${name}${attributesText === "" ? " " : open}/>`;
  return `<${name}${open}>${children}\n${indent}</${name}>`;
}

function childList(children: unknown, found: unknown[] = []): unknown[] {
  if (Array.isArray(children)) for (const child of children) childList(child, found);
  else if (children !== null && children !== undefined && children !== false && children !== true && children !== "")
    found.push(children);
  return found;
}

function childLines(children: unknown[], indent: string, formatter: Formatter): string {
  const deeper = indent + INDENT;
  let text = "";
  for (const child of children) {
    text += `\n${deeper}${typeof child === "string" ? escapeText(child) : formatter.value(child, deeper)}`;
  }
  return text;
}

/** What a type of React has. */
interface ElementType {
  $$typeof?: unknown;
  displayName?: string;
  name?: string;
  render?: ElementType;
  type?: ElementType;
}

/** A component of React. */
interface Component extends Function {
  displayName?: string;
}

/** An element of React, what its test renderer gives, or a node of a DOM. */
interface Markup {
  $$typeof?: unknown;
  type?: string | symbol | Component | ElementType;
  key?: unknown;
  props?: Record<string, unknown>;
  children?: unknown;
  nodeType?: unknown;
  nodeName?: unknown;
  tagName?: string;
  data?: string;
  childNodes?: Iterable<Markup>;
  attributes?: Iterable<{ name: string; value: unknown }>;
}

function typeName(element: Markup): string {
  const { type } = element;
  if (typeof type === "string") return type;
  if (typeof type === "function") return type.displayName || type.name || "Unknown";
  if (type === Symbol.for("react.fragment")) return "React.Fragment";
  if (type === Symbol.for("react.suspense")) return "React.Suspense";
  if (fragments.has(type)) return "React.Fragment";
  if (typeof type === "object" && type !== null) {
    const { $$typeof } = type;
    if ($$typeof === Symbol.for("react.provider")) return "Context.Provider";
    if ($$typeof === Symbol.for("react.context")) return "Context.Consumer";
    const inner = type.render ?? type.type;
    const name = type.displayName || inner?.displayName || inner?.name || "";
    if ($$typeof === Symbol.for("react.forward_ref"))
      return type.displayName || (name === "" ? "ForwardRef" : `ForwardRef(${name})`);
    if ($$typeof === Symbol.for("react.memo")) return type.displayName || (name === "" ? "Memo" : `Memo(${name})`);
  }
  return "UNDEFINED";
}

function node(value: Markup, indent: string, formatter: Formatter): string | undefined {
  switch (value.nodeType) {
    case 3:
      return escapeText(value.data!);
    case 8:
      return `<!--${escapeText(value.data!)}-->`;
    case 11: {
      const children = childList([...value.childNodes!]);
      return tag("DocumentFragment", "", nodeLines(children, indent, formatter), indent);
    }
    case 1: {
      const props: { [key: string]: unknown } = {};
      for (const attribute of value.attributes ?? []) props[attribute.name] = attribute.value;
      const name = value.tagName!.toLowerCase();
      return tag(
        name,
        attributes(props, indent, formatter),
        nodeLines([...value.childNodes!], indent, formatter),
        indent,
      );
    }
  }
  return undefined;
}

function nodeLines(children: unknown[], indent: string, formatter: Formatter): string {
  const deeper = indent + INDENT;
  let text = "";
  for (const child of children)
    text += `\n${deeper}${node(child as Markup, deeper, formatter) ?? formatter.value(child, deeper)}`;
  return text;
}

/** The markup of an element or node; undefined for other values. */
export function format(value: Markup, indent: string, formatter: Formatter): string | undefined {
  if (value.$$typeof === rendered) {
    const props = value.props ?? {};
    return tag(
      value.type as string,
      attributes(props, indent, formatter),
      childLines(childList(value.children ?? []), indent, formatter),
      indent,
    );
  }
  if (elements.has(value.$$typeof)) {
    const { key, ...props } = value.props ?? {};
    if (value.key !== null && value.key !== undefined) props.key = value.key;
    return tag(
      typeName(value),
      attributes(props, indent, formatter),
      childLines(childList(value.props?.children), indent, formatter),
      indent,
    );
  }
  if (
    (typeof value.nodeType === "number" && typeof value.nodeName === "string" && value.childNodes !== undefined) ||
    value.nodeType === 3 ||
    value.nodeType === 8
  ) {
    if (value.nodeType === 1 && typeof value.tagName !== "string") return undefined;
    return node(value, indent, formatter);
  }
  return undefined;
}
