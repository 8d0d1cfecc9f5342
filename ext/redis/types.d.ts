/** What of a socket is used. */
export interface Connection {
  write(chunk: string | Uint8Array): boolean;
  cork(): void;
  uncork(): void;
  destroy(): void;
  end(): void;
  ref(): void;
  unref(): void;
  setNoDelay(on: boolean): void;
  readonly writableLength: number;
  /** Why a certificate is refused. */
  readonly authorizationError?: unknown;
  on(event: string, listener: (value: never) => void): void;
  once(event: string, listener: (value: never) => void): void;
  removeAllListeners(): void;
}

/** A listener of messages: `pattern` where it was subscribed by one. */
export type Listener = (message: string, channel: string, pattern?: string) => void;
