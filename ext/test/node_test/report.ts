// Reporters of node:test as functions from an event to text: https://nodejs.org/api/test.html#test-reporters

import type { CoverageSummary } from "internal/test/node_test/coverage";
import type { EventData, Format, TestFailure } from "internal/test/node_test/types";

/** What an event of coverage says. */
const summaryOf = (data: EventData) => (data as unknown as { summary: CoverageSummary }).summary;
const coverage = () => require("internal/test/node_test/report_coverage");

const indent = (nesting: number, unit: string) => unit.repeat(nesting);
const inspect = (value: unknown, options?: { colors: boolean; breakLength: number } | { colors: boolean }) =>
  require("node:util").inspect(value, options);

const COLORS: Record<string, string> = {
  red: "\x1b[31m",
  green: "\x1b[32m",
  blue: "\x1b[34m",
  white: "\x1b[39m",
  gray: "\x1b[90m",
  yellow: "\x1b[33m",
};

/** What is worth reading of a failure: the error that the test threw, not the wrapper around it. */
function reason(error: TestFailure | null | undefined): unknown {
  if (error?.code !== "ERR_TEST_FAILURE") return error;
  return error.cause ?? error;
}

/** The report for people. */
export function spec(colors: boolean) {
  const color = (name: string) => (colors ? COLORS[name]! : "");
  const started: { name: string; nesting: number }[] = [];
  const opened: { name: string; nesting: number }[] = [];
  const failed: EventData[] = [];
  const shown = (error: TestFailure | undefined) => {
    const value = reason(error);
    return typeof value === "string" ? value : inspect(value, { colors, breakLength: Infinity });
  };
  const line = (data: EventData, pad: string) => {
    const good = data.details.error === undefined;
    const skip = data.skip !== undefined;
    const mark = skip ? "\ufe63" : good ? "\u2714" : "\u2716";
    const tint = skip
      ? color("gray")
      : good
        ? color("green")
        : data.todo !== undefined
          ? color("yellow")
          : color("red");
    let note = "";
    if (skip) note = ` # ${typeof data.skip === "string" && data.skip !== "" ? data.skip : "SKIP"}`;
    else if (data.todo !== undefined)
      note = ` # ${typeof data.todo === "string" && data.todo !== "" ? data.todo : "TODO"}`;
    else if (data.expectFailure !== undefined)
      note = ` # ${typeof data.expectFailure === "string" ? data.expectFailure : "EXPECTED FAILURE"}`;
    return `${pad}${tint}${mark} ${data.name}${color("gray")} (${data.details.duration_ms}ms)${color("white")}${note}\n`;
  };
  return (type: string, data: EventData): string => {
    switch (type) {
      case "test:start":
        started.unshift({ name: data.name, nesting: data.nesting });
        return "";
      case "test:pass":
      case "test:fail": {
        const at = started.findIndex((one) => one.nesting === data.nesting && one.name === data.name);
        if (at >= 0) started.splice(at, 1);
        let text = "";
        // The names of what is around it, once.
        for (const one of started.filter((above) => above.nesting < data.nesting).reverse()) {
          if (opened.some((other) => other === one)) continue;
          opened.unshift(one);
          text += `${indent(one.nesting, "  ")}\u25b6 ${one.name}\n`;
        }
        const around = opened.findIndex((one) => one.nesting === data.nesting && one.name === data.name);
        if (around >= 0) opened.splice(around, 1);
        if (type === "test:fail" && data.details.error?.failureType !== "subtestsFailed" && data.todo === undefined)
          failed.push(data);
        return text + line(data, indent(data.nesting, "  "));
      }
      case "test:stderr":
      case "test:stdout":
        return data.message;
      case "test:diagnostic": {
        const tint = data.level === "error" ? color("red") : data.level === "warn" ? color("yellow") : color("blue");
        return `${indent(data.nesting, "  ")}${tint}\u2139 ${data.message}${color("white")}\n`;
      }
      case "test:coverage":
        return coverage().table(summaryOf(data), `${indent(data.nesting, "  ")}\u2139 `, color("blue"));
      case "test:summary": {
        if (data.file !== undefined || failed.length === 0) return "";
        let text = `\n${color("red")}\u2716 failing tests:${color("white")}\n`;
        for (const one of failed) {
          if (one.file !== undefined) {
            const where = require("node:path").relative(process.cwd(), one.file);
            text += `\ntest at ${where}:${one.line}:${one.column}\n`;
          } else text += "\n";
          text += line(one, "");
          text +=
            shown(one.details.error)
              .split("\n")
              .map((row: string) => `  ${row}`)
              .join("\n") + "\n";
        }
        return text;
      }
      default:
        return "";
    }
  };
}

const escape = (text: unknown) =>
  String(text)
    .replace(/[\\#]/g, "\\$&")
    .replace(
      /[\n\t\r\b\f\v]/g,
      (c) =>
        ({ "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v" } as Record<string, string>)[
          c
        ]!,
    );

function yamlValue(pad: string, name: string, value: unknown, seen = new Set()): string {
  if (value === undefined) return "";
  if (value === null || typeof value === "function" || typeof value === "symbol")
    return `${pad}${name}: ${value === null ? "~" : inspect(value)}\n`;
  if (typeof value === "object" && !(value instanceof Date) && !(value instanceof RegExp) && !Error.isError(value)) {
    if (seen.has(value)) return `${pad}${name}: <Circular>\n`;
    seen.add(value);
    const keys = Object.keys(value);
    let text = `${pad}${name}:\n`;
    for (const key of keys) text += yamlValue(pad + "  ", key, (value as Record<string, unknown>)[key], seen);
    return text;
  }
  const text = typeof value === "string" ? value : inspect(value);
  if (typeof value === "string" && !/\n/.test(text)) return `${pad}${name}: ${inspect(text)}\n`;
  if (/\n/.test(text))
    return `${pad}${name}: |-\n${text
      .split(/\r?\n/)
      .map((row: string) => `${pad}  ${row}`)
      .join("\n")}\n`;
  return `${pad}${name}: ${text}\n`;
}

/** What is shown of an object that a test threw. */
interface Thrown {
  message?: unknown;
  code?: unknown;
  name?: unknown;
  expected?: unknown;
  actual?: unknown;
  operator?: unknown;
  stack?: unknown;
}

function yaml(pad: string, data: EventData): string {
  const { details } = data;
  let text = `${pad}  ---\n`;
  text += yamlValue(`${pad}  `, "duration_ms", details.duration_ms);
  text += yamlValue(`${pad}  `, "type", details.type);
  const error = details.error;
  if (error !== undefined) {
    if (data.file !== undefined) text += yamlValue(`${pad}  `, "location", `${data.file}:${data.line}:${data.column}`);
    text += yamlValue(`${pad}  `, "failureType", error.failureType);
    // Of a file's process that failed by itself.
    for (const key of ["exitCode", "signal"] as const)
      if (key in error) text += yamlValue(`${pad}  `, key, (error as Partial<Record<typeof key, unknown>>)[key]);
    const value = reason(error) as Thrown | null;
    if (value !== null && typeof value === "object") {
      text += yamlValue(`${pad}  `, "error", String(value.message ?? inspect(value)));
      if (value.code !== undefined) text += yamlValue(`${pad}  `, "code", String(value.code));
      else if (error.code !== undefined) text += yamlValue(`${pad}  `, "code", error.code);
      if (value.name !== undefined && value.name !== "Error") text += yamlValue(`${pad}  `, "name", String(value.name));
      for (const key of ["expected", "actual", "operator"] as const)
        if (key in value) text += yamlValue(`${pad}  `, key, value[key]);
      if (typeof value.stack === "string") {
        const frames = value.stack
          .split("\n")
          .filter((row: string) => /^\s+at /.test(row))
          .map((row: string) => row.replace(/^\s+at /, ""));
        if (frames.length > 0)
          text += `${pad}  stack: |-\n${frames.map((row: string) => `${pad}    ${row}`).join("\n")}\n`;
      }
    } else {
      text += yamlValue(`${pad}  `, "error", String(value));
      text += yamlValue(`${pad}  `, "code", error.code);
    }
  }
  return `${text}${pad}  ...\n`;
}

/** Test Anything Protocol, https://testanything.org/tap-version-13-specification.html */
export function tapLines() {
  let first = true;
  const format = (type: string, data: EventData): string[] => {
    const pad = indent(data.nesting ?? 0, "    ");
    switch (type) {
      case "test:start":
        return [`${pad}# Subtest: ${escape(data.name)}\n`];
      case "test:pass":
      case "test:fail": {
        let text = `${pad}${type === "test:pass" ? "ok" : "not ok"} ${data.testNumber} - ${escape(data.name)}`;
        if (data.skip !== undefined)
          text += ` # SKIP${typeof data.skip === "string" && data.skip !== "" ? ` ${escape(data.skip)}` : ""}`;
        else if (data.todo !== undefined)
          text += ` # TODO${typeof data.todo === "string" && data.todo !== "" ? ` ${escape(data.todo)}` : ""}`;
        else if (data.expectFailure !== undefined)
          text += ` # EXPECTED FAILURE${typeof data.expectFailure === "string" ? ` ${escape(data.expectFailure)}` : ""}`;
        return [`${text}\n`, yaml(pad, data)];
      }
      case "test:plan":
        return [`${pad}1..${data.count}\n`];
      case "test:diagnostic":
        return [`${pad}# ${escape(data.message)}\n`];
      case "test:stdout":
      case "test:stderr":
        return [data.message.replace(/^(?=.)/gm, `${pad}# `)];
      case "test:coverage":
        return [coverage().table(summaryOf(data), `${pad}# `, "")];
      default:
        return [];
    }
  };
  return (type: string, data: EventData): string[] => {
    const lines = format(type, data);
    if (first) lines.unshift("TAP version 13\n");
    first = false;
    return lines;
  };
}

/** The same as one text for each event. */
function tap() {
  const lines = tapLines();
  return (type: string, data: EventData): string => lines(type, data).join("");
}

/** A dot for each test. */
export function dot(colors: boolean) {
  let count = 0;
  let columns = Math.max(process.stdout.columns ?? 20, 20);
  const failed: EventData[] = [];
  return (type: string, data: EventData): string => {
    if (type === "test:pass" || type === "test:fail") {
      if (type === "test:fail") failed.push(data);
      const mark = type === "test:pass" ? "." : "X";
      return ++count % columns === 0 ? `${mark}\n` : mark;
    }
    if (type !== "test:summary" || data.file !== undefined) return "";
    let text = "\n";
    if (failed.length > 0) {
      text += "\nFailed tests:\n\n";
      const full = spec(colors);
      for (const one of failed)
        text +=
          full(`test:fail`, one) +
          `${inspect(reason(one.details.error), { colors })}\n`.replace(/^/gm, "  ").trimEnd() +
          "\n";
    }
    columns = Math.max(process.stdout.columns ?? 20, 20);
    return text;
  };
}

const xml = (text: unknown) =>
  String(text).replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" } as Record<string, string>)[c]!,
  );

/** An element of JUnit's XML, or a comment. */
interface Element {
  tag?: string;
  attributes?: Record<string, unknown>;
  children: Element[];
  text?: string;
  comment?: string;
}

/** JUnit's XML. */
export function junit() {
  const open: { name: string; nesting: number; children: Element[] }[] = [];
  let top: Element[] = [];
  let text = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n';
  const write = (node: Element, pad: string): string => {
    if (node.comment !== undefined) return `${pad}<!-- ${node.comment.replaceAll("--", "&#45;&#45;")} -->\n`;
    const attributes = Object.entries(node.attributes!)
      .map(([name, value]) => ` ${name}="${xml(value)}"`)
      .join("");
    if (node.children.length === 0 && node.text === undefined) return `${pad}<${node.tag}${attributes}/>\n`;
    const inside =
      (node.text === undefined ? "" : `${xml(node.text)}\n`) +
      node.children.map((child) => write(child, `${pad}\t`)).join("");
    return `${pad}<${node.tag}${attributes}>\n${inside}${pad}</${node.tag}>\n`;
  };
  const count = (node: Element, tag: string): number =>
    node.children.reduce(
      (sum: number, child) => sum + (child.tag === tag ? 1 : 0) + (child.tag === "testsuite" ? count(child, tag) : 0),
      0,
    );
  const hasChild =
    (tag: string) =>
    (node: Element): number =>
      node.children.reduce(
        (sum: number, child) =>
          sum +
          (child.children?.some((one) => one.tag === tag) ? 1 : 0) +
          (child.tag === "testsuite" ? hasChild(tag)(child) : 0),
        0,
      );
  return (type: string, data: EventData): string => {
    if (type === "test:start") {
      open.push({ name: data.name, nesting: data.nesting, children: [] });
      return "";
    }
    if (type === "test:pass" || type === "test:fail") {
      let at = open.length - 1;
      while (at > 0 && !(open[at]!.nesting === data.nesting && open[at]!.name === data.name)) at--;
      const [node] = open.splice(at, 1);
      const children = node?.children ?? [];
      const time = (data.details.duration_ms / 1000).toFixed(6);
      const made: Element =
        children.length > 0
          ? { tag: "testsuite", attributes: { name: data.name, time, disabled: 0, errors: 0 }, children }
          : {
              tag: "testcase",
              attributes: {
                name: data.name,
                time,
                classname: "test",
                ...(data.file === undefined ? {} : { file: data.file }),
              },
              children,
            };
      if (made.tag === "testsuite") {
        Object.assign(made.attributes!, {
          tests: count(made, "testcase"),
          failures: hasChild("failure")(made),
          skipped: hasChild("skipped")(made),
          hostname: require("node:os").hostname(),
        });
      } else if (data.skip !== undefined) {
        children.push({
          tag: "skipped",
          attributes: { type: "skipped", message: typeof data.skip === "string" ? data.skip : "" },
          children: [],
        });
      } else if (data.todo !== undefined) {
        children.push({
          tag: "skipped",
          attributes: { type: "todo", message: typeof data.todo === "string" ? data.todo : "" },
          children: [],
        });
      }
      if (type === "test:fail" && made.tag === "testcase") {
        const error = data.details.error;
        children.push({
          tag: "failure",
          attributes: { type: error?.failureType ?? error?.code, message: error?.message ?? "" },
          children: [],
          text: inspect(reason(error)),
        });
        made.attributes!.failure = error?.message ?? "";
      }
      if (open.length > 0 && data.nesting > 0) open.at(-1)!.children.push(made);
      else top.push(made);
      return "";
    }
    if (type === "test:diagnostic") {
      (open.at(-1)?.children ?? top).push({ comment: String(data.message), children: [] });
      return "";
    }
    if (type !== "test:summary" || data.file !== undefined) return "";
    text += top.map((node) => write(node, "\t")).join("");
    top = [];
    return `${text}</testsuites>\n`;
  };
}

/** The coverage as a trace file of lcov. */
const lcov = () => (type: string, data: EventData) =>
  type === "test:coverage" ? coverage().lcov(summaryOf(data)) : "";

export const formatters: Record<string, (colors: boolean) => Format> = {
  __proto__: null as never,
  spec,
  tap,
  dot,
  junit,
  lcov,
};
