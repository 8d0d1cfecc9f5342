/** Options of clients, files and requests: who asks whom, and how objects are stored. */

import { codes } from "internal/core/errors";
import { S3Error, typeError } from "internal/s3/errors";

const ACLS = [
  "private",
  "public-read",
  "public-read-write",
  "aws-exec-read",
  "authenticated-read",
  "bucket-owner-read",
  "bucket-owner-full-control",
  "log-delivery-write",
];
const STORAGE_CLASSES = [
  "STANDARD",
  "STANDARD_IA",
  "INTELLIGENT_TIERING",
  "EXPRESS_ONEZONE",
  "ONEZONE_IA",
  "GLACIER",
  "GLACIER_IR",
  "REDUCED_REDUNDANCY",
  "OUTPOSTS",
  "DEEP_ARCHIVE",
  "SNOW",
];
const MIB = 1024 * 1024;
const LEAST_PART = 5 * MIB;
const MOST_PART = 5120 * MIB;
const MOST_QUEUE = 255;
/** Bytes of a key, and of a host's name. */
const MOST_KEY = 1024;
const MOST_HOST = 253;

export interface Options {
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  bucket?: string;
  region?: string;
  endpoint?: string;
  virtualHostedStyle?: boolean;
  partSize?: number;
  queueSize?: number;
  retry?: number;
  type?: string;
  acl?: string;
  storageClass?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  requestPayer?: boolean;
  method?: string;
  expiresIn?: number;
}

const TEXTS = [
  "accessKeyId",
  "secretAccessKey",
  "sessionToken",
  "bucket",
  "region",
  "endpoint",
  "type",
  "contentDisposition",
  "contentEncoding",
  "method",
] as const;

function within(options: Record<string, unknown>, name: string, least: number, most?: number): number | undefined {
  const value = options[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw new codes.ERR_INVALID_ARG_TYPE(name, "number", value);
  if (!Number.isInteger(value) || value < least || (most !== undefined && value > most)) {
    const range = most === undefined ? `>= ${least}` : `>= ${least} and <= ${most}`;
    throw new codes.ERR_OUT_OF_RANGE(name, range, value);
  }
  return value;
}

function oneOf(options: Record<string, unknown>, name: string, all: string[]): string | undefined {
  const value = options[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || !all.includes(value))
    throw typeError(`${name} must be one of ${all.map((one) => `"${one}"`).join(", ")}`);
  return value;
}

/** Options that are given, over others. Throws TypeError and RangeError for those that are none. */
export function merged(usual: Options, given: unknown): Options {
  if (given === undefined || given === null) return usual;
  if (typeof given !== "object") throw new codes.ERR_INVALID_ARG_TYPE("options", "object", given);
  const options = given as Record<string, unknown>;
  const all: Record<string, unknown> = { ...usual };
  const take = (name: string, value: unknown): void => {
    if (value !== undefined && value !== null && value !== "") all[name] = value;
  };
  for (const name of TEXTS) {
    const value = options[name];
    if (value !== undefined && value !== null && typeof value !== "string")
      throw new codes.ERR_INVALID_ARG_TYPE(name, "string", value);
    if (typeof value === "string" && /[\r\n\0]/.test(value))
      throw typeError(`${name} must not contain newline characters (CR/LF) or NUL`);
    take(name, value);
  }
  take("partSize", within(options, "partSize", LEAST_PART, MOST_PART));
  const queueSize = within(options, "queueSize", 1);
  take("queueSize", queueSize === undefined ? undefined : Math.min(queueSize, MOST_QUEUE));
  take("retry", within(options, "retry", 0, 255));
  take("acl", oneOf(options, "acl", ACLS));
  take("storageClass", oneOf(options, "storageClass", STORAGE_CLASSES));
  for (const name of ["virtualHostedStyle", "requestPayer"])
    if (options[name] !== undefined) all[name] = Boolean(options[name]);
  const { expiresIn } = options;
  if (expiresIn !== undefined) {
    if (typeof expiresIn !== "number") throw new codes.ERR_INVALID_ARG_TYPE("expiresIn", "number", expiresIn);
    if (!(expiresIn > 0)) throw typeError("expiresIn must be greather than 0");
    all.expiresIn = Math.trunc(expiresIn);
  }
  return all as Options;
}

/** The environment's names, S3's own before those of AWS. */
const NAMES: [keyof Options, string][] = [
  ["accessKeyId", "ACCESS_KEY_ID"],
  ["secretAccessKey", "SECRET_ACCESS_KEY"],
  ["sessionToken", "SESSION_TOKEN"],
  ["region", "REGION"],
  ["endpoint", "ENDPOINT"],
  ["bucket", "BUCKET"],
];

export function fromEnvironment(): Options {
  const options: Record<string, unknown> = {};
  const { env } = process;
  for (const [name, suffix] of NAMES) {
    const value = env[`S3_${suffix}`] || env[`AWS_${suffix}`];
    if (value) options[name] = value;
  }
  return options as Options;
}

/** Where an object is, with all that is needed to ask for it. */
export interface Place {
  options: Options;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  /** "https://host" */
  origin: string;
  host: string;
  /** With the bucket where it is no part of the host, encoded. */
  path: string;
  /** As the program gave it, for errors. */
  given: string;
}

/** Encodes what RFC 3986 does not call unreserved, as signatures want it. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Throws TypeError for what is no address. As in Bun a name with other letters is written in Punycode. */
function endpointUrl(endpoint: string): URL {
  try {
    if (/[^\0-\x7f]/.test(endpoint)) throw new TypeError("not ASCII");
    return new URL(endpoint.includes("://") ? endpoint : `https://${endpoint}`);
  } catch {
    throw typeError(`endpoint must be a URL or a host, and ${JSON.stringify(endpoint.slice(0, 100))} is neither`);
  }
}

function regionOf(host: string | undefined): string {
  if (host === undefined) return "us-east-1";
  return /(?:^|\.)s3[.-]([a-z0-9-]+)\.amazonaws\.com$/.exec(host)?.[1] ?? "auto";
}

/** Bucket and key of a path: a key in the bucket of the options, else "bucket/key"; with "s3://" before it or not. */
export function splitPath(options: Options, path: string): [bucket: string, key: string] {
  const rest = path.replace(/^s3:\/\//, "").replace(/^[/\\]+/, "");
  if (options.bucket !== undefined) return [options.bucket.replace(/^[/\\]+|[/\\]+$/g, ""), rest];
  const slash = rest.search(/[/\\]/);
  return slash < 0 ? ["", rest] : [rest.slice(0, slash), rest.slice(slash + 1)];
}

/** Throws S3Error without credentials, bucket or key; `isBucket`: the bucket itself is asked for. */
export function placeOf(options: Options, given: string, isBucket = false): Place {
  const { accessKeyId, secretAccessKey, endpoint, virtualHostedStyle } = options;
  if (!accessKeyId || !secretAccessKey) {
    const text = "Missing S3 credentials. 'accessKeyId', 'secretAccessKey', 'bucket', and 'endpoint' are required";
    throw new S3Error("ERR_S3_MISSING_CREDENTIALS", text, given);
  }
  const [bucket, key] = splitPath(options, isBucket ? "" : given);
  const inHost = virtualHostedStyle === true;
  const isBad = (key === "" && !isBucket) || /[\r\n\0]/.test(key) || Buffer.byteLength(key) > MOST_KEY;
  if ((bucket === "" && !(inHost && endpoint)) || isBad)
    throw new S3Error("ERR_S3_INVALID_PATH", "Invalid S3 bucket, key combination", given);
  const url = endpoint ? endpointUrl(endpoint) : undefined;
  if (url !== undefined && url.hostname.length > MOST_HOST)
    throw new S3Error("ERR_S3_INVALID_ENDPOINT", "Invalid S3 endpoint: its host is too long", given);
  const region = options.region ?? regionOf(url?.hostname);
  const host = url?.host ?? (inHost ? `${bucket}.s3.${region}.amazonaws.com` : `s3.${region}.amazonaws.com`);
  const folder = url === undefined ? "" : url.pathname.replace(/\/+$/, "");
  const name = key.split("/").map(encode).join("/");
  const path = `${folder}/${inHost ? "" : `${encode(bucket)}/`}${name}`;
  return {
    options,
    accessKeyId,
    secretAccessKey,
    region,
    origin: `${url?.protocol ?? "https:"}//${host}`,
    host,
    path,
    given,
  };
}
