// A queue that runs a few jobs at a time, with retries, time limits and cancellation: promises, events and AbortSignal.
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

interface Job {
  name: string;
  run(signal: AbortSignal): Promise<unknown>;
  retries?: number;
}

class Queue extends EventEmitter<{ done: [Job, unknown]; failed: [Job, Error]; retry: [Job, number]; idle: [] }> {
  #waiting: Job[] = [];
  #running = 0;
  #abort = new AbortController();
  peak = 0;

  constructor(readonly limit: number, readonly milliseconds: number) {
    super();
  }

  add(job: Job): this {
    this.#waiting.push(job);
    queueMicrotask(() => this.#next());
    return this;
  }

  cancel(reason: string): void {
    this.#waiting.length = 0;
    this.#abort.abort(new Error(reason));
  }

  #next(): void {
    while (this.#running < this.limit && this.#waiting.length > 0) {
      this.peak = Math.max(this.peak, ++this.#running);
      this.#attempt(this.#waiting.shift()!, 0).finally(() => {
        this.#running--;
        if (this.#running === 0 && this.#waiting.length === 0) this.emit("idle");
        else this.#next();
      });
    }
  }

  async #attempt(job: Job, tries: number): Promise<void> {
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(this.milliseconds)]);
    try {
      this.emit("done", job, await job.run(signal));
    } catch (error) {
      if (tries < (job.retries ?? 0) && !this.#abort.signal.aborted) {
        this.emit("retry", job, tries + 1);
        return this.#attempt(job, tries + 1);
      }
      this.emit("failed", job, error as Error);
    }
  }
}

const queue = new Queue(2, 2000);
queue.on("done", (job, value) => console.log(`${job.name}: ${value}`));
queue.on("retry", (job, tries) => console.log(`${job.name}: try ${tries} failed`));
queue.on("failed", (job, error) => console.log(`${job.name}: ${(error.cause as Error | undefined)?.message ?? error.message}`));

let attempts = 0;
queue
  .add({ name: "quick", run: async () => 6 * 7 })
  .add({ name: "slow", run: (signal) => sleep(60, "slept", { signal }) })
  .add({ name: "flaky", retries: 3, run: async () => (++attempts < 3 ? Promise.reject(new Error("not yet")) : `after ${attempts} tries`) })
  .add({ name: "broken", run: async () => { throw new TypeError("no such thing"); } })
  .add({ name: "endless", run: (signal) => sleep(60_000, null, { signal }) });

await once(queue, "done");
await sleep(200);
queue.cancel("cancelled");
await once(queue, "idle");
console.log(`at most ${queue.peak} at a time`);
