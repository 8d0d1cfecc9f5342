// `Function.prototype.toString` while code is counted: without the counters, which stand in the text that the engine compiles.

const MARK = "/*__bao_c";

/** Native entry: called when the first text is counted. */
export function hideCounters(): void {
  const { toString } = Function.prototype;
  const { apply } = Reflect;
  const { includes } = String.prototype;
  const shown = {
    toString(this: unknown): string {
      const text: string = apply(toString, this, []);
      return apply(includes, text, [MARK]) ? native("v8").withoutCounters(text) : text;
    },
  };
  Object.defineProperty(Function.prototype, "toString", { value: shown.toString });
}
