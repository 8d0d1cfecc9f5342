// node:timers, https://nodejs.org/api/timers.html

import { Timeout } from "internal/core/timers";
import { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } from "web/timers";

/** A timer of setTimeout or setInterval, or something that can be started again as one. */
interface Refreshable {
  refresh(): unknown;
}

/** Starts the time of a timer again; objects that are not timers were for Node's insides and throw, as in Bun. */
function restart(name: string, timer: unknown): void {
  if (typeof (timer as Refreshable | null | undefined)?.refresh !== "function") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_NOT_IMPLEMENTED(`timers.${name} of what is not a timer`);
  }
  (timer as Refreshable).refresh();
}

const timers = {
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval,
  // Node 25 has dropped these three; Bun keeps them for timers.
  active(timer: unknown): void {
    restart("active", timer);
  },
  /** Starts the time again with another duration. */
  enroll(timer: unknown, msecs?: number): void {
    if (typeof msecs === "number" && timer instanceof Timeout) {
      timer._idleTimeout = msecs >= 1 && msecs <= 2147483647 ? Math.trunc(msecs) : 1;
    }
    restart("enroll", timer);
  },
  unenroll(timer: unknown): void {
    if (typeof (timer as Refreshable | null | undefined)?.refresh !== "function") restart("unenroll", timer);
    clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  },
};

Object.defineProperty(timers, "promises", {
  configurable: true,
  enumerable: true,
  get: () => require("node:timers/promises"),
});

export default timers;
