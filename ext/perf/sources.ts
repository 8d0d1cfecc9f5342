/**
 * Entries of the types "http" and "net" (https://nodejs.org/api/perf_hooks.html#performanceentryentrytype), made of what the modules
 * publish on diagnostics channels. Nothing listens there while nobody observes such a type.
 */
import { enqueueNodeEntry } from "web/performance_timeline";

const { channel } = require("node:diagnostics_channel");

type Headers = Record<string, unknown>;

/** What is looked at of a request and of a response, of either side. */
interface Message {
  method?: string;
  url?: string;
  protocol?: string;
  host?: string;
  path?: string;
  headers?: Headers;
  statusCode?: number;
  statusMessage?: string;
  getHeaders?(): Headers;
}

interface Exchange {
  request: Message;
  response: Message;
}

interface Connecting {
  remoteAddress?: string;
  remotePort?: number;
  once(event: "connect", listener: () => void): void;
}

const now = (): number => require("web/performance").performance.now();

/** When requests began. */
const starts = new WeakMap<object, number>();

function noteStart(message: unknown): void {
  starts.set((message as Exchange).request, now());
}

function headersOf(message: Message): Headers {
  return message.headers ?? message.getHeaders?.() ?? {};
}

function report(name: string, { request, response }: Exchange, url: string | undefined): void {
  const start = starts.get(request);
  // It began before anybody observed.
  if (start === undefined) return;
  starts.delete(request);
  const { statusCode, statusMessage } = response;
  enqueueNodeEntry(name, "http", start, now() - start, {
    req: { method: request.method, url, headers: headersOf(request) },
    res: { statusCode, statusMessage, headers: headersOf(response) },
  });
}

function noteConnect(message: unknown): void {
  const { socket } = message as { socket: Connecting };
  const start = now();
  socket.once("connect", () => {
    const { remoteAddress: host, remotePort: port } = socket;
    // Sockets of files have no port.
    if (port !== undefined) enqueueNodeEntry("connect", "net", start, now() - start, { host, port });
  });
}

/** What entries of a type are made of: listeners by the names of channels. */
const listeners: Record<string, Record<string, (message: unknown) => void>> = {
  http: {
    "http.client.request.start": noteStart,
    "http.server.request.start": noteStart,
    "http.client.response.finish": (message) => {
      const { request } = message as Exchange;
      report("HttpClient", message as Exchange, `${request.protocol}//${request.host}${request.path}`);
    },
    "http.server.response.finish": (message) => {
      report("HttpRequest", message as Exchange, (message as Exchange).request.url);
    },
  },
  net: { "net.client.socket": noteConnect },
};

/** Somebody observes a type from here on, or nobody any more. */
export function setProducing(type: string, isObserved: boolean): void {
  for (const [name, listener] of Object.entries(listeners[type]!)) {
    if (isObserved) channel(name).subscribe(listener);
    else channel(name).unsubscribe(listener);
  }
}
