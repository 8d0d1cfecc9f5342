// What is built in has a URL for hooks, whose loaders take URLs apart.
import { register, registerHooks } from "node:module";

for (const name of ["bun", "bun:sqlite", "bun:test", "ws", "fs", "node:test"]) console.log(name, import.meta.resolve(name));

console.log("# registerHooks");
const { require } = import.meta;
const hooks = registerHooks({
  load(url, context, nextLoad) {
    console.log(new URL(url).href.replace(/.*\//, ""), context.format);
    return nextLoad(url, context);
  },
});
console.log(typeof (await import("bun:sqlite")).Database, typeof (await import("ws")).WebSocketServer, (await import("bun")).default === Bun);
console.log(typeof require("ws").Server, typeof require("bun:ffi").dlopen);
hooks.deregister();

console.log("# register");
register(
  `data:text/javascript,
  export async function resolve(specifier, context, nextResolve) {
    const found = await nextResolve(specifier, context);
    console.log(specifier, found.url, found.format);
    return found;
  }
  export async function load(url, context, nextLoad) {
    return nextLoad(new URL(url).href, context);
  }`,
);
await import("data:text/javascript,import {Receiver} from 'ws'; import {ptr} from 'bun:ffi'; console.log(typeof Receiver, typeof ptr)");
