// module.register: hooks on a thread of their own, as in Node. What they throw, what never settles, and what has to be there at once.
import { createRequire, register } from "node:module";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";

globalThis.marker = 1;
const { port1, port2 } = new MessageChannel();
const result = register("./support/hooks/program_hooks.mjs", import.meta.url, {
  data: { name: "<", port: port2 },
  transferList: [port2],
});
// `register` has waited.
console.log(result, receiveMessageOnPort(port1).message);
port1.close();
console.log((await import("made:x")).default, (await import("./support/hooks/shared.mjs")).made);
console.log(import.meta.resolve("made:y"));
const { default: imported } = await import("./support/hooks/imported.cjs");
console.log(imported.inner, imported.made, imported.text);
const shown = (error) => [error.name, error.code, error.message.split("\n")[0].replace(/file:\S*\//, ""), error.where];
console.log(shown(await import("throws").catch((error) => error)));
for (const specifier of ["throws", "never"]) {
  try {
    import.meta.resolve(specifier);
  } catch (error) {
    console.log(shown(error));
  }
}
console.log(shown(await import("badly").catch((error) => error)));
const require = createRequire(import.meta.url);
console.log(require("./support/hooks/shared.mjs").made);
try {
  register("./support/hooks/none.mjs", import.meta.url);
} catch (error) {
  console.log(error.code);
}
void import("never");
const code = await Promise.race([import("never"), new Promise((resolve) => setTimeout(resolve, 20, "others go on"))]);
console.log(code);
