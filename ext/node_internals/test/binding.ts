/**
 * Node's internal/test/binding: the native bindings under Node's names, where bao has what they give. Others are an error, as
 * an unknown name is in Node.
 */
function uv() {
  const { getSystemErrorMap, getSystemErrorName } = require("node:util");
  const map: Map<number, [string, string]> = getSystemErrorMap();
  const binding: any = {
    errname: getSystemErrorName,
    getErrorMap: () => new Map(map),
    getErrorMessage: (errno: number) => map.get(errno)?.[1] ?? `Unknown system error ${errno}`,
  };
  for (const [errno, [name]] of map) binding[`UV_${name}`] = errno;
  return binding;
}

function util() {
  const ops = native("inspect");
  return {
    getProxyDetails(value: unknown, both = true) {
      const found = ops.proxyDetails(value);
      if (found === undefined) return undefined;
      return both ? found : found[0];
    },
    isInsideNodeModules: () => require("internal/module/inside_node_modules").insideNodeModules(util),
  };
}

/** Phases of trace events, by their letters. */
const TRACE_PHASES = {
  BEGIN: "B",
  END: "E",
  COMPLETE: "X",
  INSTANT: "I",
  NESTABLE_ASYNC_BEGIN: "b",
  NESTABLE_ASYNC_INSTANT: "n",
  NESTABLE_ASYNC_END: "e",
  COUNTER: "C",
  METADATA: "M",
  MARK: "R",
};

const bindings: Record<string, () => object> = {
  __proto__: null as any,
  buffer: () => ({
    kMaxLength: require("node:buffer").kMaxLength,
    kStringMaxLength: require("node:buffer").kStringMaxLength,
  }),
  constants() {
    const { constants: fs } = require("node:fs");
    const os = require("node:os").constants;
    const trace = Object.fromEntries(
      Object.entries(TRACE_PHASES).map(([name, letter]) => [`TRACE_EVENT_PHASE_${name}`, letter.charCodeAt(0)]),
    );
    return { crypto: require("node:crypto").constants, fs, os, trace, zlib: require("node:zlib").constants };
  },
  http2() {
    const { constants, nameForErrorCode, nghttp2ErrorString } = require("internal/http/http2/constants");
    const { Http2Session, Http2Stream } = require("internal/http/http2/native");
    // Numbers that only nghttp2's own interface has.
    const own = {
      NGHTTP2_ERR_NOMEM: -901,
      NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE: -509,
      NGHTTP2_ERR_INVALID_ARGUMENT: -501,
      NGHTTP2_ERR_STREAM_CLOSED: -510,
      NGHTTP2_NV_FLAG_NONE: 0,
      NGHTTP2_NV_FLAG_NO_INDEX: 1,
      NGHTTP2_ERR_DEFERRED: -508,
    };
    return { constants: { ...constants(), ...own }, Http2Session, Http2Stream, nameForErrorCode, nghttp2ErrorString };
  },
  trace_events() {
    const { emit, isTraced } = require("internal/perf/trace");
    return {
      isTraceCategoryEnabled: (category: string) => isTraced(category),
      trace(phase: number, category: string, name: string, id?: number, data?: unknown) {
        const args = data === undefined ? {} : { data };
        emit(String.fromCharCode(phase) as never, category, name, id === undefined ? { args } : { id, args });
      },
    };
  },
  tcp_wrap: () => require("internal/node_internals/tcp_wrap"),
  udp_wrap: () => require("internal/node_internals/udp_wrap"),
  util,
  uv,
};

const made = new Map<string, object>();

function internalBinding(name: string): object {
  let binding = made.get(name);
  if (binding === undefined) {
    if (bindings[name] === undefined) {
      const error: any = new Error(`No such binding: ${name}`);
      error.code = "ERR_INVALID_MODULE";
      throw error;
    }
    made.set(name, (binding = bindings[name]()));
  }
  return binding;
}

export default { internalBinding };
