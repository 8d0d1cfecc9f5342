/** What fetch tells on standard error with `verbose`, as Bun does. */

import type { Exchange } from "internal/fetch/exchange";

/** @param head as sent, with the empty line at its end */
export function showRequest(exchange: Exchange, head: string, content: unknown): void {
  const lines = head.trimEnd().split("\r\n");
  let text = "";
  if (exchange.options.verbose === "curl") text += `${asCurl(exchange, lines.slice(1), content)}\n`;
  text += `[fetch] > HTTP/1.1 ${exchange.method} ${exchange.href}\n`;
  for (const line of lines.slice(1)) text += `[fetch] > ${line}\n`;
  process.stderr.write(`${text}\n`);
}

/** @param parts reason, then names and values */
export function showResponse(_exchange: unknown, status: number, parts: string[]): void {
  let text = `[fetch] < ${status} ${parts[0]}\n`;
  for (let i = 1; i < parts.length; i += 2) text += `[fetch] < ${parts[i]}: ${parts[i + 1]}\n`;
  process.stderr.write(`${text}\n`);
}

const quoted = (text: string) => JSON.stringify(text).replaceAll("$", "\\$").replaceAll("`", "\\`");

function asCurl(exchange: Exchange, headers: string[], content: unknown): string {
  let text = `[fetch] $ curl --http1.1 ${quoted(exchange.href)}`;
  if (exchange.method !== "GET") text += ` -X ${exchange.method}`;
  for (const header of headers) {
    if (header.startsWith("Accept-Encoding:")) text += " --compressed";
    text += ` -H ${quoted(header)}`;
  }
  if (typeof content === "string") text += ` --data-raw ${quoted(content)}`;
  return text;
}
