/** Who listens to which channels of a client. */

import type { Listener } from "internal/redis/types";

/** A call whose answers, one for each channel, have not all come. */
interface Open {
  /** Channels whose answers are still to come. */
  names: string[];
  resolve: (count: unknown) => void;
  reject: (error: Error) => void;
}

export type SubscriptionKind = "subscribe" | "psubscribe" | "unsubscribe" | "punsubscribe";

export class Subscriptions {
  #channels = new Map<string, Listener[]>();
  #patterns = new Map<string, Listener[]>();
  /** Calls in the order in which they were sent. */
  #open: Record<SubscriptionKind, Open[]> = { subscribe: [], psubscribe: [], unsubscribe: [], punsubscribe: [] };

  get size(): number {
    return this.#channels.size + this.#patterns.size;
  }

  /** Whether there is anything to wait for: messages, or an answer. */
  get isActive(): boolean {
    return this.size > 0 || Object.values(this.#open).some((open) => open.length > 0);
  }

  #listeners(kind: SubscriptionKind): Map<string, Listener[]> {
    return kind === "subscribe" || kind === "unsubscribe" ? this.#channels : this.#patterns;
  }

  /** Resolves with the number of subscriptions when the server has taken all. */
  add(kind: "subscribe" | "psubscribe", names: string[], listener: Listener): Promise<unknown> {
    const listeners = this.#listeners(kind);
    for (const name of names) listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    return this.#wait(kind, names, true);
  }

  /** Takes listeners away. Returns the channels to which nobody listens any more. */
  remove(kind: "unsubscribe" | "punsubscribe", names?: string | string[], listener?: Listener): string[] {
    const listeners = this.#listeners(kind);
    const gone: string[] = [];
    for (const name of names === undefined ? [...listeners.keys()] : Array.isArray(names) ? names : [names]) {
      const left = listener === undefined ? [] : (listeners.get(name) ?? []).filter((one) => one !== listener);
      if (!listeners.has(name)) continue;
      if (left.length > 0) listeners.set(name, left);
      else {
        listeners.delete(name);
        gone.push(name);
      }
    }
    return gone;
  }

  end(kind: "unsubscribe" | "punsubscribe", names: string[]): Promise<unknown> {
    return this.#wait(kind, names, false);
  }

  #wait(kind: SubscriptionKind, names: string[], counts: boolean): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#open[kind].push({ names: [...names], resolve: counts ? resolve : () => resolve(undefined), reject });
    return promise;
  }

  /** What the server pushes: messages, and the answers to subscribing. */
  push(kind: string, values: unknown[]): void {
    const [first, second, third] = values as string[];
    if (kind === "message") this.#tell(this.#channels.get(first!), second!, first!);
    else if (kind === "pmessage") this.#tell(this.#patterns.get(first!), third!, second!, first);
    else if (kind in this.#open) {
      const open = this.#open[kind as SubscriptionKind];
      // Nobody waits for what is subscribed again.
      const at = open.findIndex(({ names }) => names.includes(first!));
      const call = open[at];
      if (call === undefined) return;
      call.names.splice(call.names.indexOf(first!), 1);
      if (call.names.length > 0) return;
      open.splice(at, 1);
      call.resolve(second);
    }
  }

  #tell(listeners: Listener[] | undefined, message: string, channel: string, pattern?: string): void {
    for (const listener of listeners ?? []) {
      try {
        if (pattern === undefined) listener(message, channel);
        else listener(message, channel, pattern);
      } catch (error) {
        // An error of the program's own: the connection goes on.
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }

  /** The commands that subscribe to everything again; their answers are those of the calls that wait. */
  again(): [kind: SubscriptionKind, names: string[]][] {
    const all: [SubscriptionKind, string[]][] = [];
    // Each for itself: the server may refuse one.
    for (const kind of ["subscribe", "psubscribe"] as const) {
      const calls = this.#open[kind].map(({ names }) => names);
      const isAsked = new Set(calls.flat());
      for (const name of this.#listeners(kind).keys()) if (!isAsked.has(name)) all.push([kind, [name]]);
      for (const names of calls) all.push([kind, [...names]]);
    }
    return all;
  }

  /** The server refuses channels: nobody listens to them, and the call that waits for them is told. */
  refuse(kind: SubscriptionKind, names: string[], error: Error): void {
    if (kind === "subscribe" || kind === "psubscribe") for (const name of names) this.#listeners(kind).delete(name);
    const open = this.#open[kind];
    const at = open.findIndex((call) => names.every((name) => call.names.includes(name)));
    if (at >= 0) open.splice(at, 1)[0]!.reject(error);
  }

  rejectAll(error: Error): void {
    for (const open of Object.values(this.#open)) for (const { reject } of open.splice(0)) reject(error);
  }

  clear(): void {
    this.#channels.clear();
    this.#patterns.clear();
  }
}
