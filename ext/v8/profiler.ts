// The domain Profiler of the inspector: CPU profiles, and coverage of code, function by function or block by block
// (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/).
//
// Counters are put into the text of modules and scripts that are loaded while coverage is on (runtime/core/src/coverage.rs), so
// what was loaded before is not in the answers.
import { type Domain, type Fields, type ProtocolSession, ProtocolError } from "internal/inspector/domains";
import consoleState from "internal/console/state";

const ops = native("v8");

/** The protocol's number of an error of the server. */
const SERVER_ERROR = -32000;
/** The protocol's number of parameters that do not fit. */
const INVALID_PARAMS = -32602;

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

/** The number of the profile that `Profiler.start` has begun, and the microseconds between samples. */
const PROFILE = "Profiler.profile";
const INTERVAL = "Profiler.interval";

/** A profile of console.profile(). */
interface ConsoleProfile {
  id: string;
  title: string;
  profile: number;
}

/** Those of a session that have not ended. */
const CONSOLE_PROFILES = "Profiler.consoleProfiles";

/** The sessions that console.profile() makes profiles for. */
const enabled = new Set<ProtocolSession>();

let lastConsoleProfile = 0;

/** Starts a profile of a session's. */
function startProfile(session: ProtocolSession): number {
  return ops.startCpuProfile((session.kept.get(INTERVAL) as number | undefined) ?? 0);
}

function stopProfile(profile: number): Fields {
  return JSON.parse(ops.stopCpuProfile(profile)!);
}

function consoleProfiles(session: ProtocolSession): ConsoleProfile[] {
  let list = session.kept.get(CONSOLE_PROFILES) as ConsoleProfile[] | undefined;
  if (list === undefined) session.kept.set(CONSOLE_PROFILES, (list = []));
  return list;
}

/** Where the program calls the console, as a place of the protocol. */
function callerLocation(below: Function): Fields {
  const site = require("internal/util/call_sites").captureCallSites(below, 1)[0];
  const [line, column] = [site?.getLineNumber() ?? 1, site?.getColumnNumber() ?? 1];
  return { scriptId: "0", lineNumber: line - 1, columnNumber: column - 1 };
}

/** console.profile(): a profile for each session that has enabled the domain. */
function consoleProfile(title: string, below: Function): void {
  for (const session of enabled) {
    const id = `${++lastConsoleProfile}`;
    consoleProfiles(session).push({ id, title, profile: startProfile(session) });
    session.notify("Profiler.consoleProfileStarted", {
      id,
      location: callerLocation(below),
      ...(title === "" ? {} : { title }),
    });
  }
}

/** console.profileEnd(): ends the last one of that title, or the last one of all. */
function consoleProfileEnd(title: string, below: Function): void {
  for (const session of enabled) {
    const list = consoleProfiles(session);
    const index = title === "" ? list.length - 1 : list.findLastIndex((started) => started.title === title);
    if (index < 0) continue;
    const [started] = list.splice(index, 1);
    session.notify("Profiler.consoleProfileFinished", {
      id: started!.id,
      location: callerLocation(below),
      profile: stopProfile(started!.profile),
      ...(started!.title === "" ? {} : { title: started!.title }),
    });
  }
}

/** Ends all profiles of a session; nobody wants them. */
function dropProfiles(session: ProtocolSession): void {
  enabled.delete(session);
  const running = session.kept.get(PROFILE) as number | undefined;
  if (running !== undefined) ops.stopCpuProfile(running);
  session.kept.delete(PROFILE);
  for (const { profile } of consoleProfiles(session).splice(0)) ops.stopCpuProfile(profile);
}

export const Profiler: Domain = {
  enable(session) {
    session.kept.set(ENABLED, true);
    enabled.add(session);
    consoleState.profiles = { start: consoleProfile, end: consoleProfileEnd };
    return {};
  },
  disable(session) {
    stop(session);
    dropProfiles(session);
    session.kept.delete(ENABLED);
    return {};
  },
  setSamplingInterval(session, params) {
    const { interval } = params;
    if (typeof interval !== "number" || !Number.isInteger(interval)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid parameters");
    }
    if (session.kept.has(PROFILE)) {
      throw new ProtocolError(SERVER_ERROR, "Cannot change sampling interval when profiling.");
    }
    // V8 takes 0 for its own interval.
    session.kept.set(INTERVAL, Math.max(0, interval));
    return {};
  },
  start(session) {
    checkEnabled(session);
    if (!session.kept.has(PROFILE)) session.kept.set(PROFILE, startProfile(session));
    return {};
  },
  stop(session) {
    const profile = session.kept.get(PROFILE) as number | undefined;
    if (profile === undefined) throw new ProtocolError(SERVER_ERROR, "No recording profiles found");
    session.kept.delete(PROFILE);
    return { profile: stopProfile(profile) };
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
    dropProfiles(session);
    return {};
  },
};
