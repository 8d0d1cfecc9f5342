/**
 * WebAssembly.compileStreaming and instantiateStreaming (https://webassembly.github.io/spec/web-api/). The engine leaves them to
 * its host; this module puts them in place. Loaded with the first use of the global `WebAssembly`, see runtime's globals.
 */

/** What is used here of WebAssembly: https://webassembly.github.io/spec/js-api/ */
interface Engine {
  compile(bytes: ArrayBuffer): Promise<object>;
  instantiate(bytes: ArrayBuffer, imports: unknown): Promise<object>;
  Table: { prototype: { set(index: number, value?: unknown): void } };
  Exception: { prototype: { getArg(tag: unknown, index: unknown): unknown } };
  Module: {
    new (bytes: Native.Bytes): object;
    customSections(module: unknown, name: string): ArrayBuffer[];
    imports(module: object): { module: string; name: string }[];
  };
  Instance: new (module: object, imports?: object) => { exports: object };
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: Engine };
const { compile, instantiate } = WebAssembly;

/** The bytes of a Response, or of a promise of one. Rejects with ERR_INVALID_ARG_TYPE, ERR_WEBASSEMBLY_RESPONSE or what the body fails with. */
async function bytesOf(source: unknown): Promise<ArrayBuffer> {
  const response = await source;
  const { codes } = require("internal/core/errors");
  const { Response } = require("web/response");
  if (!(response instanceof Response)) {
    throw new codes.ERR_INVALID_ARG_TYPE("source", ["Response", "Promise resolving to Response"], response);
  }
  const type = response.headers.get("content-type");
  if (type === null || type.toLowerCase() !== "application/wasm") {
    throw new codes.ERR_WEBASSEMBLY_RESPONSE(`has unsupported MIME type '${type}'`);
  }
  if (!response.ok) throw new codes.ERR_WEBASSEMBLY_RESPONSE(`has status code ${response.status}`);
  if ((response as { bodyUsed?: unknown }).bodyUsed)
    throw new codes.ERR_WEBASSEMBLY_RESPONSE("body has already been used");
  const { body } = response as unknown as { body: { getReader(): Reader } | null };
  return body === null ? new ArrayBuffer(0) : await collect(body.getReader());
}

/** What is used of a stream's reader. */
interface Reader {
  read(): Promise<{ done: boolean; value: unknown }>;
  cancel(reason: unknown): Promise<unknown>;
}

/** All of a stream, which has to give bytes: a text among them ends it at once. */
async function collect(reader: Reader): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    let problem: string | undefined;
    const isView = ArrayBuffer.isView(value);
    if (!isView && !require("internal/util/types").isAnyArrayBuffer(value)) {
      problem = "chunk must be an ArrayBufferView or an ArrayBuffer";
    } else if (isView ? isDetached(value.buffer) : isDetached(value as ArrayBuffer)) {
      problem = "Underlying ArrayBuffer has been detached from the view or out-of-bounds";
    }
    if (problem !== undefined) {
      const error = new TypeError(problem);
      void reader.cancel(error).catch(() => {});
      throw error;
    }
    chunks.push(
      isView ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value as ArrayBuffer),
    );
  }
  return require("node:buffer").Buffer.concat(chunks).buffer as ArrayBuffer;
}

const isDetached = (buffer: ArrayBufferLike): boolean => (buffer as { detached?: boolean }).detached === true;

const methods = {
  /** A promise of the Module in a Response whose type is application/wasm. */
  async compileStreaming(source: string) {
    return compile(await bytesOf(source));
  },
  /** A promise of `{ module, instance }`. */
  async instantiateStreaming(source: string, imports: unknown = undefined) {
    if (imports !== undefined && (imports === null || (typeof imports !== "object" && typeof imports !== "function"))) {
      throw new TypeError("WebAssembly.instantiateStreaming(): Argument 1 must be an object");
    }
    return instantiate(await bytesOf(source), imports);
  },
};

for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(WebAssembly, name, { value, writable: true, enumerable: true, configurable: true });
}
// The engine counts the optional argument.
Object.defineProperty(WebAssembly.Table.prototype.set, "length", { value: 1, configurable: true });
// Two corrections of the engine, in functions that are called once in a while.
const { getArg } = WebAssembly.Exception.prototype;
const { customSections } = WebAssembly.Module;

/** Puts a function in the place of the engine's. */
function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: true, enumerable: true, configurable: true });
}

// An index that the exception has not is a RangeError (https://webassembly.github.io/exception-handling/js-api/).
replace(
  WebAssembly.Exception.prototype,
  "getArg",
  {
    getArg(_tag: unknown, _index: unknown) {
      try {
        return Reflect.apply(getArg, this, arguments);
      } catch (error) {
        if (error instanceof TypeError && error.message === "bad Exception getArg index")
          throw new RangeError(error.message);
        throw error;
      }
    },
  }.getArg,
);

// No section is called like a string with a lone surrogate; the engine would take it for U+FFFD.
replace(
  WebAssembly.Module,
  "customSections",
  {
    customSections(module: unknown, name: unknown) {
      if (arguments.length < 2) return Reflect.apply(customSections, this, arguments);
      const text = `${name}`;
      const sections = customSections(module, text);
      return text.isWellFormed() ? sections : [];
    },
  }.customSections,
);

export { WebAssembly };
