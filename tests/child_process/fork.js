// fork(): messages in both serializations, events, send() and its callback, disconnect(). Recorded from Node.
const { fork, spawn } = require("node:child_process");
const { once } = require("node:events");
const path = require("node:path");
const child = path.join(__dirname, "fixtures/echo.js");

/** Sends `messages` one after the other and prints the answers. */
async function talk(name, messages, options) {
  const forked = fork(child, ["an argument"], options);
  console.log(name, forked.connected, forked.stdio.length, forked.channel !== null, typeof forked.channel.ref);
  for (const message of messages) {
    const answer = once(forked, "message");
    console.log(forked.send(message));
    console.log((await answer)[0].message, (await answer)[0].argv);
  }
  const events = [];
  for (const event of ["disconnect", "exit", "close"]) forked.on(event, (...args) => events.push([event, ...args]));
  const last = once(forked, "message");
  forked.send("bye");
  await last;
  await once(forked, "close");
  console.log(events.map(([event]) => event).sort(), events.find(([event]) => event === "exit"), forked.connected, forked.channel);
}

async function main() {
  await talk("json", ["text", "é🎉\n", 12, true, null, ["list", undefined], { nested: { date: new Date(0), no: undefined } }, "argv"]);
  await talk("advanced", [
    "text", { n: 12n }, new Map([[{ key: 1 }, new Set(["é🎉"])]]), new Date(0), /pattern/gi, undefined === 1, [, 1, undefined],
    new Uint8Array([1, 2, 3]), new Float64Array([1.5, -0]), Buffer.from("buffer").toString(), { big: -(2n ** 70n), nan: NaN, minus: -0 },
    new Error("message").message, Object(1), [[], {}, [[]]],
  ], { serialization: "advanced" });

  const large = fork(child);
  const text = "x".repeat(5_000_000);
  const answer = once(large, "message");
  console.log("large", large.send(text));
  console.log((await answer)[0].message === text);
  const second = once(large, "message");
  console.log(await new Promise((resolve) => large.send("with callback", (...args) => resolve(args))));
  // The child's answer must not meet a closed channel.
  await second;
  large.disconnect();
  console.log(large.connected, await once(large, "exit"));
  console.log(await new Promise((resolve) => large.send("too late", (e) => resolve([e.code, e.message]))));
  large.on("error", (e) => console.log("error event", e.code));
  console.log(large.send("too late"));
  large.disconnect();
  await new Promise(setImmediate);

  const silent = fork(child, { silent: true });
  console.log(silent.stdout !== null, silent.stdin !== null);
  silent.kill();
  console.log(await once(silent, "exit"));

  // Order: many messages arrive as they were sent, before 'disconnect'.
  const many = fork(child);
  const got = [];
  many.on("message", ({ message }) => got.push(message));
  for (let i = 0; i < 200; i++) many.send(i);
  many.send("bye");
  await once(many, "disconnect");
  console.log(got.length, got.every((value, i) => i === 200 || value === i));

  // A channel through spawn(), on another descriptor.
  const spawned = spawn(process.execPath, [child], { stdio: ["ignore", "ignore", "inherit", "pipe", "ipc"] });
  spawned.send("argv");
  console.log((await once(spawned, "message"))[0]);
  spawned.disconnect();
  await once(spawned, "exit");

  for (const attempt of [() => fork(), () => fork(1), () => fork(child, "x"), () => fork(child, { stdio: ["pipe"] }), () => fork(child, { serialization: "x" }),
    () => fork(child, [], { execArgv: ["\0"] })]) {
    try {
      attempt();
    } catch (e) {
      console.log(e.name, e.code);
    }
  }
  const typed = fork(child);
  for (const attempt of [() => typed.send(), () => typed.send(Symbol("s")), () => typed.send(() => {}), () => typed.send("x", {}), () => typed.send("x", undefined, 1)]) {
    try {
      attempt();
    } catch (e) {
      console.log(e.name, e.code, e.message);
    }
  }
  typed.disconnect();
}
main();
