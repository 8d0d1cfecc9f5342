/** What a client gets when a handler has thrown: in development a page that a person can read. */

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => (c === "&" ? "&amp;" : c === "<" ? "&lt;" : c === ">" ? "&gt;" : "&quot;"));
}

const style =
  "body{margin:0;background:#16161d;color:#e6e6ea;font:15px/1.5 system-ui,sans-serif}" +
  "main{max-width:60rem;margin:0 auto;padding:2.5rem 1.5rem}h1{font-size:1.1rem;color:#ff6b6b;margin:0 0 .5rem}" +
  "p{font-size:1.4rem;margin:0 0 1.5rem;white-space:pre-wrap;overflow-wrap:anywhere}" +
  "pre{background:#0d0d12;border-radius:8px;padding:1rem;overflow:auto;font:13px/1.6 ui-monospace,monospace}";

/** A response of status 500 about `error`. */
export function errorResponse(error: NodeError | null | undefined, development: boolean) {
  if (!development)
    return new Response("Something went wrong!", { status: 500, headers: { "content-type": "text/plain" } });
  const isError = Error.isError(error);
  const name = isError ? String(error.name) : "Error";
  const message = isError ? String(error.message) : require("internal/util/inspect").inspect(error);
  const detail = isError ? require("internal/util/inspect").inspect(error) : "";
  const page =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(name)}: ${escaped(message)}</title>` +
    `<style>${style}</style></head><body><main><h1>${escaped(name)}</h1><p>${escaped(message)}</p><pre>${escaped(detail)}</pre></main></body></html>`;
  return new Response(page, { status: 500, headers: { "content-type": "text/html;charset=utf-8" } });
}
