// Which native operations keep the process alive.

const { keepAlive } = native("loop");

/** Counts the native operations of an object under way; ref() and unref() decide whether they keep the loop running. */
export class Refs {
  #on: boolean;
  #pending = 0;

  constructor(on = true) {
    this.#on = on;
  }

  /** An operation was started. */
  begin(): void {
    this.#pending++;
    if (!this.#on) keepAlive(-1);
  }

  /** An operation is done: to be called first in its callback. */
  end(): void {
    this.#pending--;
    if (!this.#on) keepAlive(1);
  }

  set(on: boolean): void {
    if (on === this.#on) return;
    this.#on = on;
    if (this.#pending > 0) keepAlive(on ? this.#pending : -this.#pending);
  }

  get on(): boolean {
    return this.#on;
  }
}
