// What ext/webview uses of node:child_process, with the two pipes beside the standard streams.

interface Referenced {
  ref?(): unknown;
  unref?(): unknown;
}

interface Pipe extends Referenced {
  write(text: string): boolean;
  setEncoding(encoding: string): void;
  on(event: string, listener: (...given: never[]) => void): unknown;
}

export interface ChildProcess extends Referenced {
  stdio: (Pipe | null)[];
  kill(signal: string): boolean;
  on(event: string, listener: (...given: never[]) => void): unknown;
}
