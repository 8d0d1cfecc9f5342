/** Responses whose body is a file: https://bun.com/docs/api/http#streaming-files. Ranges as of RFC 9110, 14. */
import { createResponse, ResponseState } from "web/response";
import type { IncomingRequest } from "internal/serve/request";

/** Up to this size, in bytes, a file is read on the calling thread and sent with its head. */
const SMALL = 64 * 1024;

/** A single range of a header, as [start, end): undefined for none or one to be ignored, null for one out of reach. */
export function parseRange(header: string, size: number): [number, number] | undefined | null {
  const match = /^bytes[\t ]*=[\t ]*(\d*)[\t ]*-[\t ]*(\d*)[\t ]*$/i.exec(header);
  if (match === null || match[1] === "" && match[2] === "") return undefined;
  if (match[1] === "") {
    const length = Number(match[2]);
    return length === 0 || size === 0 ? null : [Math.max(size - length, 0), size];
  }
  const start = Number(match[1]);
  const end = match[2] === "" ? size : Math.min(Number(match[2]) + 1, size);
  if (match[2] !== "" && Number(match[2]) < start) return undefined;
  return start >= size ? null : [start, end];
}

/** Sends a Blob that is not in memory. */
export function respondWithFile(request: IncomingRequest, state: ResponseState, blob: any): void {
  const { respond } = require("internal/serve/respond");
  const list = state.list.copy();
  let { status } = state;
  const size: number = blob.size;
  const file = typeof blob.name === "string" && typeof blob.exists === "function";
  if (file && !isRegular(blob.name)) {
    // Directories and what is not there: the error that reading gives.
    const failure = readFailure(blob.name);
    if (failure !== undefined) throw failure;
  }
  if (blob.type !== "" && !list.has("content-type")) list.append("content-type", "content-type", blob.type);
  const range = status === 200 && (request.method === "GET" || request.method === "HEAD") && Number.isFinite(size) ? request.header("range") : undefined;
  let part = blob;
  if (range !== undefined && !request.header("if-range")) {
    const found = parseRange(range, size);
    if (found === null) {
      list.set("content-range", "content-range", `bytes */${size}`);
      list.set("accept-ranges", "accept-ranges", "bytes");
      respond(request, createResponse({ status: 416, list }));
      return;
    }
    if (found !== undefined) {
      status = 206;
      list.set("content-range", "content-range", `bytes ${found[0]}-${found[1] - 1}/${size}`);
      list.set("accept-ranges", "accept-ranges", "bytes");
      part = blob.slice(found[0], found[1], blob.type);
    }
  }
  const { Body } = require("internal/fetch/body");
  const length: number = part.size;
  if (request.method === "HEAD") {
    list.set("content-length", "content-length", String(length));
    respond(request, createResponse({ status, statusText: state.statusText, list }));
    return;
  }
  if (file && length <= SMALL) {
    const bytes = readNow(blob.name, part === blob ? undefined : range!, size);
    if (bytes !== undefined) {
      respond(request, createResponse({ status, statusText: state.statusText, list, body: new Body(bytes) }));
      return;
    }
  }
  if (Number.isFinite(length)) list.set("content-length", "content-length", String(length));
  respond(request, createResponse({ status, statusText: state.statusText, list, body: new Body(undefined, part.stream()) }));
}

function isRegular(path: string): boolean {
  const stats = require("node:fs").statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}

function readFailure(path: string): any {
  try {
    require("node:fs").readFileSync(path);
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The bytes of a file or of a range of it; undefined where it has changed meanwhile. */
function readNow(path: string, range: string | undefined, size: number): Uint8Array | undefined {
  const bytes: Uint8Array = require("node:fs").readFileSync(path);
  if (range === undefined) return bytes;
  if (bytes.byteLength !== size) return undefined;
  const found = parseRange(range, size)!;
  return bytes.subarray(found[0], found[1]);
}
