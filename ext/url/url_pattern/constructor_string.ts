// URL patterns written as one string, such as "https://*.example.com/:id?"
// (https://urlpattern.spec.whatwg.org/#constructor-string-parsing).
import { tokenize, type Token } from "internal/url/url_pattern/tokenizer";

/** The states; those from protocol to hash are also names of components, in their order. */
const states = [
  "init",
  "protocol",
  "authority",
  "username",
  "password",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
  "done",
] as const;
type State = (typeof states)[number];

function order(state: State): number {
  return states.indexOf(state);
}

/** Splits `text` into components; `isSpecial` tells whether a pattern for protocols matches a special scheme. */
export function parseConstructorString(text: string, isSpecial: (protocol: string) => boolean): Record<string, string> {
  return new Parser(text, isSpecial).result;
}

class Parser {
  readonly result: Record<string, string> = {};
  #text: string;
  #tokens: Token[];
  #isSpecial: (protocol: string) => boolean;
  #start = 0;
  #at = 0;
  #step = 1;
  #groups = 0;
  #brackets = 0;
  #special = false;
  #state: State = "init";

  constructor(text: string, isSpecial: (protocol: string) => boolean) {
    this.#text = text;
    this.#tokens = tokenize(text, true);
    this.#isSpecial = isSpecial;
    for (; this.#at < this.#tokens.length; this.#at += this.#step) {
      this.#step = 1;
      const { type } = this.#tokens[this.#at]!;
      if (type === "end") {
        if (this.#atEnd()) break;
        continue;
      }
      if (type === "open") {
        this.#groups++;
        continue;
      }
      if (this.#groups > 0) {
        if (type !== "close") continue;
        this.#groups--;
      }
      this.#next();
    }
    // Without a port, a host is a host on the default port.
    if (this.result.hostname !== undefined && this.result.port === undefined) this.result.port = "";
  }

  /** Handles the end of the text; true if it is the end of the work, too. */
  #atEnd(): boolean {
    if (this.#state === "init") {
      // No protocol was found: the text is relative.
      this.#rewind();
      if (this.#is("#")) this.#change("hash", 1);
      else if (this.#isSearch()) this.#change("search", 1);
      else this.#change("pathname", 0);
      return false;
    }
    if (this.#state === "authority") {
      this.#rewind();
      this.#state = "hostname";
      return false;
    }
    this.#change("done", 0);
    return true;
  }

  #next(): void {
    switch (this.#state) {
      case "init":
        if (this.#is(":")) {
          this.#rewind();
          this.#state = "protocol";
        }
        break;
      case "protocol":
        if (this.#is(":")) {
          this.#special = this.#isSpecial(this.#component());
          if (this.#is("/", 1) && this.#is("/", 2)) this.#change("authority", 3);
          else this.#change(this.#special ? "authority" : "pathname", 1);
        }
        break;
      case "authority":
        if (this.#is("@")) {
          this.#rewind();
          this.#state = "username";
        } else if (this.#is("/") || this.#isSearch() || this.#is("#")) {
          this.#rewind();
          this.#state = "hostname";
        }
        break;
      case "username":
        if (this.#is(":")) this.#change("password", 1);
        else if (this.#is("@")) this.#change("hostname", 1);
        break;
      case "password":
        if (this.#is("@")) this.#change("hostname", 1);
        break;
      case "hostname":
        if (this.#is("[")) this.#brackets++;
        else if (this.#is("]")) this.#brackets--;
        else if (this.#is(":") && this.#brackets === 0) this.#change("port", 1);
        else this.#pathOrLater();
        break;
      case "port":
        this.#pathOrLater();
        break;
      case "pathname":
        if (this.#isSearch()) this.#change("search", 1);
        else if (this.#is("#")) this.#change("hash", 1);
        break;
      case "search":
        if (this.#is("#")) this.#change("hash", 1);
        break;
    }
  }

  #pathOrLater(): void {
    if (this.#is("/")) this.#change("pathname", 0);
    else if (this.#isSearch()) this.#change("search", 1);
    else if (this.#is("#")) this.#change("hash", 1);
  }

  #rewind(): void {
    this.#at = this.#start;
    this.#step = 0;
  }

  /** Stores the component that ends here and goes on with another one, `skip` tokens further on. */
  #change(to: State, skip: number): void {
    const from = this.#state;
    if (from !== "init" && from !== "authority" && from !== "done") this.result[from] = this.#component();
    if (from !== "init" && to !== "done") {
      // Components that were skipped are empty, not wildcards.
      const passes = (component: State) => order(from) < order(component) && order(to) > order(component);
      if (passes("hostname")) this.result.hostname ??= "";
      if (passes("pathname")) this.result.pathname ??= this.#special ? "/" : "";
      if (passes("search")) this.result.search ??= "";
    }
    this.#state = to;
    this.#at += skip;
    this.#start = this.#at;
    this.#step = 0;
  }

  #component(): string {
    const from = this.#tokens[Math.min(this.#start, this.#tokens.length - 1)]!.index;
    return this.#text.slice(from, this.#tokens[this.#at]!.index);
  }

  #token(index: number): Token {
    return this.#tokens[Math.min(index, this.#tokens.length - 1)]!;
  }

  /** Whether the token is this character and has no meaning in patterns. */
  #is(character: string, offset = 0): boolean {
    const { type, value } = this.#token(this.#at + offset);
    return value === character && (type === "char" || type === "escaped-char" || type === "invalid-char");
  }

  /** Whether a "?" here starts the search; after a group it is a modifier. */
  #isSearch(): boolean {
    if (this.#is("?")) return true;
    if (this.#token(this.#at).value !== "?") return false;
    if (this.#at === 0) return true;
    return !/^(?:name|regexp|close|asterisk)$/.test(this.#token(this.#at - 1).type);
  }
}
