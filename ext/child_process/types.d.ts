// The types of node:child_process and node:cluster: https://nodejs.org/api/child_process.html

import type { EventEmitter } from "internal/events/types";
import type { ListenHandle, UDP } from "internal/net/native";
import type { Address, Duplex } from "internal/net/types";

/** An output of a process: text with an encoding, else bytes. */
export type ProcessOutput = string | Buffer;

/** The options of spawn(), exec(), fork() and their synchronous twins as programs give them. */
export interface ProcessOptions {
  args?: string[];
  argv0?: string;
  cwd?: string | URL | null;
  detached?: boolean;
  encoding?: string | null;
  env?: Record<string, unknown> | null;
  execArgv?: readonly string[];
  execPath?: string;
  gid?: number;
  /** Of the synchronous ones: what the process reads. */
  input?: unknown;
  killSignal?: string | number;
  /** Bytes of output after which the process is ended. */
  maxBuffer?: number;
  serialization?: string;
  shell?: boolean | string;
  signal?: AbortSignal;
  silent?: boolean;
  stdio?: string | readonly unknown[];
  /** Milliseconds. */
  timeout?: number;
  uid?: number;
  windowsHide?: boolean;
  windowsVerbatimArguments?: boolean;
}

/** The same, checked and in the form that the native half takes. */
export interface SpawnOptions extends Omit<ProcessOptions, "cwd" | "env"> {
  /** All arguments, argv[0] first. */
  args: string[];
  cwd?: string;
  detached: boolean;
  env?: Record<string, unknown>;
  /** `NAME=value` of all variables. */
  envPairs: string[];
  file: string;
}

/** What spawnSync() tells. An output is null where it was no pipe. */
export interface SyncResult<T extends ProcessOutput = ProcessOutput> {
  error?: NodeError & { spawnargs?: string[] };
  output: T[];
  pid: number;
  signal: string | null;
  status: number | null;
  stderr: T;
  stdout: T;
}

/** Of exec() and execFile(). */
export type ExecCallback = (error: ExecError | null, stdout: ProcessOutput, stderr: ProcessOutput) => void;
export interface ExecError extends Omit<NodeError, "code"> {
  /** A name, or the exit code. */
  code?: string | number;
  cmd?: string;
  stdout?: ProcessOutput;
  stderr?: ProcessOutput;
}

/** What tells that a message is out. */
export type SendCallback = (error: NodeError | null) => void;
export interface SendOptions {
  keepOpen?: boolean;
  /** An error of the channel is nobody's business. */
  swallowErrors?: boolean;
}

/** `subprocess.channel` and `process.channel`. */
export interface IpcControl extends EventEmitter {
  readonly fd: number;
  ref(): void;
  unref(): void;
  hasRef(): boolean;
  /** One more or one less listener that wants the channel. */
  refCounted(): void;
  unrefCounted(): void;
}

/** One side of a channel: a ChildProcess in the parent, `process` in the child. */
export interface IpcTarget extends EventEmitter {
  connected: boolean;
  channel?: IpcControl | null;
  _channel?: IpcControl | null;
  send?(message: unknown, handle?: unknown, options?: unknown, callback?: unknown): boolean;
  disconnect(): void;
  _disconnect?(): void;
  /** Sends without asking whether there is a connection; older programs pass a boolean as options. */
  _send(message: unknown, handle?: unknown, options?: SendOptions | boolean, callback?: SendCallback): boolean;
}

/** A message with a handle, as Node sends it, and the messages of node:cluster and of servers with sent connections. */
export interface Envelope {
  cmd?: string;
  /** What kind of handle. */
  type: string;
  dgramType: string;
  /** Of the server of a connection. */
  key?: string;
  /** The message itself. */
  msg?: unknown;
}

/** A message about the connections of one server that are in another process. */
export interface ConnectionsMessage {
  cmd?: string;
  key: string;
  count?: number;
}

/** A stream of a process that can become one of another process. */
export interface StdioStream extends Duplex {
  /** The descriptor is about to become one of another process. */
  _stopForChild(): void;
  _isUsedAsStdio?: boolean;
}

/** The controller of a web stream of bytes. */
export interface BytesController {
  readonly desiredSize: number;
  close(): void;
  enqueue(chunk: Uint8Array): void;
  error(reason: unknown): void;
}

/** A web stream of bytes. */
export interface BytesStream {
  readonly locked: boolean;
  getReader(): {
    read(): Promise<{ done: false; value: Uint8Array } | { done: true; value: undefined }>;
    releaseLock(): void;
  };
}

/** A process that node:cluster talks to: a ChildProcess or, in a worker, `process`. */
export interface ClusterProcess extends IpcTarget {
  exitCode?: number | string | null;
  signalCode?: string | null;
  pid?: number;
  kill(signal?: unknown): boolean;
}

/** https://nodejs.org/api/cluster.html#class-worker */
export interface Worker extends EventEmitter {
  exitedAfterDisconnect: boolean | undefined;
  id: number;
  process: ClusterProcess;
  state: "none" | "online" | "listening" | "disconnecting" | "destroying" | "disconnected" | "dead";
  destroy(signal?: unknown): void;
  disconnect(): this;
  isConnected(): boolean;
  isDead(): boolean;
  kill(signal?: unknown): void;
  send(message: unknown, ...rest: unknown[]): boolean;
}
export interface WorkerOptions {
  id?: number;
  process?: ClusterProcess;
  state?: Worker["state"];
}
export interface WorkerConstructor {
  new (options?: WorkerOptions): Worker;
  (this: Worker, options?: WorkerOptions): Worker | void;
  readonly prototype: Worker;
}

/** The settings of cluster.setupPrimary(). */
export interface ClusterSettings {
  args?: string[];
  cwd?: string;
  exec?: string;
  execArgv?: string[];
  gid?: number;
  inspectPort?: number | null | (() => number);
  serialization?: string;
  silent?: boolean;
  stdio?: ProcessOptions["stdio"];
  uid?: number;
  windowsHide?: boolean;
}

/** A message between the primary and a worker. `ack`: an answer to the message of that number. */
export interface ClusterMessage {
  cmd?: string;
  act?: string;
  seq?: number;
  ack?: number;
  /** Of an answer: a worker has taken a connection. */
  accepted?: boolean;
  data?: unknown;
  errno?: number;
  /** Of a socket of the primary. */
  key?: string;
  sockname?: Address;
  /** Of an answer: whether a copy of the socket came along. */
  sharedListen?: boolean;
}

/** What a worker asks a socket for. `port` is negative with a path, `address` null where there is none. */
export interface ListenQuery {
  address: string | null | undefined;
  port: number | string | null;
  addressType: string | number | null;
  fd: number | undefined;
  flags?: number;
  backlog?: number | false;
  readableAll?: boolean;
  writableAll?: boolean;
}
export type QueryMessage = ClusterMessage & ListenQuery & { index: number };

/** A server or datagram socket that listens with a socket of the primary. */
export interface ClusterServer extends EventEmitter {
  _getServerData?(): unknown;
  _setServerData?(data: unknown): void;
  address?(): Address | string | null | undefined;
}

/** What a worker listens with: a copy of the primary's socket, or a stand-in for it. */
export type SharedSocket = ListenHandle | UDP;
