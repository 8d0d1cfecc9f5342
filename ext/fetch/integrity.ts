/** Subresource Integrity (https://www.w3.org/TR/SRI/), for fetch's `integrity`. */

const algorithms = ["sha256", "sha384", "sha512"];

/** Whether bytes are those that metadata such as "sha256-… sha512-…" says; metadata that says nothing fits everything. */
export function matchesIntegrity(bytes: Uint8Array, metadata: string): boolean {
  let strongest = -1;
  let values: string[] = [];
  for (const item of metadata.split(/[\t\n\f\r ]+/)) {
    const match = /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+={0,2})(?:\?.*)?$/i.exec(item);
    if (match === null) continue;
    const strength = algorithms.indexOf(match[1]!.toLowerCase());
    if (strength > strongest) {
      strongest = strength;
      values = [];
    }
    if (strength === strongest) values.push(match[2]!);
  }
  if (strongest === -1) return true;
  const digest = require("node:crypto").createHash(algorithms[strongest]).update(bytes).digest();
  return values.some((value) => Buffer.from(value, "base64").equals(digest));
}
