/** Copies of objects that the server makes by itself (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html). */

import { S3Error } from "internal/s3/errors";
import { encode, type Place, splitPath } from "internal/s3/options";
import { send, textOf } from "internal/s3/request";
import { copiedTag, retriesOf, Upload } from "internal/s3/upload";

const GIB = 1024 ** 3;
/** Most bytes that the server copies in one request; what is larger goes in parts of the other size. */
const MOST_AT_ONCE = 5 * GIB;
const PART = GIB;

/** An object as a whole. */
interface Source {
  place: Place;
  bucket: string;
  key: string;
}

/** Whether one server has both, and knows us by one name: who may write here need not be allowed to read there. */
function isOneServer(a: Place, b: Place): boolean {
  return a.options.endpoint === b.options.endpoint && a.region === b.region && a.accessKeyId === b.accessKeyId;
}

/**
 * Copies an object, whose bytes do not come here. `type` is its new media type, "" for that of the source. Resolves with the number of
 * bytes; with undefined where the two are on different servers or the server does not copy.
 */
export async function copyObject(source: Source, place: Place, type: string): Promise<number | undefined> {
  const { bucket, key } = source;
  if (bucket === "" || !isOneServer(source.place, place)) return undefined;
  const { headers } = await send(source.place, { method: "HEAD" });
  const size = Number(headers.get("content-length") ?? NaN);
  if (Number.isNaN(size)) return undefined;
  const amz: Record<string, string> = {
    "x-amz-copy-source": `/${encode(bucket)}/${key.split("/").map(encode).join("/")}`,
  };
  const tag = headers.get("etag");
  // What is written meanwhile is no part of the copy.
  if (tag !== null) amz["x-amz-copy-source-if-match"] = tag;
  const retries = retriesOf(place);
  try {
    if (size > MOST_AT_ONCE) return await inParts(place, amz, size, type || (headers.get("content-type") ?? ""));
    const { contentDisposition, contentEncoding } = place.options;
    const [toBucket, toKey] = splitPath(place.options, place.given);
    // The server refuses to copy an object onto itself, unless it is described anew.
    const isItself = toBucket === bucket && toKey === key;
    const isNew = isItself || type !== "" || contentDisposition !== undefined || contentEncoding !== undefined;
    const own: Record<string, string> = {};
    if (isNew) {
      amz["x-amz-metadata-directive"] = "REPLACE";
      own["content-type"] = type || (headers.get("content-type") ?? "application/octet-stream");
    }
    const answer = await send(place, { method: "PUT", amz, headers: own, stores: true, retries });
    copiedTag(place, await textOf(place, answer));
    return size;
  } catch (error) {
    if (error instanceof S3Error && error.code === "NotImplemented") return undefined;
    throw error;
  }
}

async function inParts(place: Place, amz: Record<string, string>, size: number, type: string): Promise<number> {
  const upload = new Upload(place, type);
  try {
    for (let from = 0; from < size; from += PART) {
      const range = `bytes=${from}-${Math.min(from + PART, size) - 1}`;
      await upload.copyPart({ ...amz, "x-amz-copy-source-range": range });
    }
  } catch (error) {
    await upload.end(error).catch(() => {});
    throw error;
  }
  await upload.end();
  return size;
}
