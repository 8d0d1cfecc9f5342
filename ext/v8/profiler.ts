// The domain Profiler of the inspector: coverage of code, function by function or block by block
// (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/).
//
// Counters are put into the text of modules and scripts that are loaded while coverage is on (runtime/core/src/coverage.rs), so
// what was loaded before is not in the answers.
import { type Domain, type Fields, type ProtocolSession, ProtocolError } from "internal/inspector/domains";

const ops = native("v8");

/** The protocol's number of an error of the server. */
const SERVER_ERROR = -32000;

/** The name under which a session keeps that the domain is on. */
const ENABLED = "Profiler";

function checkEnabled(session: ProtocolSession): void {
  if (!session.kept.has(ENABLED)) throw new ProtocolError(SERVER_ERROR, "Profiler is not enabled");
}

function flag(params: Fields, name: string): boolean {
  return params[name] === true;
}

const COUNTS = "Profiler.counts";

function stop(session: ProtocolSession): void {
  // NODE_V8_COVERAGE has its report at the end.
  if (session.kept.delete(COUNTS) && !ops.writesCoverage()) ops.stopCoverage();
}

export const Profiler: Domain = {
  enable(session) {
    session.kept.set(ENABLED, true);
    return {};
  },
  disable(session) {
    stop(session);
    session.kept.delete(ENABLED);
    return {};
  },
  startPreciseCoverage(session, params) {
    checkEnabled(session);
    session.kept.set(COUNTS, true);
    ops.startCoverage(flag(params, "detailed"), flag(params, "callCount"));
    const [seconds, nanoseconds] = process.hrtime();
    return { timestamp: seconds + nanoseconds / 1e9 };
  },
  stopPreciseCoverage(session) {
    checkEnabled(session);
    stop(session);
    return {};
  },
  takePreciseCoverage(session) {
    const text = session.kept.has(COUNTS) ? ops.takeCoverage() : undefined;
    if (text === undefined) throw new ProtocolError(SERVER_ERROR, "Precise coverage has not been started.");
    return JSON.parse(text);
  },
  getBestEffortCoverage: () => JSON.parse(ops.bestEffortCoverage()),
  disconnect(session) {
    stop(session);
    return {};
  },
};
