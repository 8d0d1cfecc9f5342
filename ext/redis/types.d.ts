import type { StreamHandle } from "internal/net/native";

/** Where a server is. */
export interface Place {
  host: string;
  port: number;
}

/** An argument of a command. */
export type Argument = string | Uint8Array;

/** All of them; a string is one. */
export type Arguments = string | readonly Argument[];

/** What of a socket is used. */
export interface Connection {
  destroy(): void;
  ref(): void;
  unref(): void;
  setNoDelay(on: boolean): void;
  /** null once it is closed. */
  readonly _handle?: StreamHandle | null;
  /** Why a certificate is refused. */
  readonly authorizationError?: unknown;
  on(event: string, listener: (value: never) => void): void;
  once(event: string, listener: (value: never) => void): void;
  removeAllListeners(): void;
}

/** A listener of messages: `pattern` where it was subscribed by one. */
export type Listener = (message: string, channel: string, pattern?: string) => void;
