/**
 * Decoding of what terminals send for keys (characters, control characters, escape sequences of xterm,
 * rxvt, putty, gnome, cygwin and libuv) into `keypress` events:
 * (character, { sequence, name, ctrl, meta, shift, code }).
 */
import type { Key } from "internal/repl/types";
import { charLengthAt } from "internal/repl/readline/text";

/** Default time in ms to wait for the rest of an escape sequence before it counts as the Escape key. */
export const ESCAPE_CODE_TIMEOUT = 500;

const ESC = "\x1b";

const kDecoder = Symbol("keypress-decoder");
const kKeys = Symbol("escape-decoder");

/** A stream that emits `keypress`. */
export interface KeySource {
  [kDecoder]?: { write(data: unknown): string };
  [kKeys]?: KeyDecoder;
  emit(type: string, ...args: unknown[]): boolean;
  on(type: string, listener: (value: never) => void): unknown;
  removeListener(type: string, listener: (value: never) => void): unknown;
  listenerCount(type: string): number;
}

/** Names of the keys by the final part of their sequences; "shift" and "ctrl" are part of some. */
let names: Record<string, string> | undefined;

function keyNames(): Record<string, string> {
  const table: Record<string, string> = { __proto__: null as never };
  const add = (list: string) => {
    for (const entry of list.split(" ")) {
      const [name, ...sequences] = entry.split("|");
      for (const sequence of sequences) table[sequence] = name;
    }
  };
  // Function keys: xterm (O_ and [_), rxvt ([1n~), cygwin and libuv ([[_).
  add("f1|[P|OP|[11~|[[A f2|[Q|OQ|[12~|[[B f3|[R|OR|[13~|[[C f4|[S|OS|[14~|[[D f5|[15~|[[E");
  add("f6|[17~ f7|[18~ f8|[19~ f9|[20~ f10|[21~ f11|[23~ f12|[24~");
  add("paste-start|[200~ paste-end|[201~");
  add("up|[A|OA down|[B|OB right|[C|OC left|[D|OD clear|[E|OE end|[F|OF home|[H|OH");
  add("home|[1~|[7~ insert|[2~ delete|[3~ end|[4~|[8~ pageup|[5~|[[5~ pagedown|[6~|[[6~");
  // rxvt marks shift and ctrl by the letter's case, by O, and by $ and ^ instead of ~.
  add("shift+up|[a shift+down|[b shift+right|[c shift+left|[d shift+clear|[e");
  add("shift+insert|[2$ shift+delete|[3$ shift+pageup|[5$ shift+pagedown|[6$ shift+home|[7$ shift+end|[8$");
  add("ctrl+up|Oa ctrl+down|Ob ctrl+right|Oc ctrl+left|Od ctrl+clear|Oe");
  add("ctrl+insert|[2^ ctrl+delete|[3^ ctrl+pageup|[5^ ctrl+pagedown|[6^ ctrl+home|[7^ ctrl+end|[8^");
  add("shift+tab|[Z");
  return table;
}

// Where in a sequence the decoder is.
const START = 0;
const AFTER_ESC = 1;
const AFTER_ESC_ESC = 2;
const AFTER_O = 3;
const AFTER_O_MODIFIER = 4;
const AFTER_BRACKET = 5;
// Up to three digits, then perhaps ";" and one digit, then the final character.
const DIGIT_1 = 6;
const DIGIT_2 = 7;
const DIGIT_3 = 8;
const AFTER_DIGITS = 9;
const AFTER_SEMICOLON = 10;
const FINAL = 11;

const isDigit = (char: string) => char >= "0" && char <= "9";

const numbered = /^(?:(\d\d?)(?:;(\d))?([~^$])|(\d{3}~))$/;
const lettered = /^((\d;)?(\d))?([A-Za-z])$/;

/** Takes characters one by one and emits `keypress` on `stream`. "" says that no more comes for now. */
class KeyDecoder {
  stream: KeySource;
  state = START;
  sequence = "";
  escaped = false;
  // Of an ESC O or ESC [ sequence: its normal form, its numeric modifier, and where its parameters begin.
  code = "";
  modifier = 0;
  paramsAt = 0;

  constructor(stream: KeySource) {
    this.stream = stream;
  }

  reset(): void {
    this.state = START;
    this.sequence = "";
    this.escaped = false;
    this.code = "";
    this.modifier = 0;
  }

  feed(char: string): void {
    this.sequence += char;
    switch (this.state) {
      case START:
        if (char === ESC) {
          this.escaped = true;
          this.state = AFTER_ESC;
        } else {
          this.finishPlain(char);
        }
        return;
      case AFTER_ESC:
        // Alt sends ESC too: one more may come before the sequence.
        if (char === ESC) this.state = AFTER_ESC_ESC;
        else this.afterEscape(char);
        return;
      case AFTER_ESC_ESC:
        this.afterEscape(char);
        return;
      case AFTER_O:
        if (isDigit(char)) {
          this.modifier = Number(char) - 1;
          this.state = AFTER_O_MODIFIER;
        } else {
          this.code += char;
          this.finishCode();
        }
        return;
      case AFTER_O_MODIFIER:
        this.code += char;
        this.finishCode();
        return;
      case AFTER_BRACKET:
        if (char === "[") {
          this.code += char;
          this.paramsAt = this.sequence.length;
          this.state = DIGIT_1;
        } else {
          this.paramsAt = this.sequence.length - 1;
          this.parameter(char, DIGIT_2);
        }
        return;
      case DIGIT_1:
        this.parameter(char, DIGIT_2);
        return;
      case DIGIT_2:
        this.parameter(char, DIGIT_3);
        return;
      case DIGIT_3:
        this.parameter(char, AFTER_DIGITS);
        return;
      case AFTER_DIGITS:
        if (char === ";") this.state = AFTER_SEMICOLON;
        else this.finishParameters();
        return;
      case AFTER_SEMICOLON:
        if (isDigit(char)) this.state = FINAL;
        else this.finishParameters();
        return;
      default:
        this.finishParameters();
    }
  }

  afterEscape(char: string): void {
    if (char === "O") {
      this.code = "O";
      this.state = AFTER_O;
    } else if (char === "[") {
      this.code = "[";
      this.state = AFTER_BRACKET;
    } else {
      this.finishPlain(char);
    }
  }

  parameter(char: string, next: number): void {
    if (isDigit(char)) this.state = next;
    else if (char === ";") this.state = AFTER_SEMICOLON;
    else this.finishParameters();
  }

  finishParameters(): void {
    const params = this.sequence.slice(this.paramsAt);
    let match: RegExpExecArray | null;
    if ((match = numbered.exec(params)) !== null) {
      if (match[4]) {
        this.code += match[4];
      } else {
        this.code += match[1] + match[3];
        this.modifier = Number(match[2] || 1) - 1;
      }
    } else if ((match = lettered.exec(params)) !== null) {
      this.code += match[4];
      this.modifier = Number(match[3] || 1) - 1;
    } else {
      this.code += params;
    }
    this.finishCode();
  }

  finishCode(): void {
    const { code, modifier } = this;
    const key: Key = {
      sequence: this.sequence,
      name: undefined,
      // xterm adds 1 to a sum of shift 1, alt 2, ctrl 4, meta 8.
      ctrl: (modifier & 4) !== 0,
      meta: (modifier & 10) !== 0,
      shift: (modifier & 1) !== 0,
      code,
    };
    let name = (names ??= keyNames())[code] ?? "undefined";
    if (name.startsWith("shift+")) {
      key.shift = true;
      name = name.slice(6);
    } else if (name.startsWith("ctrl+")) {
      key.ctrl = true;
      name = name.slice(5);
    }
    key.name = name;
    this.emit(key);
  }

  finishPlain(char: string): void {
    const { escaped } = this;
    const key: Key = { sequence: this.sequence, name: undefined, ctrl: false, meta: false, shift: false };
    if (char === "\r") {
      key.name = "return";
      key.meta = escaped;
    } else if (char === "\n") {
      key.name = "enter";
      key.meta = escaped;
    } else if (char === "\t") {
      key.name = "tab";
      key.meta = escaped;
    } else if (char === "\b" || char === "\x7f") {
      key.name = "backspace";
      key.meta = escaped;
    } else if (char === ESC) {
      key.name = "escape";
      key.meta = escaped;
    } else if (char === " ") {
      key.name = "space";
      key.meta = escaped;
    } else if (!escaped && char !== "" && char <= "\x1a") {
      key.name = String.fromCharCode(char.charCodeAt(0) + 96);
      key.ctrl = true;
    } else if (/^[0-9A-Za-z]$/.test(char)) {
      key.name = char.toLowerCase();
      key.shift = char >= "A" && char <= "Z";
      key.meta = escaped;
    } else if (escaped) {
      // ESC alone, or with a character that has no name.
      key.name = char.length ? undefined : "escape";
      key.meta = true;
    }
    this.emit(key);
  }

  emit(key: Key): void {
    const { sequence, escaped } = this;
    // Before the event: a listener that throws must not leave the sequence half done.
    this.reset();
    if (sequence.length !== 0 && (key.name !== undefined || escaped)) {
      this.stream.emit("keypress", escaped ? undefined : sequence, key);
    } else if (charLengthAt(sequence, 0) === sequence.length) {
      this.stream.emit("keypress", sequence, key);
    }
  }
}

/**
 * readline.emitKeypressEvents(stream[, interface]): makes `stream` emit `keypress` while somebody listens.
 * The interface provides escapeCodeTimeout, and gets _sawKeyPress and isCompletionEnabled kept.
 */
export function emitKeypressEvents(
  stream: KeySource,
  iface: { escapeCodeTimeout?: number; _sawKeyPress?: boolean; isCompletionEnabled?: unknown } = {},
): void {
  if (stream[kDecoder]) return;
  const { StringDecoder } = require("node:string_decoder");
  stream[kDecoder] = new StringDecoder("utf8");
  const keys = (stream[kKeys] = new KeyDecoder(stream));

  const { escapeCodeTimeout = ESCAPE_CODE_TIMEOUT } = iface;
  const { setTimeout, clearTimeout } = globalThis;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function onData(input: unknown) {
    if (stream.listenerCount("keypress") === 0) {
      // Nobody is watching any more.
      stream.removeListener("data", onData);
      stream.on("newListener", onNewListener);
      return;
    }
    const text: string = stream[kDecoder]!.write(input);
    if (!text) return;
    clearTimeout(timer);

    iface._sawKeyPress = charLengthAt(text, 0) === text.length;
    // A tab in the middle of pasted text is no request for completion.
    iface.isCompletionEnabled = false;
    let length = 0;
    for (const char of text) {
      length += char.length;
      if (length === text.length) iface.isCompletionEnabled = true;
      keys.feed(char);
      if (length === text.length && char === ESC)
        timer = setTimeout(() => {
          keys.feed("");
        }, escapeCodeTimeout);
    }
  }

  function onNewListener(event: string | symbol) {
    if (event === "keypress") {
      stream.on("data", onData);
      stream.removeListener("newListener", onNewListener);
    }
  }

  if (stream.listenerCount("keypress") > 0) stream.on("data", onData);
  else stream.on("newListener", onNewListener);
}
