// node:domain for browsers: errors of what runs in a domain are its own.

import EventEmitter from "node:events";

type Callback = (...values: unknown[]) => unknown;

class Domain extends EventEmitter {
  members: object[] = [];

  add(member: InstanceType<typeof EventEmitter>): void {
    member.on("error", this.#failed);
    this.members.push(member);
  }

  remove(member: InstanceType<typeof EventEmitter>): void {
    member.removeListener("error", this.#failed);
    this.members = this.members.filter((other) => other !== member);
  }

  readonly #failed = (error: unknown): void => {
    this.emit("error", error);
  };

  run(fn: Callback, ...values: unknown[]): unknown {
    return this.bind(fn)(...values);
  }

  bind(fn: Callback): Callback {
    return (...values) => {
      try {
        return fn(...values);
      } catch (error) {
        this.emit("error", error);
        return undefined;
      }
    };
  }

  intercept(fn: Callback): Callback {
    const run = this.bind(fn);
    return (error, ...values) => (error ? this.emit("error", error) : run(...values));
  }

  enter(): void {}

  exit(): void {}
}

const create = () => new Domain();

export default { Domain, create, createDomain: create };
