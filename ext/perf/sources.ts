/**
 * Entries of the types "http" and "net" (https://nodejs.org/api/perf_hooks.html#performanceentryentrytype), made of what the modules
 * publish on diagnostics channels. Nothing listens there before somebody observes such a type.
 */
import { enqueueNodeEntry, hasObserver } from "web/performance_timeline";

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
  if (start === undefined || !hasObserver("http")) return;
  starts.delete(request);
  const { statusCode, statusMessage } = response;
  enqueueNodeEntry(name, "http", start, now() - start, {
    req: { method: request.method, url, headers: headersOf(request) },
    res: { statusCode, statusMessage, headers: headersOf(response) },
  });
}

function observeHttp(): void {
  channel("http.client.request.start").subscribe(noteStart);
  channel("http.server.request.start").subscribe(noteStart);
  channel("http.client.response.finish").subscribe((message: unknown) => {
    const { request } = message as Exchange;
    report("HttpClient", message as Exchange, `${request.protocol}//${request.host}${request.path}`);
  });
  channel("http.server.response.finish").subscribe((message: unknown) => {
    report("HttpRequest", message as Exchange, (message as Exchange).request.url);
  });
}

function observeNet(): void {
  channel("net.client.socket").subscribe((message: unknown) => {
    if (!hasObserver("net")) return;
    const { socket } = message as { socket: Connecting };
    const start = now();
    socket.once("connect", () => {
      const { remoteAddress: host, remotePort: port } = socket;
      // Sockets of files have no port.
      if (port !== undefined) enqueueNodeEntry("connect", "net", start, now() - start, { host, port });
    });
  });
}

/** What begins to produce entries of a type; each is called once. */
const producers: Record<string, (() => void) | undefined> = {
  __proto__: null as never,
  http: observeHttp,
  net: observeNet,
};

/** Somebody observes a type from here on. */
export function beginToProduce(type: string): void {
  const begin = producers[type];
  producers[type] = undefined;
  begin?.();
}
