// node:timers for browsers, on the page's own timers.

type Callback = (...values: unknown[]) => void;

const immediates = new Map<number, () => void>();
let last = 0;
let channel: MessageChannel | undefined;

/** Calls a function as a task, without the least delay that timers of browsers have. */
function setImmediate(callback: Callback, ...values: unknown[]): number {
  if (channel === undefined) {
    channel = new MessageChannel();
    channel.port1.onmessage = ({ data }: { data: number }) => {
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
const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;

export default {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate: globalThis.setImmediate ?? setImmediate,
  clearImmediate: globalThis.clearImmediate ?? clearImmediate,
  get promises() {
    return require("node:timers/promises");
  },
};
