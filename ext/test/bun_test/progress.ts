// The line at the bottom of a terminal while tests run: which file, how many are done.

import type { Counts } from "internal/test/bun_test/records";
import { clock } from "internal/test/bun_test/run";

const natives = native("test");

/** Least milliseconds between two changes of the line. */
const PAUSE = 60;

export class Progress {
  #total: number;
  #counts: Counts;
  #colors: boolean;
  #title = "";
  #shown = false;
  #last = 0;

  constructor(total: number, counts: Counts, colors: boolean) {
    this.#total = total;
    this.#counts = counts;
    this.#colors = colors;
  }

  file(title: string): void {
    this.#title = title;
    this.tick();
  }

  /** Shows the line anew, if the last time is long enough ago. */
  tick(): void {
    const now = clock();
    if (now - this.#last < PAUSE) return;
    this.#last = now;
    natives.hold(`${this.#erase()}${this.#line()}`);
    natives.release();
  }

  #erase(): string {
    const was = this.#shown;
    this.#shown = false;
    return was ? "\r\x1b[2K" : "";
  }

  #line(): string {
    this.#shown = true;
    const { pass, fail, files } = this.#counts;
    const columns = process.stderr.columns || 80;
    const text = `${files}/${this.#total} files, ${pass} pass, ${fail} fail  ${this.#title}`.slice(
      0,
      Math.max(10, columns - 1),
    );
    return this.#colors ? `\x1b[2m${text}\x1b[0m` : text;
  }

  /** `text` printed above the line. */
  around(text: string): string {
    const now = clock();
    if (!text.endsWith("\n") || now - this.#last < PAUSE) return this.#erase() + text;
    this.#last = now;
    return this.#erase() + text + this.#line();
  }

  end(): void {
    natives.hold(this.#erase());
  }
}
