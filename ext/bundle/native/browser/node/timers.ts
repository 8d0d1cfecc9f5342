// node:timers for browsers, on the page's own timers.

type Callback = (...values: unknown[]) => void;

const immediates = new Map<number, () => void>();
let last = 0;
let channel: MessageChannel | undefined;

/** Calls a function as a task, without the least delay that timers of browsers have. */
function setImmediate(callback: Callback, ...values: unknown[]): number {
  if (channel === undefined) {
    channel = new MessageChannel();
    const port = channel.port1 as typeof channel.port1 & { onmessage: (event: { data: number }) => void };
    port.onmessage = ({ data }) => {
      const run = immediates.get(data);
      immediates.delete(data);
      run?.();
    };
  }
  immediates.set(++last, () => callback(...values));
  channel.port2.postMessage(last);
  return last;
}

const clearImmediate = (id: number): boolean => immediates.delete(id);
// The page's own functions take no other `this` than its global object.
const page = globalThis as unknown as { [name: string]: ((...values: unknown[]) => unknown) | undefined };

export default {
  setTimeout: (...values: unknown[]) => page.setTimeout!(...values),
  clearTimeout: (id?: unknown) => page.clearTimeout!(id),
  setInterval: (...values: unknown[]) => page.setInterval!(...values),
  clearInterval: (id?: unknown) => page.clearInterval!(id),
  setImmediate:
    page.setImmediate === undefined ? setImmediate : (...values: unknown[]) => page.setImmediate!(...values),
  clearImmediate: page.clearImmediate === undefined ? clearImmediate : (id?: unknown) => page.clearImmediate!(id),
  get promises() {
    return require("node:timers/promises");
  },
};
