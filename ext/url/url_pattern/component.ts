// One component of a URL pattern: its parts, its regular expression, its text
// (https://urlpattern.spec.whatwg.org/#parse-a-pattern-string and the sections after it).
import { isNameCharacter, tokenize, type Token, type TokenType } from "internal/url/url_pattern/tokenizer";

export interface Options {
  /** Character that ends a segment wildcard, or "". */
  delimiter: string;
  /** Character that becomes part of the group that follows it, or "". */
  prefix: string;
  ignoreCase: boolean;
}

type PartType = "fixed-text" | "regexp" | "segment-wildcard" | "full-wildcard";

interface Part {
  type: PartType;
  value: string;
  /** "", "?", "*" or "+". */
  modifier: string;
  name: string;
  prefix: string;
  suffix: string;
}

/** Turns text of a pattern into how a URL would write it; throws TypeError if a URL could not. */
type Encode = (text: string) => string;

const FULL_WILDCARD = ".*";

function escapeRegexp(text: string): string {
  return text.replace(/[.+*?^${}()[\]|/\\]/g, "\\$&");
}

/** Escapes text so that it stands for itself in a pattern. */
export function escapePattern(text: string): string {
  return text.replace(/[+*?:{}()\\]/g, "\\$&");
}

function segmentWildcard(options: Options): string {
  return `[^${escapeRegexp(options.delimiter)}]+?`;
}

class PatternParser {
  #tokens: Token[];
  #at = 0;
  #pending = "";
  #number = 0;
  #options: Options;
  #encode: Encode;
  readonly parts: Part[] = [];

  constructor(text: string, options: Options, encode: Encode) {
    this.#tokens = tokenize(text, false);
    this.#options = options;
    this.#encode = encode;
    this.#parse(text);
  }

  #take(type: TokenType): Token | undefined {
    const token = this.#tokens[this.#at]!;
    if (token.type !== type) return undefined;
    this.#at++;
    return token;
  }

  #parse(text: string): void {
    while (true) {
      const char = this.#take("char");
      const name = this.#take("name");
      const matcher = this.#takeMatcher(name);
      if (name !== undefined || matcher !== undefined) {
        let prefix = char?.value ?? "";
        if (prefix !== "" && prefix !== this.#options.prefix) {
          this.#pending += prefix;
          prefix = "";
        }
        this.#flush();
        this.#add(prefix, name, matcher, "", this.#takeModifier());
        continue;
      }
      const fixed = char ?? this.#take("escaped-char");
      if (fixed !== undefined) {
        this.#pending += fixed.value;
        continue;
      }
      if (this.#take("open") !== undefined) {
        const prefix = this.#takeText();
        const groupName = this.#take("name");
        const groupMatcher = this.#takeMatcher(groupName);
        const suffix = this.#takeText();
        if (this.#take("close") === undefined) throw this.#error(text, "}");
        this.#add(prefix, groupName, groupMatcher, suffix, this.#takeModifier());
        continue;
      }
      this.#flush();
      if (this.#take("end") === undefined) throw this.#error(text, "the end");
      return;
    }
  }

  #error(text: string, wanted: string): TypeError {
    return new TypeError(`Invalid URL pattern: expected ${wanted} at ${this.#tokens[this.#at]!.index} in "${text}"`);
  }

  #takeMatcher(name: Token | undefined): Token | undefined {
    return this.#take("regexp") ?? (name === undefined ? this.#take("asterisk") : undefined);
  }

  #takeModifier(): string {
    return (this.#take("other-modifier") ?? this.#take("asterisk"))?.value ?? "";
  }

  #takeText(): string {
    let text = "";
    for (let token; (token = this.#take("char") ?? this.#take("escaped-char")) !== undefined;) text += token.value;
    return text;
  }

  #fixed(text: string, modifier: string): void {
    this.parts.push({ type: "fixed-text", value: this.#encode(text), modifier, name: "", prefix: "", suffix: "" });
  }

  #flush(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#fixed(text, "");
  }

  #add(prefix: string, name: Token | undefined, matcher: Token | undefined, suffix: string, modifier: string): void {
    if (name === undefined && matcher === undefined && modifier === "") {
      this.#pending += prefix;
      return;
    }
    this.#flush();
    if (name === undefined && matcher === undefined) {
      if (prefix !== "") this.#fixed(prefix, modifier);
      return;
    }
    let value =
      matcher === undefined
        ? segmentWildcard(this.#options)
        : matcher.type === "asterisk"
          ? FULL_WILDCARD
          : matcher.value;
    let type: PartType = "regexp";
    if (value === segmentWildcard(this.#options)) type = "segment-wildcard";
    else if (value === FULL_WILDCARD) type = "full-wildcard";
    if (type !== "regexp") value = "";
    const groupName = name?.value ?? String(this.#number++);
    if (this.parts.some((part) => part.name === groupName)) {
      throw new TypeError(`Invalid URL pattern: two groups have the name "${groupName}"`);
    }
    this.parts.push({
      type,
      value,
      modifier,
      name: groupName,
      prefix: prefix === "" ? "" : this.#encode(prefix),
      suffix: suffix === "" ? "" : this.#encode(suffix),
    });
  }
}

/** The source of the regular expression for parts, and the names of its groups. */
function toRegexp(parts: Part[], options: Options): { source: string; names: string[] } {
  let source = "^";
  const names: string[] = [];
  for (const part of parts) {
    const { modifier } = part;
    if (part.type === "fixed-text") {
      source += modifier === "" ? escapeRegexp(part.value) : `(?:${escapeRegexp(part.value)})${modifier}`;
      continue;
    }
    names.push(part.name);
    const value =
      part.type === "segment-wildcard"
        ? segmentWildcard(options)
        : part.type === "full-wildcard"
          ? FULL_WILDCARD
          : part.value;
    const prefix = escapeRegexp(part.prefix);
    const suffix = escapeRegexp(part.suffix);
    const repeats = modifier === "*" || modifier === "+";
    if (prefix === "" && suffix === "") {
      source += repeats ? `((?:${value})${modifier})` : `(${value})${modifier}`;
    } else if (!repeats) {
      source += `(?:${prefix}(${value})${suffix})${modifier}`;
    } else {
      // Prefix and suffix stand between the repetitions and around them, but not in what the group captures at its ends.
      source += `(?:${prefix}((?:${value})(?:${suffix}${prefix}(?:${value}))*)${suffix})${modifier === "*" ? "?" : ""}`;
    }
  }
  return { source: `${source}$`, names };
}

/** The text of a pattern for parts: what was written, in one canonical way. */
function toText(parts: Part[], options: Options): string {
  let text = "";
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    const previous = parts[i - 1];
    const next = parts[i + 1];
    if (part.type === "fixed-text") {
      const escaped = escapePattern(part.value);
      text += part.modifier === "" ? escaped : `{${escaped}}${part.modifier}`;
      continue;
    }
    const named = !/^\d/.test(part.name);
    let grouped = part.suffix !== "" || (part.prefix !== "" && part.prefix !== options.prefix);
    if (
      !grouped &&
      named &&
      part.type === "segment-wildcard" &&
      part.modifier === "" &&
      next?.prefix === "" &&
      next.suffix === ""
    ) {
      // What follows must not read as more of the name.
      if (next.type === "fixed-text") {
        const first = next.value.codePointAt(0);
        grouped = first !== undefined && isNameCharacter(String.fromCodePoint(first), false);
      } else {
        grouped = /^\d/.test(next.name);
      }
    }
    if (!grouped && part.prefix === "" && previous?.type === "fixed-text" && options.prefix !== "") {
      // What precedes must not read as the prefix.
      grouped = previous.value.endsWith(options.prefix);
    }
    let body = escapePattern(part.prefix);
    if (named) body += `:${part.name}`;
    if (part.type === "regexp") {
      body += `(${part.value})`;
    } else if (part.type === "segment-wildcard") {
      if (!named) body += `(${segmentWildcard(options)})`;
    } else {
      const bare =
        !named &&
        (previous === undefined ||
          previous.type === "fixed-text" ||
          previous.modifier !== "" ||
          grouped ||
          part.prefix !== "");
      body += bare ? "*" : `(${FULL_WILDCARD})`;
    }
    if (part.type === "segment-wildcard" && named && part.suffix !== "") {
      const first = String.fromCodePoint(part.suffix.codePointAt(0)!);
      if (isNameCharacter(first, false)) body += "\\";
    }
    body += escapePattern(part.suffix);
    text += (grouped ? `{${body}}` : body) + part.modifier;
  }
  return text;
}

/** What a component matched: the input and its groups. */
export interface Match {
  input: string;
  groups: Record<string, string | undefined>;
}

/** A compiled component. */
export class Component {
  readonly text: string;
  readonly hasRegExpGroups: boolean;
  #regexp: RegExp | undefined;
  #names: string[];
  /** For a component that is nothing but "*". */
  #all: boolean;
  /** For a component without wildcards: the only text it matches. */
  #only: string | undefined;

  /** Throws TypeError for a pattern that is not well-formed or that no URL could match by its form. */
  constructor(text: string, encode: Encode, options: Options) {
    const { parts } = new PatternParser(text, options, encode);
    const { source, names } = toRegexp(parts, options);
    this.#names = names;
    this.#all =
      parts.length === 1 &&
      parts[0]!.type === "full-wildcard" &&
      parts[0]!.prefix === "" &&
      parts[0]!.suffix === "" &&
      parts[0]!.modifier === "";
    const fixed = parts.every((part) => part.type === "fixed-text" && part.modifier === "");
    if (fixed && !options.ignoreCase) {
      this.#only = parts.map((part) => part.value).join("");
    } else if (!this.#all) {
      try {
        this.#regexp = new RegExp(source, options.ignoreCase ? "vi" : "v");
      } catch (cause) {
        throw new TypeError(`Invalid URL pattern: "${text}" has an invalid regular expression`, { cause });
      }
    }
    this.text = toText(parts, options);
    this.hasRegExpGroups = parts.some((part) => part.type === "regexp");
  }

  test(input: string): boolean {
    if (this.#only !== undefined) return this.#only === input;
    // A dot does not match line terminators, which a URL cannot have.
    return this.#all ? !/[\n\r\u2028\u2029]/.test(input) : this.#regexp!.test(input);
  }

  match(input: string): Match | null {
    if (this.#only !== undefined) return this.#only === input ? { input, groups: {} } : null;
    if (this.#all) return this.test(input) ? { input, groups: { [this.#names[0]!]: input } } : null;
    const found = this.#regexp!.exec(input);
    if (found === null) return null;
    const groups: Record<string, string | undefined> = {};
    for (let i = 0; i < this.#names.length; i++) groups[this.#names[i]!] = found[i + 1];
    return { input, groups };
  }
}
