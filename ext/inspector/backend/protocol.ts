// Commands of the protocol (https://chromedevtools.github.io/devtools-protocol/v8/): parameters, answers, refusals.
import type { Session } from "internal/inspector/backend/session";

/** Parameters of commands and events, and answers. */
export type Fields = Record<string, unknown>;

/** What a command may give instead of an answer: it sends one later by `session.respond`. */
export const LATER = Symbol("later");

/** A command of the protocol. */
export type Command = (session: Session, params: Fields, id: number) => Fields | typeof LATER;

/** The protocol's error numbers. */
const SERVER_ERROR = -32000;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;

/** What a command ends with that does not succeed. */
export class Refusal extends Error {
  readonly code: number;

  constructor(message: string, code = SERVER_ERROR) {
    super(message);
    this.code = code;
  }
}

/** A parameter that must be a string. */
export function text(params: Fields, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw new Refusal("Invalid parameters", INVALID_PARAMS);
  return value;
}

/** A parameter that is a string if it is there. */
export function optionalText(params: Fields, name: string): string | undefined {
  return params[name] === undefined ? undefined : text(params, name);
}

/** A parameter that is a number if it is there. */
export function optionalNumber(params: Fields, name: string): number | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw new Refusal("Invalid parameters", INVALID_PARAMS);
  return value;
}

/** A parameter that must be a number. */
export function number(params: Fields, name: string): number {
  const value = optionalNumber(params, name);
  if (value === undefined) throw new Refusal("Invalid parameters", INVALID_PARAMS);
  return value;
}

/** A parameter that must be a boolean. */
export function flag(params: Fields, name: string): boolean {
  const value = params[name];
  if (typeof value !== "boolean") throw new Refusal("Invalid parameters", INVALID_PARAMS);
  return value;
}
