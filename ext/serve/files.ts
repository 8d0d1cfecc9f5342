/** Responses whose body is a file: https://bun.com/docs/api/http#streaming-files. Ranges as of RFC 9110, 14. */
import { createResponse, ResponseState } from "web/response";
import { sliceStart, wholePath } from "bun/file";
import type { IncomingRequest } from "internal/serve/request";
import { HEAD_MINOR_SHIFT, RESPOND_NO_DATE, WRITTEN_ALL, WRITTEN_LATER } from "internal/net/native_constants";

const net = native("net");

/** Up to this size, in bytes, a file is read on the calling thread and sent with its head. */
const SMALL = 64 * 1024;

/** A single range of a header, as [start, end): undefined for none or one to be ignored, null for one out of reach. */
function parseRange(header: string, size: number): [number, number] | undefined | null {
  const match = /^bytes[\t ]*=[\t ]*(\d*)[\t ]*-[\t ]*(\d*)[\t ]*$/i.exec(header);
  if (match === null || (match[1] === "" && match[2] === "")) return undefined;
  if (match[1] === "") {
    const length = Number(match[2]);
    return length === 0 || size === 0 ? null : [Math.max(size - length, 0), size];
  }
  const start = Number(match[1]);
  const end = match[2] === "" ? size : Math.min(Number(match[2]) + 1, size);
  if (match[2] !== "" && Number(match[2]) < start) return undefined;
  return start >= size ? null : [start, end];
}

/** From this size on, in bytes, the system sends a part of a file by itself: below, reading it costs less than the second call. */
const SENDFILE = 128 * 1024;

/** Looked at closely only where the word occurs. */
const mayHaveRange = (text: string) =>
  text.includes("\0Range\0") || text.includes("\0range\0") || /\0range\0/i.test(text);

/** Sends all of a file in one go; false where it is too large for that. Throws what opening it gives. */
function sendWhole(request: IncomingRequest, state: ResponseState, type: string, path: string): boolean {
  const { connection } = request;
  const { plainHeadOf, found, fileUnderWay } = require("internal/serve/respond");
  let head: string = plainHeadOf(state, type);
  if (
    request.cookies !== undefined ||
    found.close ||
    connection.last ||
    ((request.info >> HEAD_MINOR_SHIFT) & 15) === 0
  )
    return false;
  if (head === "") return false;
  const { altSvc } = connection.server;
  if (altSvc !== "" && !state.list.has("alt-svc")) head += `Alt-Svc: ${altSvc}\r\n`;
  const result = net.httpRespondFile(connection.id, head, path, found.date ? RESPOND_NO_DATE : 0);
  if (result[0] === WRITTEN_ALL || result[0] === WRITTEN_LATER) {
    request.begun = true;
    connection.finished(request);
    return true;
  }
  if (result[0] === 3) {
    request.begun = true;
    fileUnderWay(connection, request);
    return true;
  }
  if (result[0] === 4) {
    connection.close();
    return true;
  }
  return false;
}

/**
 * Sends a Blob that is not in memory. Of a route (`stored`) a slice of a file is all there is; from a handler it is a part of the file.
 * Whoever says Content-Range has chosen the part.
 */
export function respondWithFile(
  request: IncomingRequest,
  state: ResponseState,
  blob: Blob & { name?: string; exists?: unknown },
  stored = false,
): void {
  const { respond } = require("internal/serve/respond");
  let { status } = state;
  const file = typeof blob.name === "string" && typeof blob.exists === "function";
  if (request.method === "GET" && !request.connection.isStream && (status !== 200 || !mayHaveRange(request.text))) {
    const path = wholePath(blob);
    if (path !== undefined && sendWhole(request, state, blob.type, path)) return;
  }
  const list = state.list.copy();
  const size: number = blob.size;
  if (file && !isRegular(blob.name!)) {
    // Directories and what is not there: the error that reading gives.
    const failure = readFailure(blob.name!);
    if (failure !== undefined) throw failure;
  }
  if (blob.type !== "" && !list.has("content-type")) list.append("content-type", "content-type", blob.type);
  const range =
    status === 200 &&
    (request.method === "GET" || request.method === "HEAD") &&
    Number.isFinite(size) &&
    !list.has("content-range")
      ? request.header("range")
      : undefined;
  let part = blob;
  const start = status === 200 && !stored ? sliceStart(blob) : undefined;
  if (start !== undefined && size > 0) {
    // As in Bun, which does not say how much there is of the file.
    status = 206;
    if (!list.has("content-range")) list.set("content-range", "content-range", `bytes ${start}-${start + size - 1}/*`);
  } else if (range !== undefined && stillAsked(request, list)) {
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
  if (
    request.method === "GET" &&
    !request.connection.isStream &&
    file &&
    length >= SENDFILE &&
    Number.isFinite(length)
  ) {
    const { sendFilePart } = require("internal/serve/respond");
    const from = sliceStart(part) ?? 0;
    if (sendFilePart(request, { ...state, status, list, body: null }, blob.name!, from, length)) return;
  }
  if (request.method === "HEAD") {
    list.set("content-length", "content-length", String(length));
    respond(request, createResponse({ status, statusText: state.statusText, list }));
    return;
  }
  if (wholePath(blob) !== undefined && length <= SMALL) {
    const bytes = readNow(blob.name!, part === blob ? undefined : range!, size);
    if (bytes !== undefined) {
      respond(request, createResponse({ status, statusText: state.statusText, list, body: new Body(bytes) }));
      return;
    }
  }
  if (Number.isFinite(length)) list.set("content-length", "content-length", String(length));
  respond(
    request,
    createResponse({
      status,
      statusText: state.statusText,
      list,
      body: new Body(undefined, part.stream() as InstanceType<typeof Body>["stream"]),
    }),
  );
}

/** Whether a range is wanted of what there is now: `If-Range` has a date that is the file's (a weak tag is not enough). */
function stillAsked(request: IncomingRequest, list: ResponseState["list"]): boolean {
  const condition = request.header("if-range");
  return !condition || Date.parse(condition) === Date.parse(list.get("last-modified") ?? "");
}

function isRegular(path: string): boolean {
  const stats = require("node:fs").statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}

function readFailure(path: string) {
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
