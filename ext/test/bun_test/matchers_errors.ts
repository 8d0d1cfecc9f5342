// toThrow and its synonym.
import {
  addMatcher,
  type Expectation,
  fail,
  later,
  showExpected,
  showReceived,
  text,
} from "internal/test/bun_test/expect";
import { isAsymmetric } from "internal/test/bun_test/equality";
import { green, red } from "internal/test/bun_test/message_colors";

/** How a call ended. */
export interface Outcome {
  threw: boolean;
  error: unknown;
  returned: unknown;
}

/** Calls the received function, or takes what a promise was rejected with; a promise of the outcome for a function that returns one. */
export function outcomeOf(e: Expectation): Outcome | Promise<Outcome> {
  const { value, settled } = e;
  // As in Jest, an Error that a promise was settled with counts as thrown.
  if (settled === "rejects" || (settled === "resolves" && value instanceof Error))
    return { threw: true, error: value, returned: undefined };
  if (typeof value !== "function") {
    if (settled === "resolves") return { threw: false, error: undefined, returned: value };
    throw new Error("Expected value must be a function");
  }
  let returned: unknown;
  try {
    returned = value();
  } catch (error) {
    // A rejected promise that is thrown has been looked at.
    if (require("internal/util/types").isPromise(error)) error.then(undefined, () => {});
    return { threw: true, error, returned: undefined };
  }
  if (require("internal/util/types").isPromise(returned)) {
    return returned.then(
      (result) => ({ threw: false, error: undefined, returned: result }),
      (error: unknown) => ({ threw: true, error, returned: undefined }),
    );
  }
  return { threw: false, error: undefined, returned };
}

export const messageOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "message" in error) return `${error.message}`;
  return typeof error === "symbol" ? error.toString() : `${error}`;
};

const nameOf = (value: unknown): string =>
  value === null || value === undefined ? `${value}` : value.constructor?.name || "Object";

type Kind = "any" | "substring" | "pattern" | "constructor" | "message" | "value";

function kindOf(expected: unknown): Kind {
  if (expected === undefined || expected === "") return "any";
  if (typeof expected === "string") return "substring";
  if (expected instanceof RegExp) return "pattern";
  if (isAsymmetric(expected)) return "value";
  if (typeof expected === "function") return "constructor";
  if (typeof expected === "object" && expected !== null)
    return "message" in expected
      ? "message"
      : typeof (expected as { test?: unknown }).test === "function"
        ? "pattern"
        : "value";
  throw new Error(`Expected value must be string or Error: ${text(expected)}`);
}

function matches(kind: Kind, error: unknown, expected: unknown): boolean {
  switch (kind) {
    case "any":
      return true;
    case "substring":
      return messageOf(error).includes(expected as string);
    case "pattern":
      return expected instanceof RegExp
        ? new RegExp(expected).test(messageOf(error))
        : Boolean((expected as { test(text: string): unknown }).test(messageOf(error)));
    case "constructor":
      return error instanceof (expected as Function);
    case "message":
      return messageOf(error) === `${(expected as Error).message}`;
    case "value":
      return require("internal/test/bun_test/equality").equals(error, expected);
  }
}

function check(e: Expectation, name: string, expected: unknown, { threw, error, returned }: Outcome): void {
  const { isNot } = e;
  const kind = kindOf(expected);
  const pass = threw && matches(kind, error, expected);
  if (pass !== isNot) return;
  if (kind === "any") {
    if (!isNot) fail(e, name, "", `Received function did not throw\nReceived value: ${showReceived(returned)}\n`);
    if (error instanceof Error)
      fail(e, name, "", `Error name: ${showReceived(error.name)}\nError message: ${showReceived(error.message)}\n`);
    fail(e, name, "", `Thrown value: ${showReceived(error)}\n`);
  }
  const wanted =
    kind === "constructor"
      ? green((expected as Function).name || "(anonymous)")
      : showExpected(kind === "message" ? (expected as Error).message : expected);
  const head = `Expected ${kind}: ${isNot ? "not " : ""}${wanted}\n`;
  if (!threw)
    fail(e, name, "expected", `${head}\nReceived function did not throw\nReceived value: ${showReceived(returned)}\n`);
  const received = `Received message: ${showReceived(messageOf(error))}\n`;
  switch (kind) {
    case "constructor":
      fail(
        e,
        name,
        "expected",
        isNot
          ? `${head}\n${received}`
          : `${head}Received constructor: ${showReceivedName(nameOf(error))}\n\n${received}`,
      );
    case "message":
      if (isNot) fail(e, name, "expected", head);
      fail(e, name, "expected", head + received);
    case "value":
      fail(e, name, "expected", isNot ? head : `${head}Received value: ${showReceived(error)}\n`);
    default:
      fail(e, name, "expected", head + received);
  }
}

const showReceivedName = (name: string): string => red(name);

export function install(): void {
  for (const name of ["toThrow", "toThrowError"]) {
    addMatcher(name, "expected", function (this: Expectation, expected?: unknown) {
      kindOf(expected);
      const outcome = outcomeOf(this);
      if (outcome instanceof Promise)
        return later(() => outcome.then((result) => check(this, "toThrow", expected, result)));
      return check(this, "toThrow", expected, outcome);
    });
  }
}
