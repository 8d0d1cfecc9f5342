// The timers as they were when the first test file began, whatever a test does to the globals.
const timers = require("node:timers");

export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = timers;
