/** fetch for URLs that need no network: data:, blob:, file:. https://fetch.spec.whatwg.org/#scheme-fetch */
import { Body, type BodySource } from "internal/fetch/body";
import { fetchError } from "internal/fetch/errors";
import { HeaderList } from "web/headers";
import type { RequestState } from "web/request";
import { createResponse } from "web/response";

function failure(message: string): never {
  throw new TypeError("fetch failed", { cause: new Error(message) });
}

function answer(
  url: string,
  source: BodySource,
  headers: [string, string][],
  status = 200,
  statusText = "OK",
  method = "GET",
): unknown {
  const list = new HeaderList();
  for (const [name, value] of headers) list.append(name, name, value);
  const hash = url.indexOf("#");
  return createResponse({
    type: "basic",
    status,
    statusText,
    url: hash === -1 ? url : url.slice(0, hash),
    list,
    body: method === "HEAD" ? null : new Body(source),
  });
}

/** The response for a request of another scheme than HTTP's; throws what fetch is to reject with. */
export function fetchScheme(state: RequestState, options?: { s3?: unknown }): unknown {
  const { url } = state;
  const scheme = url.slice(0, url.indexOf(":"));
  switch (scheme) {
    case "data":
      return fetchData(state);
    case "blob":
      return fetchBlob(state);
    case "file":
      return fetchFile(state);
    case "about":
      return failure("about scheme is not supported");
    case "s3":
      return fetchS3(state, options?.s3);
  }
  const error: NodeError = new TypeError("protocol must be http:, https: or s3:", {
    cause: new Error("unknown scheme"),
  });
  error.code = "ERR_INVALID_ARG_VALUE";
  throw error;
}

/** An object of S3, with the credentials of `s3` or of the environment. */
function fetchS3({ url, method, list, body }: RequestState, options: unknown): unknown {
  const headers: Record<string, string> = {};
  for (let i = 0; i < list.items.length; i += 3) headers[list.items[i]!] = list.items[i + 2]!;
  let path = url.replace(/[?#].*$/, "");
  try {
    path = decodeURIComponent(path);
  } catch {
    // A lone percent sign: the key is what was written.
  }
  return require("bun/s3")
    .s3File(path, options)
    .fetched(method, headers, body?.stream ?? null);
}

const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

/** https://fetch.spec.whatwg.org/#data-url-processor: media type and bytes of a data: URL, or undefined. */
function parseDataUrl(url: string): { type: string; bytes: Uint8Array } | undefined {
  const hash = url.indexOf("#");
  const text = hash === -1 ? url.slice(5) : url.slice(5, hash);
  const comma = text.indexOf(",");
  if (comma === -1) return undefined;
  let type = text.slice(0, comma).replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "");
  let bytes: Uint8Array = percentDecoded(text.slice(comma + 1));
  const match = /; *base64$/i.exec(type);
  if (match !== null) {
    type = type.slice(0, match.index);
    let encoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString("latin1")
      .replace(/[\t\n\f\r ]+/g, "");
    if (encoded.length % 4 === 0) encoded = encoded.replace(/={1,2}$/, "");
    if (encoded.length % 4 === 1 || encoded.includes("=") || !base64Text.test(encoded)) return undefined;
    bytes = new Uint8Array(Buffer.from(encoded, "base64"));
  }
  if (type.startsWith(";")) type = `text/plain${type}`;
  const { MIMEType } = require("internal/util/mime");
  try {
    type = new MIMEType(type).toString();
  } catch {
    type = "text/plain;charset=US-ASCII";
  }
  return { type, bytes };
}

function percentDecoded(text: string): Uint8Array {
  const input = Buffer.from(text);
  if (!text.includes("%")) return new Uint8Array(input);
  const result = new Uint8Array(input.length);
  let length = 0;
  for (let i = 0; i < input.length; i++) {
    const byte = input[i]!;
    const pair = byte === 37 ? input.latin1Slice(i + 1, Math.min(i + 3, input.length)) : "";
    if (pair.length === 2 && /^[0-9A-Fa-f]{2}$/.test(pair)) {
      result[length++] = Number.parseInt(pair, 16);
      i += 2;
    } else {
      result[length++] = byte;
    }
  }
  return result.slice(0, length);
}

function fetchData(state: RequestState): unknown {
  const parsed = parseDataUrl(state.url);
  if (parsed === undefined) return failure("failed to fetch the data URL");
  return answer(state.url, parsed.bytes, [["content-type", parsed.type]], 200, "OK", state.method);
}

function fetchBlob(state: RequestState): unknown {
  const { blob } = state;
  if (blob === undefined) throw fetchError("ERR_BLOB_NOT_FOUND", state.url, new Error("no blob has this URL"));
  if (state.method !== "GET") return failure("invalid method");
  const range = state.list.get("range");
  const headers: [string, string][] = [["content-length", String(blob.size)]];
  if (blob.type !== "") headers.push(["content-type", blob.type]);
  if (range === null) return answer(state.url, blob, headers);
  const match = /^bytes[\t ]*=[\t ]*(\d*)[\t ]*-[\t ]*(\d*)$/.exec(range);
  if (match === null || (match[1] === "" && match[2] === "")) return failure("invalid range");
  const { size } = blob;
  let start = Number(match[1]);
  let end = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[1] === "") {
    start = Math.max(size - Number(match[2]), 0);
    end = size - 1;
  }
  if (start >= size || end < start) return failure("range is not satisfiable");
  headers[0]![1] = String(end - start + 1);
  headers.push(["content-range", `bytes ${start}-${end}/${size}`]);
  return answer(state.url, blob.slice(start, end + 1, blob.type), headers, 206, "Partial Content");
}

/** As in Bun: what is wrong with a file shows when its content is read. */
function fetchFile(state: RequestState): unknown {
  if (state.method !== "GET" && state.method !== "HEAD") return failure("invalid method");
  const path = require("node:url").fileURLToPath(state.url);
  const file = require("bun/file").file(path);
  return answer(state.url, file, [["content-type", file.type]], 200, "", state.method);
}
