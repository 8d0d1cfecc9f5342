// node:tty for browsers, which have no terminals.

export class ReadStream {
  constructor() {
    throw new Error("tty.ReadStream is not supported in browsers");
  }
}

export class WriteStream {
  constructor() {
    throw new Error("tty.WriteStream is not supported in browsers");
  }
}

export function isatty(): boolean {
  return false;
}
