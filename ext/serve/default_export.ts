/** `export default { fetch }` in the main module. */
import { isServer, serve } from "bun/serve";

/** Starts the server that a default export describes, and says where it listens. */
export function start(options: unknown): void {
  // `export default Bun.serve(…)`
  if (isServer(options)) return;
  // It has a `fetch`, too.
  if (options === globalThis) return;
  const server = serve(options as Parameters<typeof serve>[0]);
  const kind = server.development ? "development server" : "server";
  process.stdout.write(`Started ${kind}: ${server.url.href.replace(/\/$/, "")}\n`);
}
