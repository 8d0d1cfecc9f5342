// X.509 certificates as tls.TLSSocket#getPeerCertificate() shows them (RFC 5280, DER).

import { FastBuffer } from "internal/buffer/base";

interface Element {
  tag: number;
  start: number;
  content: number;
  end: number;
}

function element(der: any, at: number): Element {
  const tag = der[at];
  let length = der[at + 1];
  let content = at + 2;
  if (length & 0x80) {
    const count = length & 0x7f;
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + der[content++];
  }
  return { tag, start: at, content, end: content + length };
}

function children(der: unknown, parent: Element): Element[] {
  const list: Element[] = [];
  for (let at = parent.content; at < parent.end;) {
    const child = element(der, at);
    list.push(child);
    at = child.end;
  }
  return list;
}

function oid(der: any, item: Element): string {
  const first = der[item.content];
  const parts = [Math.min(2, Math.floor(first / 40)), 0];
  parts[1] = first - parts[0]! * 40;
  let value = 0;
  for (let i = item.content + 1; i < item.end; i++) {
    value = value * 128 + (der[i] & 0x7f);
    if ((der[i] & 0x80) === 0) {
      parts.push(value);
      value = 0;
    }
  }
  return parts.join(".");
}

const names: Record<string, string> = {
  "2.5.4.3": "CN",
  "2.5.4.4": "SN",
  "2.5.4.5": "serialNumber",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.9": "street",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
  "2.5.4.12": "title",
  "2.5.4.42": "GN",
  "1.2.840.113549.1.9.1": "emailAddress",
  "0.9.2342.19200300.100.1.25": "DC",
  "0.9.2342.19200300.100.1.1": "UID",
};

function text(der: any, item: Element): string {
  const bytes = der.subarray(item.content, item.end);
  // BMPString is UTF-16 in network order.
  if (item.tag === 30) return require("node:buffer").Buffer.from(bytes).swap16().toString("utf16le");
  return bytes.toString(item.tag === 12 ? "utf8" : "latin1");
}

function name(der: any, item: Element): any {
  const result = Object.create(null);
  for (const set of children(der, item)) {
    for (const pair of children(der, set)) {
      const { 0: type, 1: value } = children(der, pair);
      const id = oid(der, type!);
      const key = names[id] ?? id;
      const content = text(der, value!);
      if (key in result) result[key] = Array.isArray(result[key]) ? [...result[key], content] : [result[key], content];
      else result[key] = content;
    }
  }
  return result;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function time(der: any, item: Element): string {
  const digits = der.subarray(item.content, item.end).toString("latin1");
  const long = item.tag === 24;
  const year = long ? digits.slice(0, 4) : (Number(digits.slice(0, 2)) < 50 ? "20" : "19") + digits.slice(0, 2);
  const rest = digits.slice(long ? 4 : 2);
  const day = String(Number(rest.slice(2, 4))).padStart(2, " ");
  return `${months[Number(rest.slice(0, 2)) - 1]} ${day} ${rest.slice(4, 6)}:${rest.slice(6, 8)}:${rest.slice(8, 10)} ${year} GMT`;
}

function address(bytes: FastBuffer): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let i = 0; i + 1 < bytes.length; i += 2)
    groups.push(((bytes[i] << 8) | bytes[i + 1]).toString(16).toUpperCase());
  return groups.join(":");
}

// Values with characters that could pass for a separator are quoted, as in Node.
function quoted(value: string): string {
  return /[,'"\\\x00-\x1f\x7f-]/.test(value) && /[,'"\\]|[^\x20-\x7e]/.test(value) ? JSON.stringify(value) : value;
}

function altNames(der: any, sequence: Element): string {
  return children(der, sequence)
    .map((item) => {
      const bytes = der.subarray(item.content, item.end);
      switch (item.tag & 0x1f) {
        case 1:
          return `email:${quoted(bytes.toString("latin1"))}`;
        case 2:
          return `DNS:${quoted(bytes.toString("latin1"))}`;
        case 4:
          return `DirName:${Object.entries(name(der, element(der, item.content)))
            .map(([k, v]) => `${k}=${v}`)
            .join(",")}`;
        case 6:
          return `URI:${quoted(bytes.toString("latin1"))}`;
        case 7:
          return `IP Address:${address(bytes)}`;
        case 8:
          return `Registered ID:${oid(der, item)}`;
        default:
          return "othername:<unsupported>";
      }
    })
    .join(", ");
}

function fingerprint(algorithm: string, der: unknown): string {
  const hex = require("node:crypto").createHash(algorithm).update(der).digest("hex").toUpperCase();
  return hex.match(/../g)!.join(":");
}

const curves: Record<string, [string, string, number]> = {
  "1.2.840.10045.3.1.7": ["prime256v1", "P-256", 256],
  "1.3.132.0.34": ["secp384r1", "P-384", 384],
  "1.3.132.0.35": ["secp521r1", "P-521", 521],
};

/** The fields of a certificate in DER. */
export function parseCertificate(bytes: Uint8Array): any {
  const der: any = new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const certificate = element(der, 0);
  const { 0: tbs } = children(der, certificate);
  const fields = children(der, tbs!);
  // The version is optional.
  let at = fields[0]!.tag === 0xa0 ? 1 : 0;
  const serial = fields[at++]!;
  at++;
  const issuer = fields[at++]!;
  const validity = children(der, fields[at++]!);
  const subject = fields[at++]!;
  const keyInfo = fields[at++]!;
  const result: any = { subject: name(der, subject), issuer: name(der, issuer), ca: false };

  const extensions = fields.slice(at).find((field) => field.tag === 0xa3);
  if (extensions) {
    for (const extension of children(der, children(der, extensions)[0]!)) {
      const parts = children(der, extension);
      const value = parts[parts.length - 1]!;
      const inner = value.end > value.content ? element(der, value.content) : undefined;
      switch (oid(der, parts[0]!)) {
        case "2.5.29.17":
          result.subjectaltname = altNames(der, inner!);
          break;
        case "2.5.29.19": {
          const first = children(der, inner!)[0];
          result.ca = first?.tag === 1 && der[first.content] !== 0;
          break;
        }
        case "2.5.29.37":
          result.ext_key_usage = children(der, inner!).map((item) => oid(der, item));
          break;
        case "1.3.6.1.5.5.7.1.1": {
          const access = Object.create(null);
          for (const item of children(der, inner!)) {
            const pair = children(der, item);
            const method = oid(der, pair[0]!);
            const label = `${method === "1.3.6.1.5.5.7.48.1" ? "OCSP" : method === "1.3.6.1.5.5.7.48.2" ? "CA Issuers" : method} - URI`;
            (access[label] ??= []).push(der.subarray(pair[1]!.content, pair[1]!.end).toString("latin1"));
          }
          result.infoAccess = access;
          break;
        }
      }
    }
  }

  const { 0: algorithm, 1: key } = children(der, keyInfo);
  const kinds = children(der, algorithm!);
  const kind = oid(der, kinds[0]!);
  if (kind === "1.2.840.113549.1.1.1") {
    const { 0: modulus, 1: exponent } = children(der, element(der, key!.content + 1));
    let hex = der
      .subarray(modulus!.content, modulus!.end)
      .toString("hex")
      .replace(/^(?:00)+/, "")
      .toUpperCase();
    if (hex.length === 0) hex = "0";
    result.modulus = hex;
    result.bits = (hex.length - 1) * 4 + (32 - Math.clz32(parseInt(hex[0]!, 16)));
    result.exponent = `0x${BigInt(`0x${der.subarray(exponent!.content, exponent!.end).toString("hex")}`).toString(16)}`;
    result.pubkey = der.subarray(keyInfo.start, keyInfo.end);
  } else if (kind === "1.2.840.10045.2.1") {
    const curve = curves[oid(der, kinds[1]!)];
    result.pubkey = der.subarray(key!.content + 1, key!.end);
    if (curve) {
      result.asn1Curve = curve[0];
      result.nistCurve = curve[1];
      result.bits = curve[2];
    }
  }
  result.valid_from = time(der, validity[0]!);
  result.valid_to = time(der, validity[1]!);
  result.fingerprint = fingerprint("sha1", der);
  result.fingerprint256 = fingerprint("sha256", der);
  result.fingerprint512 = fingerprint("sha512", der);
  result.serialNumber = der
    .subarray(serial.content, serial.end)
    .toString("hex")
    .replace(/^(?:00)+(?=..)/, "")
    .toUpperCase();
  result.raw = der;
  return result;
}
