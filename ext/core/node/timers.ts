// node:timers, https://nodejs.org/api/timers.html

import { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } from "web/timers";

const timers = { setTimeout, clearTimeout, setImmediate, clearImmediate, setInterval, clearInterval };

Object.defineProperty(timers, "promises", {
  configurable: true,
  enumerable: true,
  get: () => require("node:timers/promises"),
});

export default timers;
