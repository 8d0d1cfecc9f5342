/** MULTI and EXEC as an interface (https://redis.io/docs/latest/develop/using-commands/transactions/). */

import { type Command, commands, kept } from "internal/redis/commands";
import type { Argument } from "internal/redis/types";

export interface Queued {
  command: Command;
  args: Argument[];
}

/** Commands that are sent together: the methods of a client, which give back the transaction. */
export class Transaction {
  #queued: Queued[] = [];
  #run: (list: readonly Queued[]) => Promise<unknown>;

  /** `run` sends commands between MULTI and EXEC and resolves with the reply to the latter. */
  constructor(run: (list: readonly Queued[]) => Promise<unknown>) {
    this.#run = run;
  }

  #add(command: Command, values: unknown[]): this {
    this.#queued.push({ command, args: kept(command.read(values)) });
    return this;
  }

  /** Runs the commands. Resolves with their replies (an error of one is a RedisError among them), null where a watched key has changed. */
  async exec(): Promise<unknown[] | null> {
    const queued = this.#queued;
    this.#queued = [];
    const replies = await this.#run(queued);
    if (!Array.isArray(replies)) return null;
    return replies.map((reply, i) => (queued[i]!.command.isBoolean && typeof reply === "number" ? reply === 1 : reply));
  }

  /** Forgets the commands. */
  discard(): void {
    this.#queued = [];
  }

  static {
    const methods = Transaction.prototype as unknown as Record<string, unknown>;
    for (const command of commands) {
      const { [command.method]: method } = {
        [command.method](this: Transaction, ...values: unknown[]) {
          return this.#add(command, values);
        },
      };
      methods[command.method] = method;
    }
  }
}
