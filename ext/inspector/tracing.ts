// The domain NodeTracing: trace events of internal/perf/trace for a session
// (https://github.com/nodejs/node/blob/main/src/inspector/node_protocol.pdl).
import { type Domain, type Fields, ProtocolError, type ProtocolSession } from "internal/inspector/domains";
import { addTracer, CATEGORIES, removeTracer, type TraceEvent, type Tracer } from "internal/perf/trace";
import { setImmediate } from "web/timers";

/** The protocol's number of an error of the server. */
const SERVER_ERROR = -32000;

/** What a session keeps: its tracer, which has the events that it was not told of yet. */
const KEY = "NodeTracing";
/** Events that wait before the session is told of them. */
const MOST_WAITING = 1000;

interface SessionTracer extends Tracer {
  waiting: TraceEvent[];
}

function kept(session: ProtocolSession): SessionTracer | undefined {
  return session.kept.get(KEY) as SessionTracer | undefined;
}

function flush(session: ProtocolSession, tracer: SessionTracer): void {
  const value = tracer.waiting;
  if (value.length === 0) return;
  tracer.waiting = [];
  session.notify("NodeTracing.dataCollected", { value });
}

function needsMainThread(): void {
  if (require("node:worker_threads").isMainThread) return;
  throw new ProtocolError(SERVER_ERROR, "Tracing properties can only be changed through main thread sessions");
}

export const NodeTracing: Domain = {
  getCategories: () => ({ categories: CATEGORIES }),

  start(session, params) {
    needsMainThread();
    if (kept(session) !== undefined) {
      throw new ProtocolError(SERVER_ERROR, "Call NodeTracing::end to stop tracing before updating config");
    }
    const config = (params.traceConfig ?? {}) as Fields;
    const categories = new Set(Array.isArray(config.includedCategories) ? (config.includedCategories as string[]) : []);
    if (categories.size === 0) throw new ProtocolError(SERVER_ERROR, "At least one category should be enabled");
    const tracer: SessionTracer = {
      categories,
      waiting: [],
      write(event) {
        // Later, as what listens may not throw into what is traced.
        if (tracer.waiting.push(event) !== MOST_WAITING) return;
        setImmediate(() => {
          if (kept(session) === tracer) flush(session, tracer);
        });
      },
    };
    session.kept.set(KEY, tracer);
    addTracer(tracer);
    // What there is to be told of the process.
    flush(session, tracer);
    return {};
  },

  stop(session) {
    const tracer = kept(session);
    if (tracer === undefined) return {};
    session.kept.delete(KEY);
    removeTracer(tracer);
    flush(session, tracer);
    session.notify("NodeTracing.tracingComplete", {});
    return {};
  },

  disconnect(session) {
    const tracer = kept(session);
    if (tracer === undefined) return {};
    session.kept.delete(KEY);
    removeTracer(tracer);
    return {};
  },
};
