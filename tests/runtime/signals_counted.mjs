// Each signal is told, also where many come at once and where the last comes when nothing else keeps the program alive. By hand.
let count = 0;
const { promise, resolve } = Promise.withResolvers();
process.on("SIGUSR2", () => { if (++count === 3000) resolve(); });
for (let i = 0; i < 2999; i++) process.kill(process.pid, "SIGUSR2");
await new Promise((resolve) => setImmediate(resolve));
process.kill(process.pid, "SIGUSR2");
await promise;
console.log(count);
