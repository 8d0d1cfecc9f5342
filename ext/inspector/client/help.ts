// What `bao inspect` says of itself.

/** How the command is called. */
export function usage(): string {
  const name = require("node:path").basename(process.argv0) === "node" ? "node" : "bao";
  return [
    `Usage: ${name} inspect FILE [arguments]    debug a program`,
    `       ${name} inspect HOST:PORT           debug one that runs with --inspect`,
    `       ${name} inspect -p PID              debug a process that runs`,
    `       ${name} inspect --port=PORT FILE    the port to use; 0 takes a free one`,
    "",
  ].join("\n");
}

/** The commands, by sections. */
const COMMANDS: [words: string, meaning: string][][] = [
  [
    ["run, restart, r", "Start the program again, or connect again"],
    ["kill", "End the program, or hang up"],
  ],
  [
    ["cont, c", "Go on"],
    ["next, n", "Go on to the next line of this function"],
    ["step, s", "The same, and into functions that are called"],
    ["out, o", "Go on until this function returns"],
    ["pause", "Stop as soon as code of the program runs"],
    ["backtrace, bt", "Print the frames"],
    ["list(5)", "Print the lines around the current one"],
    ["setContextLineNumber(2)", "How many lines around it a stop shows"],
  ],
  [
    ["setBreakpoint(), sb()", "Stop at the current line from now on"],
    ["sb(LINE)", "At a line of the current script"],
    ["sb('fn()')", "Wherever a function is called"],
    [
      "sb('script.js', LINE, 'condition')",
      "At a line of a script, which may not be there yet; the condition may be left out",
    ],
    ["clearBreakpoint, cb('script.js', LINE)", "Remove a breakpoint"],
    ["breakpoints", "List them"],
    ["breakOnException", "Stop at every exception"],
    ["breakOnUncaught", "Stop at exceptions that nothing catches"],
    ["breakOnNone", "Stop at no exception"],
  ],
  [
    ["watch('expr')", "Print the value of an expression at every stop"],
    ["unwatch('expr'), unwatch(INDEX)", "Do so no longer"],
    ["watchers", "Print these values now"],
    ["exec expr, p expr, exec('expr')", "Print the value of an expression"],
    ["exec .scope", "The names that the current frame sees"],
    ["repl", "Type expressions of the program until Ctrl+C"],
  ],
  [
    ["scripts, scripts(true)", "List the scripts; with true also the runtime's own"],
    ["profile, profileEnd", "Take a profile of the processor's time"],
    ["profiles[0].save('node.cpuprofile')", "Save one"],
    ["takeHeapSnapshot('node.heapsnapshot')", "Save a snapshot of the heap"],
    ["version", "The version of V8 whose protocol the program speaks"],
    ["Debugger, Runtime, Profiler, ...", "The protocol itself: Runtime.evaluate({ expression: '1' })"],
    [".exit", "End the debugger and the program"],
  ],
];

/** The columns of the words of a command. */
const WORDS_WIDTH = 40;

/** The commands and what they do. */
export function help(): string {
  return COMMANDS.map((section) =>
    section.map(([words, meaning]) => `${words.padEnd(WORDS_WIDTH - 1)} ${meaning}`).join("\n"),
  ).join("\n\n");
}
