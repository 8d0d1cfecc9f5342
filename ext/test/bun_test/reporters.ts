// Reports beside the one on the terminal: JUnit's XML, JSON as Jest writes it, TAP, and modules of the program.
//
// A reporter is an object with any of these methods: start({ files }), file({ path, title }), test(record), error({ file, path,
// error }) for what belongs to no test, fileFailed(...) and fileEnd({ path, title, duration }), end(summary). See records.ts for
// the data. end() may return a promise, which the run waits for.

import type { ConsoleReporter } from "internal/test/bun_test/report_console";
import type {
  ErrorRecord,
  FileRecord,
  Reporter,
  StrayError,
  Summary,
  TestRecord,
} from "internal/test/bun_test/records";
import type { RunConfig } from "internal/test/bun_test/types";
import { runner } from "internal/test/bun_test/state";

/** Adds what --reporter and bunfig.toml name to the reporter of the terminal; a text says what is wrong. */
export function addReporters(main: ConsoleReporter, config: RunConfig): string | undefined {
  const outfile = config.reporterOutfile;
  for (const name of config.reporters) {
    switch (name) {
      case "default":
        break;
      case "junit":
        main.others.push(new JUnit(outfile!));
        break;
      case "json":
        main.others.push(new Json(outfile));
        main.isSilent ||= outfile === undefined;
        break;
      case "tap":
        main.others.push(new Tap(outfile));
        main.isSilent ||= outfile === undefined;
        break;
      default: {
        const made = own(name, config);
        if (typeof made === "string") return made;
        main.others.push(made);
        main.isSilent = true;
      }
    }
  }
  if (config.junit !== undefined && !config.reporters.includes("junit")) main.others.push(new JUnit(config.junit));
  if (config.reporters.includes("default")) main.isSilent = false;
  runner.wantsLines = main.others.length > 0;
  return undefined;
}

type ReporterClass = new (given: { config: RunConfig }) => Reporter;
/** The exports of a module with a reporter. */
interface Loaded {
  default?: unknown;
}

/** A module's reporter: its default export, called with `new` if it is a class or function. */
function own(name: string, config: RunConfig): Reporter | string {
  if (!/[./]/.test(name))
    return `unsupported reporter format '${name}'. Available options: 'default', 'dots', 'junit', 'json', 'tap', or the path of a module`;
  const { resolve } = require("node:path");
  const path = name.startsWith(".") || name.startsWith("/") ? resolve(name) : name;
  let loaded: Loaded | null | undefined;
  try {
    loaded = require("node:module").createRequire(`${process.cwd()}/[test]`)(path) as Loaded;
  } catch (error) {
    return `cannot load the reporter '${name}': ${(error as Partial<Error> | null)?.message ?? error}`;
  }
  const made = (loaded?.default ?? loaded) as ReporterClass | Reporter | null;
  if (typeof made === "function") return new made({ config });
  if (typeof made === "object" && made !== null) return made;
  return `the reporter '${name}' exports neither a class nor an object as its default`;
}

function write(outfile: string | undefined, text: string): void {
  const fs = require("node:fs");
  if (outfile === undefined) return void fs.writeSync(1, text);
  try {
    fs.mkdirSync(require("node:path").dirname(outfile), { recursive: true });
    fs.writeFileSync(outfile, text);
  } catch (error) {
    process.stderr.write(`error: cannot write the report to ${outfile}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

const relativePath = (path: string) => require("node:path").relative(process.cwd(), path);

/** Without the colours that a terminal would see. */
const plain = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "");

/** What XML has no way to say is replaced: control characters, half pairs, and two that are none. */
const escapeXml = (text: string) =>
  plain(text)
    .toWellFormed()
    .replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" })[c]!)
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
    .replace(/[\t\n\r]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Lines of a YAML block, indented by `indent`; its characters are those of YAML. */
const yamlLines = (text: string, indent: string) =>
  plain(text)
    .toWellFormed()
    .replace(/[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g, "\ufffd")
    .trimEnd()
    .split("\n")
    .map((line) => indent + line);

/** Seconds of milliseconds. */
const seconds = (milliseconds: number) => String(Number((milliseconds / 1000).toFixed(6)));

/** `Name: message`, and the places of the stack. */
function plainText(error: ErrorRecord): string {
  const places = error.places.map(([path, line, column]) => `      at ${relativePath(path)}:${line}:${column}\n`);
  return `${error.name}: ${error.message}\n${places.join("")}`;
}

type FileFailure = FileRecord & { what?: string | undefined; error: ErrorRecord | undefined };

class Suite {
  name: string;
  file: string;
  line: number;
  tests = 0;
  assertions = 0;
  failures = 0;
  skipped = 0;
  time = 0;
  children: (Suite | TestRecord)[] = [];
  constructor(name: string, file: string, line: number) {
    this.name = name;
    this.file = file;
    this.line = line;
  }
}

/** https://bun.com/docs/test/reporters#junit-xml-reporter */
class JUnit {
  #outfile: string;
  #suites: Suite[] = [];
  #byPath = new Map<string, Suite>();

  constructor(outfile: string) {
    this.#outfile = outfile;
  }

  file({ title, path }: { title: string; path: string }): void {
    if (this.#byPath.has(path)) return;
    const suite = new Suite(title, title, 0);
    this.#byPath.set(path, suite);
    this.#suites.push(suite);
  }

  test(record: TestRecord): void {
    this.file({ title: record.file, path: record.path });
    const file = this.#byPath.get(record.path)!;
    const chain = [file];
    for (const [index, name] of record.ancestors.entries()) {
      const parent = chain[chain.length - 1]!;
      const last = parent.children[parent.children.length - 1];
      if (last instanceof Suite && last.name === name) chain.push(last);
      else {
        const suite = new Suite(name, record.file, record.ancestorLines[index] ?? 0);
        parent.children.push(suite);
        chain.push(suite);
      }
    }
    chain[chain.length - 1]!.children.push(record);
    for (const suite of chain) {
      suite.tests++;
      suite.assertions += record.assertions;
      suite.time += record.duration;
      if (record.status === "fail") suite.failures++;
      else if (record.status !== "pass") suite.skipped++;
    }
  }

  fileFailed({ title, path, what, error }: FileFailure): void {
    this.#add(title, path, what ?? "(loading)", error);
  }

  error({ file, path, error, loading }: StrayError): void {
    if (!loading) this.#add(file || "(preload)", path ?? "", "(unhandled error)", error);
  }

  /** A failure that is none of a test. */
  #add(file: string, path: string, title: string, error: ErrorRecord | undefined): void {
    this.test({
      file,
      path,
      title,
      ancestors: [],
      ancestorLines: [],
      status: "fail",
      duration: 0,
      attempts: 1,
      assertions: 0,
      line: 0,
      errors: error === undefined ? [] : [error],
    });
  }

  fileEnd({ path, duration }: FileRecord & { duration: number }): void {
    const suite = this.#byPath.get(path);
    if (suite !== undefined) suite.time = duration;
  }

  end(summary: Summary): void {
    const host = require("node:os").hostname();
    const sum = (key: "tests" | "assertions" | "failures" | "skipped") =>
      this.#suites.reduce((total, suite) => total + suite[key], 0);
    let text = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" tests="${sum("tests")}" assertions="${sum("assertions")}" failures="${sum("failures")}" skipped="${sum("skipped")}" time="${seconds(summary.elapsed)}">\n`;
    for (const suite of this.#suites) if (suite.children.length > 0) text += this.#suite(suite, "  ", host, true);
    write(this.#outfile, `${text}</testsuites>\n`);
  }

  #suite(suite: Suite, indent: string, host: string, isFile: boolean): string {
    let text = `${indent}<testsuite name="${escapeXml(suite.name)}" file="${escapeXml(suite.file)}"${suite.line > 0 ? ` line="${suite.line}"` : ""} tests="${suite.tests}" assertions="${suite.assertions}" failures="${suite.failures}" skipped="${suite.skipped}" time="${seconds(suite.time)}" hostname="${escapeXml(host)}">\n`;
    if (isFile) text += properties();
    for (const child of suite.children)
      text +=
        child instanceof Suite ? this.#suite(child, `${indent}  `, host, false) : this.#case(child, `${indent}  `);
    return `${text}${indent}</testsuite>\n`;
  }

  #case(record: TestRecord, indent: string): string {
    const path = record.ancestors.toReversed().join(" > ");
    const head = `${indent}<testcase name="${escapeXml(record.title)}" classname="${escapeXml(path)}" time="${seconds(record.duration)}" file="${escapeXml(record.file)}"${record.line > 0 ? ` line="${record.line}"` : ""} assertions="${record.assertions}"`;
    if (record.status === "pass") return `${head} />\n`;
    let body = "";
    if (record.status === "skip" || record.status === "filtered") body = `${indent}  <skipped />\n`;
    else if (record.status === "todo") body = `${indent}  <skipped message="TODO" />\n`;
    else {
      const [first] = record.errors;
      const type = first?.name ?? "AssertionError";
      const message = first === undefined ? "" : ` message="${escapeXml(first.message)}"`;
      const details = record.errors
        .filter((error) => error.places.length > 0 || error.name !== "TimeoutError")
        .map(plainText)
        .join("\n");
      body =
        details === ""
          ? `${indent}  <failure type="${escapeXml(type)}"${message} />\n`
          : `${indent}  <failure type="${escapeXml(type)}"${message}>${escapeXml(details)}</failure>\n`;
    }
    return `${head}>\n${body}${indent}</testcase>\n`;
  }
}

/** Which run of a CI service, and which commit. */
function properties(): string {
  const { env } = process;
  const run =
    env.GITHUB_RUN_ID && env.GITHUB_SERVER_URL && env.GITHUB_REPOSITORY
      ? `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`
      : env.CI_JOB_URL;
  const commit = env.GITHUB_SHA || env.CI_COMMIT_SHA || env.GIT_SHA;
  if (!run && !commit) return "";
  const row = (name: string, value: string | undefined) =>
    value ? `      <property name="${name}" value="${escapeXml(value)}" />\n` : "";
  return `    <properties>\n${row("ci", run)}${row("commit", commit)}    </properties>\n`;
}

const JEST_STATUS: Record<string, string> = {
  pass: "passed",
  fail: "failed",
  skip: "skipped",
  todo: "todo",
  filtered: "skipped",
};

/** A file in Jest's report. */
interface JestFile {
  name: string;
  status: string;
  message: string;
  startTime: number;
  endTime: number;
  assertionResults: object[];
}

/** https://jestjs.io/docs/cli#--json */
class Json {
  #outfile: string | undefined;
  #files = new Map<string, JestFile>();
  #started = Date.now();
  /** Files that could not be loaded. */
  #broken = 0;
  /** Errors of no file: those of preloaded modules. */
  #stray = "";

  constructor(outfile: string | undefined) {
    this.#outfile = outfile;
  }

  file({ path }: { path: string }): void {
    if (!this.#files.has(path))
      this.#files.set(path, {
        name: path,
        status: "passed",
        message: "",
        startTime: Date.now(),
        endTime: Date.now(),
        assertionResults: [],
      });
  }

  test(record: TestRecord): void {
    this.file(record);
    const file = this.#files.get(record.path)!;
    if (record.status === "fail") file.status = "failed";
    file.assertionResults.push({
      ancestorTitles: record.ancestors,
      fullName: [...record.ancestors, record.title].join(" "),
      status: JEST_STATUS[record.status],
      title: record.title,
      duration: record.duration,
      failureMessages: record.errors.map((error) => error.text),
      location: record.line > 0 ? { line: record.line, column: 1 } : null,
      numPassingAsserts: record.assertions,
      invocations: record.attempts,
    });
  }

  error({ path, error }: StrayError): void {
    const file = this.#files.get(path!);
    if (file === undefined) {
      this.#stray += error.text;
      return;
    }
    file.message += error.text;
    file.status = "failed";
  }

  fileFailed({ path, error }: FileFailure): void {
    this.file({ path });
    const file = this.#files.get(path)!;
    file.status = "failed";
    if (file.message === "" && error !== undefined) file.message = error.text;
    this.#broken++;
  }

  fileEnd({ path }: FileRecord): void {
    this.#files.get(path)!.endTime = Date.now();
  }

  end(summary: Summary): void {
    const files = [...this.#files.values()];
    const broken = this.#broken;
    const failedFiles = files.filter((file) => file.status === "failed").length;
    const report = {
      numTotalTestSuites: files.length,
      numPassedTestSuites: files.length - failedFiles,
      numFailedTestSuites: failedFiles,
      numPendingTestSuites: 0,
      numRuntimeErrorTestSuites: broken,
      numTotalTests: summary.pass + summary.fail - broken + summary.skip + summary.todo + summary.filtered,
      numPassedTests: summary.pass,
      numFailedTests: summary.fail - broken,
      numPendingTests: summary.skip + summary.filtered,
      numTodoTests: summary.todo,
      snapshot: {
        added: summary.snapshots.added,
        matched: summary.snapshots.passed,
        unmatched: summary.snapshots.failed,
        total: summary.snapshots.total,
      },
      startTime: this.#started,
      success: !summary.failed,
      wasInterrupted: Boolean(summary.interrupted),
      ...(this.#stray === "" ? {} : { runExecError: { message: this.#stray } }),
      testResults: files,
    };
    write(this.#outfile, `${JSON.stringify(report)}\n`);
  }
}

/** https://testanything.org/tap-version-14-specification.html */
class Tap {
  #outfile: string | undefined;
  #text = "TAP version 14\n";
  #count = 0;

  constructor(outfile: string | undefined) {
    this.#outfile = outfile;
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#outfile !== undefined) return;
    write(undefined, this.#text);
    this.#text = "";
  }

  file({ title }: FileRecord): void {
    this.#add(`# ${title}\n`);
  }

  test(record: TestRecord): void {
    if (record.status === "filtered") return;
    const name = plain([...record.ancestors, record.title].join(" > "))
      .replace(/[\\#]/g, "\\$&")
      .replace(/[\x00-\x1f\x7f]/g, " ");
    const directive = record.status === "skip" ? " # SKIP" : record.status === "todo" ? " # TODO" : "";
    let text = `${record.status === "fail" ? "not ok" : "ok"} ${++this.#count} - ${name}${directive}\n`;
    const lines = [`duration_ms: ${Number(record.duration.toFixed(3))}`];
    for (const error of record.errors) {
      const [place] = error.places;
      if (place !== undefined) lines.push(`at: ${JSON.stringify(`${relativePath(place[0])}:${place[1]}:${place[2]}`)}`);
      // The number: how far the text is indented, which may begin with spaces of its own.
      lines.push("error: |2-", ...yamlLines(error.text, "  "));
      break;
    }
    text += `  ---\n${lines.map((line) => `  ${line}\n`).join("")}  ...\n`;
    this.#add(text);
  }

  error({ file, error, loading }: StrayError): void {
    if (!loading) this.fileFailed({ title: `${file || "(preload)"} (unhandled error)`, error });
  }

  fileFailed({ title, error }: Pick<FileFailure, "title" | "error">): void {
    const text = error === undefined ? "" : `  ---\n  error: |2-\n${yamlLines(error.text, "    ").join("\n")}\n  ...\n`;
    this.#add(`not ok ${++this.#count} - ${title}\n${text}`);
  }

  end(): void {
    this.#add(`1..${this.#count}\n`);
    if (this.#outfile !== undefined) write(this.#outfile, this.#text);
  }
}
