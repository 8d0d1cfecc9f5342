/** V8's CallSite objects for `Error.prepareStackTrace`. */

/** One frame; see https://v8.dev/docs/stack-trace-api. */
class CallSite {
  #name: string;
  #source: string;
  #line: number;
  #column: number;
  #isAsync: boolean;

  constructor(frame: [string, string, number, number, boolean]) {
    [this.#name, this.#source, this.#line, this.#column, this.#isAsync] = frame;
  }
  // The engine does not keep receivers and functions alive with a stack.
  getThis() {
    return undefined;
  }
  getFunction() {
    return undefined;
  }
  /**
   * The class of the receiver: of what runs at the top of a file, which has no name, it is V8's, null for an ES module; of a function the
   * engine has no receiver, and null says so, as V8 does for a plain call. A name with dots says only where the function was assigned.
   */
  getTypeName() {
    return this.#name === "" && !this.#source.startsWith("file:") ? "Object" : null;
  }
  getFunctionName() {
    return this.#name === "" ? null : this.#name;
  }
  getMethodName() {
    const at = this.#name.lastIndexOf(".");
    return at > 0 ? this.#name.slice(at + 1) : null;
  }
  getFileName() {
    return this.#source;
  }
  getScriptNameOrSourceURL() {
    return this.#source;
  }
  getScriptHash() {
    return "";
  }
  getLineNumber() {
    return this.#line;
  }
  getColumnNumber() {
    return this.#column;
  }
  getEnclosingLineNumber() {
    return this.#line;
  }
  getEnclosingColumnNumber() {
    return this.#column;
  }
  getPosition() {
    return 0;
  }
  getEvalOrigin() {
    return undefined;
  }
  getPromiseIndex() {
    return null;
  }
  isToplevel() {
    return this.#name === "";
  }
  isEval() {
    return false;
  }
  isNative() {
    return false;
  }
  isConstructor() {
    return false;
  }
  isAsync() {
    return this.#isAsync;
  }
  isPromiseAll() {
    return false;
  }
  toString() {
    const place = `${this.#source}:${this.#line}:${this.#column}`;
    const prefix = this.#isAsync ? "async " : "";
    return this.#name === "" ? prefix + place : `${prefix}${this.#name} (${place})`;
  }
}

/** Wraps frames `[function, source, line, column, isAsync]`. */
export function makeCallSites(frames: [string, string, number, number, boolean][]) {
  return frames.map((frame) => new CallSite(frame));
}
