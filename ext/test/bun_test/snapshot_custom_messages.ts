// Messages of errors of `expect.extend` matchers as the matcher gave them, without the line that Bun puts before them.
export const ownMessages = new WeakMap<object, string>();
