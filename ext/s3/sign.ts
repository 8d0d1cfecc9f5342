/** Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). */

import { S3Error } from "internal/s3/errors";
import { encode, type Place } from "internal/s3/options";

const ALGORITHM = "AWS4-HMAC-SHA256";
/** TLS keeps the body as it is, and whoever streams does not know its hash before. */
const PAYLOAD = "UNSIGNED-PAYLOAD";
const DAY = 86400;
/** Most characters of a session token, before it is encoded for a URL: those of AWS have less than 4,096 bytes, and servers take URLs of 8 KiB. */
const MAX_TOKEN = 4095;

export type Query = Record<string, string | undefined>;

const hash = (text: string): string => require("node:crypto").createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer =>
  require("node:crypto").createHmac("sha256", key).update(text).digest();

/** Keys of a day, by who and where. */
const keys = new Map<string, Buffer>();
const MAX_KEYS = 100;

function keyOf({ secretAccessKey, region }: Place, day: string): Buffer {
  const name = `${day}/${region}/${secretAccessKey}`;
  let key = keys.get(name);
  if (key === undefined) {
    key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), "s3"), "aws4_request");
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(name, key);
  }
  return key;
}

/** The query as signatures want it: encoded, and sorted by name. */
export function queryText(query: Query): string {
  return Object.keys(query)
    .filter((name) => query[name] !== undefined)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name]!)}`)
    .join("&");
}

function signatureOf(
  place: Place,
  time: string,
  method: string,
  query: string,
  headers: [string, string][],
): { scope: string; names: string; signature: string } {
  const day = time.slice(0, 8);
  const scope = `${day}/${place.region}/s3/aws4_request`;
  const names = headers.map(([name]) => name).join(";");
  const list = headers.map(([name, value]) => `${name}:${value.trim()}\n`).join("");
  const request = [method, place.path, query, list, names, PAYLOAD].join("\n");
  const text = [ALGORITHM, time, scope, hash(request)].join("\n");
  return { scope, names, signature: hmac(keyOf(place, day), text).toString("hex") };
}

/** Milliseconds that a server's clock is ahead of ours, by its address: what differs by more than 15 minutes is refused. */
const skews = new Map<string, number>();
const MAX_SKEWS = 100;

/** Learns a server's clock from the `date` of its answer. False: nothing new. */
export function learnClock({ origin }: Place, date: string | null): boolean {
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time)) return false;
  const skew = time - Date.now();
  // A signature that is made anew by nearly the same clock would be refused again.
  if (Math.abs(skew - (skews.get(origin) ?? 0)) < 1000) return false;
  if (skews.size >= MAX_SKEWS) skews.clear();
  skews.set(origin, skew);
  return true;
}

const timeText = ({ origin }: Place): string =>
  new Date(Date.now() + (skews.get(origin) ?? 0)).toISOString().replace(/[-:]|\.\d+/g, "");

/** Headers that say how an object is stored. */
function storing({ options }: Place): Record<string, string> {
  const { acl, contentDisposition, contentEncoding, storageClass } = options;
  const headers: Record<string, string> = {};
  if (contentDisposition) headers["content-disposition"] = contentDisposition;
  if (contentEncoding) headers["content-encoding"] = contentEncoding;
  if (acl) headers["x-amz-acl"] = acl;
  if (storageClass) headers["x-amz-storage-class"] = storageClass;
  return headers;
}

/** The headers of a request. `stores`: it makes an object. `more` are headers of S3's own, which are signed, too. */
export function signedHeaders(
  place: Place,
  method: string,
  query: Query,
  stores: boolean,
  more?: Record<string, string>,
): Record<string, string> {
  const { sessionToken, requestPayer } = place.options;
  const time = timeText(place);
  const headers: Record<string, string> = {
    ...(stores ? storing(place) : undefined),
    ...more,
    host: place.host,
    "x-amz-content-sha256": PAYLOAD,
    "x-amz-date": time,
  };
  if (requestPayer) headers["x-amz-request-payer"] = "requester";
  if (sessionToken) headers["x-amz-security-token"] = sessionToken;
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const { scope, names, signature } = signatureOf(place, time, method, queryText(query), sorted);
  const credential = `${place.accessKeyId}/${scope}`;
  headers.authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  delete headers.host;
  return headers;
}

/** A URL that anybody may use for so many seconds. */
export function presigned(place: Place, method: string, expiresIn = DAY): string {
  const { acl, contentDisposition, requestPayer, sessionToken, storageClass, type } = place.options;
  if (sessionToken !== undefined && sessionToken.length > MAX_TOKEN)
    throw new S3Error("ERR_S3_INVALID_SESSION_TOKEN", "Invalid session token: a URL has no room for it", place.given);
  const time = timeText(place);
  const query: Query = {
    "X-Amz-Acl": acl,
    "X-Amz-Algorithm": ALGORITHM,
    "X-Amz-Credential": `${place.accessKeyId}/${time.slice(0, 8)}/${place.region}/s3/aws4_request`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expiresIn),
    "X-Amz-Security-Token": sessionToken,
    "X-Amz-SignedHeaders": "host",
    "response-content-disposition": contentDisposition,
    "response-content-type": type,
    "x-amz-request-payer": requestPayer ? "requester" : undefined,
    "x-amz-storage-class": storageClass,
  };
  const { signature } = signatureOf(place, time, method, queryText(query), [["host", place.host]]);
  query["X-Amz-Signature"] = signature;
  return `${place.origin}${place.path}?${queryText(query)}`;
}
