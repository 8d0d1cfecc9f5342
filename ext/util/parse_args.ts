// `util.parseArgs` (https://nodejs.org/api/util.html#utilparseargsconfig).

import { codes } from "internal/core/errors";
import {
  validateArray,
  validateBoolean,
  validateBooleanArray,
  validateObject,
  validateString,
  validateStringArray,
  validateUnion,
} from "internal/core/validators";

const { hasOwn } = Object;

type Token =
  | {
      kind: "option";
      name: string;
      rawName: string;
      index: number;
      value: string | undefined;
      inlineValue: boolean | undefined;
    }
  | { kind: "positional"; index: number; value: string }
  | { kind: "option-terminator"; index: number };

// The arguments of the program: process.argv without the executable and, unless the program is given with -e or -p, the
// script.
function mainArgs(): string[] {
  const { execArgv, argv } = process;
  for (const arg of execArgv) {
    if (
      arg === "-e" ||
      arg === "--eval" ||
      arg === "-p" ||
      arg === "-pe" ||
      arg === "--print" ||
      arg.startsWith("--eval=")
    ) {
      return argv.slice(1);
    }
  }
  return argv.slice(2);
}

/** The description of an option. */
interface OptionSettings {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  default?: string | boolean | string[] | boolean[];
}
type Options = { [name: string]: OptionSettings };
interface Strictness {
  options: Options;
  allowNegative: boolean;
  allowPositionals: boolean;
}
type Values = { [name: string]: unknown };

const own = <K extends keyof OptionSettings>(options: Options, name: string, key: K): OptionSettings[K] | undefined =>
  hasOwn(options, name) ? options[name]![key] : undefined;

function checkOptions(options: Options) {
  for (const [name, option] of Object.entries<unknown>(options)) {
    validateObject(option, `options.${name}`);
    validateUnion(own(options, name, "type"), `options.${name}.type`, ["string", "boolean"]);
    if (hasOwn(option, "short")) {
      validateString(option.short, `options.${name}.short`);
      if (option.short.length !== 1) {
        throw new codes.ERR_INVALID_ARG_VALUE(`options.${name}.short`, option.short, "must be a single character");
      }
    }
    const multiple = own(options, name, "multiple");
    if (hasOwn(option, "multiple")) validateBoolean(multiple, `options.${name}.multiple`);
    const value = own(options, name, "default");
    if (value !== undefined) {
      const at = `options.${name}.default`;
      const isText = option.type === "string";
      if (isText && multiple) validateStringArray(value, at);
      else if (isText) validateString(value, at);
      else if (multiple) validateBooleanArray(value, at);
      else validateBoolean(value, at);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Tokens

const longNameOf = (short: string, options: Options): string =>
  Object.keys(options).find((name) => own(options, name, "short") === short) ?? short;

function* tokensOf(args: string[], options: Options): Generator<Token> {
  // Short options of a group are put back before the rest, at the same index.
  const rest = [...args];
  let index = -1;
  let inGroup = 0;
  while (rest.length > 0) {
    const arg = rest.shift()!;
    const next = rest[0];
    if (inGroup > 0) inGroup--;
    else index++;

    if (arg === "--") {
      yield { kind: "option-terminator", index };
      for (const value of rest) yield { kind: "positional", index: ++index, value };
      return;
    }
    if (arg.length === 2 && arg[0] === "-" && arg[1] !== "-") {
      // -f
      const name = longNameOf(arg[1]!, options);
      let value: string | undefined;
      let inlineValue: boolean | undefined;
      if (own(options, name, "type") === "string" && next != null) {
        value = rest.shift();
        inlineValue = false;
      }
      yield { kind: "option", name, rawName: arg, index, value, inlineValue };
      if (value !== undefined) index++;
      continue;
    }
    if (arg.length > 2 && arg[0] === "-" && arg[1] !== "-") {
      const first = longNameOf(arg[1]!, options);
      if (own(options, first, "type") !== "string") {
        // -abc: -a -b -c, of which the last may have a value, as a whole if it comes before the end.
        const expanded: string[] = [];
        for (let i = 1; i < arg.length; i++) {
          const short = arg[i]!;
          if (own(options, longNameOf(short, options), "type") !== "string" || i === arg.length - 1)
            expanded.push(`-${short}`);
          else {
            expanded.push(`-${arg.slice(i)}`);
            break;
          }
        }
        rest.unshift(...expanded);
        inGroup = expanded.length;
        // The first of them takes the place of this argument.
        continue;
      }
      // -fVALUE
      yield { kind: "option", name: first, rawName: `-${arg[1]}`, index, value: arg.slice(2), inlineValue: true };
      continue;
    }
    if (arg.length > 2 && arg.startsWith("--")) {
      const equals = arg.indexOf("=", 3);
      if (equals >= 0) {
        // --foo=value
        const name = arg.slice(2, equals);
        yield { kind: "option", name, rawName: `--${name}`, index, value: arg.slice(equals + 1), inlineValue: true };
        continue;
      }
      const name = arg.slice(2);
      let value: string | undefined;
      let inlineValue: boolean | undefined;
      if (own(options, name, "type") === "string" && next != null) {
        value = rest.shift();
        inlineValue = false;
      }
      yield { kind: "option", name, rawName: arg, index, value, inlineValue };
      if (value !== undefined) index++;
      continue;
    }
    yield { kind: "positional", index, value: arg };
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks of strict mode

type OptionToken = Extract<Token, { kind: "option" }>;

function checkKnown(token: OptionToken, { options, allowNegative, allowPositionals }: Strictness) {
  if (hasOwn(options, token.name)) return;
  if (allowNegative && token.name.startsWith("no-")) {
    const positive = token.name.slice(3);
    if (hasOwn(options, positive) && own(options, positive, "type") === "boolean") return;
  }
  throw new codes.ERR_PARSE_ARGS_UNKNOWN_OPTION(token.rawName, allowPositionals);
}

function checkUsage(token: OptionToken, { options }: Strictness) {
  const isNegated = !hasOwn(options, token.name);
  const name = isNegated ? token.name.slice(3) : token.name;
  const short = own(options, name, "short");
  const shown = `${short ? `-${short}, ` : ""}--${token.name}`;
  const type = own(options, name, "type");
  if (type === "string" && typeof token.value !== "string") {
    throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shown} <value>' argument missing`);
  }
  if (type === "boolean" && token.value != null) {
    throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shown}' does not take an argument`);
  }
}

// `--foo --bar` where --foo takes a value: most likely the value was forgotten.
function checkAmbiguous(token: OptionToken) {
  if (token.inlineValue || token.value === undefined || token.value.length < 2 || token.value[0] !== "-") return;
  const example = token.rawName.startsWith("--")
    ? `'${token.rawName}=-XYZ'`
    : `'--${token.name}=-XYZ' or '${token.rawName}-XYZ'`;
  throw new codes.ERR_PARSE_ARGS_INVALID_OPTION_VALUE(
    `Option '${token.rawName}' argument is ambiguous.
Did you forget to specify the option argument for '${token.rawName}'?
To specify an option argument starting with a dash use ${example}.`,
  );
}

function store(token: OptionToken, options: Options, values: Values, allowNegative: boolean) {
  let { name, value }: { name: string; value: string | boolean | undefined } = token;
  if (name === "__proto__") return;
  // `--no-color` is false for "color", even if there is an option of just this name.
  if (allowNegative && value === undefined && name.startsWith("no-")) {
    token.name = name = name.slice(3);
    value = false;
  }
  value ??= true;
  if (own(options, name, "multiple")) {
    if (hasOwn(values, name)) (values[name] as unknown[]).push(value);
    else values[name] = [value];
  } else {
    values[name] = value;
  }
}

export interface ParseArgsConfig {
  args?: string[];
  options?: Options;
  strict?: boolean;
  allowPositionals?: boolean;
  allowNegative?: boolean;
  tokens?: boolean;
}

/**
 * Parses command-line arguments. Options: args (those of the program), options, strict (true), allowPositionals (not
 * strict), allowNegative (false), tokens (false). Returns values (an object without a prototype), positionals and, if
 * wanted, tokens.
 */
export function parseArgs(config: ParseArgsConfig | null = {}) {
  const get = (key: keyof ParseArgsConfig, fallback: unknown): unknown =>
    config != null && hasOwn(config, key) ? (config[key] ?? fallback) : fallback;
  const args = get("args", undefined) ?? mainArgs();
  const strict = get("strict", true);
  const allowPositionals = get("allowPositionals", !strict);
  const wantTokens = get("tokens", false);
  const allowNegative = get("allowNegative", false);
  const options = get("options", Object.create(null));
  validateArray(args, "args");
  validateBoolean(strict, "strict");
  validateBoolean(allowPositionals, "allowPositionals");
  validateBoolean(wantTokens, "tokens");
  validateBoolean(allowNegative, "allowNegative");
  validateObject(options, "options");
  checkOptions(options as Options);
  const settings = { options, allowNegative, allowPositionals } as Strictness;

  const values: Values = Object.create(null);
  const positionals: string[] = [];
  const tokens = [...tokensOf(args as string[], options as Options)];
  for (const token of tokens) {
    if (token.kind === "option") {
      if (strict) {
        checkKnown(token, settings);
        checkUsage(token, settings);
        checkAmbiguous(token);
      }
      store(token, options as Options, values, allowNegative);
    } else if (token.kind === "positional") {
      if (!allowPositionals) throw new codes.ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(token.value);
      positionals.push(token.value);
    }
  }
  for (const [name, option] of Object.entries(options as Options)) {
    if (name !== "__proto__" && option.default !== undefined && values[name] === undefined)
      values[name] = option.default;
  }
  return wantTokens ? { values, positionals, tokens } : { values, positionals };
}
