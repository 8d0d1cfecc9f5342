// DNS messages (RFC 1035) for dns.resolve* and Resolver.

const { Buffer } = require("node:buffer");

export const types: Record<string, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  TLSA: 52,
  ANY: 255,
  CAA: 257,
};

/** A question for one name, recursion desired; undefined where the name cannot be one. */
export function encodeQuery(id: number, name: string, type: number): Buffer | undefined {
  const labels = name === "." || name === "" ? [] : name.replace(/\.$/, "").split(".");
  const parts = [];
  let length = 1;
  for (const label of labels) {
    const bytes = Buffer.from(label, "latin1");
    if (bytes.length === 0 || bytes.length > 63) return undefined;
    length += bytes.length + 1;
    parts.push(Buffer.from([bytes.length]), bytes);
  }
  if (length > 255) return undefined;
  const head = Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...parts, Buffer.from([0, type >> 8, type & 255, 0, 1])]);
}

class Reader {
  bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  u8(): number {
    if (this.at >= this.bytes.length) throw new RangeError("message too short");
    return this.bytes[this.at++]!;
  }

  u16(): number {
    return (this.u8() << 8) | this.u8();
  }

  u32(): number {
    return this.u16() * 65536 + this.u16();
  }

  take(n: number): Buffer {
    if (this.at + n > this.bytes.length) throw new RangeError("message too short");
    const part = this.bytes.subarray(this.at, this.at + n);
    this.at += n;
    return part;
  }

  text(): string {
    return this.take(this.u8()).toString("latin1");
  }

  name(): string {
    const labels: string[] = [];
    let after = -1;
    // Compressed names point backwards; a loop of pointers ends here.
    for (let steps = 0; steps < 128; steps++) {
      const length = this.u8();
      if (length === 0) {
        if (after >= 0) this.at = after;
        return labels.join(".");
      }
      if (length >= 0xc0) {
        const target = ((length & 0x3f) << 8) | this.u8();
        if (after < 0) after = this.at;
        this.at = target;
        continue;
      }
      labels.push(this.take(length).toString("latin1"));
    }
    throw new RangeError("name too long");
  }
}

function v6(bytes: Uint8Array): string {
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i]! << 8) | bytes[i + 1]!).toString(16));
  // The longest run of zeros is left out.
  let best = { at: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === "0") length++;
    if (length > best.length) best = { at: i, length };
    if (length > 0) i += length - 1;
  }
  if (best.at < 0) return groups.join(":");
  return `${groups.slice(0, best.at).join(":")}::${groups.slice(best.at + best.length).join(":")}`;
}

export interface DnsRecord {
  type: number;
  ttl: number;
  data: unknown;
  name: string;
}
export interface DnsAnswer {
  id: number;
  truncated: boolean;
  code: number;
  question: string;
  records: DnsRecord[];
}

/** Reads a response, also one that does not say that it is one (c-ares does not look); throws RangeError where it is malformed. */
export function decode(bytes: Buffer): DnsAnswer {
  const reader = new Reader(bytes, 0);
  const id = reader.u16();
  const flags = reader.u16();
  const questions = reader.u16();
  const answers = reader.u16();
  reader.at = 12;
  let question = "";
  for (let i = 0; i < questions; i++) {
    question = reader.name();
    reader.at += 4;
  }
  const records: DnsRecord[] = [];
  const truncated = (flags & 0x0200) !== 0;
  if (!truncated) for (let i = 0; i < answers; i++) records.push(record(reader));
  return { id, truncated, code: flags & 15, question, records };
}

function record(reader: Reader): DnsRecord {
  const name = reader.name();
  const type = reader.u16();
  reader.u16();
  const ttl = reader.u32();
  const length = reader.u16();
  const end = reader.at + length;
  if (end > reader.bytes.length) throw new RangeError("message too short");
  let data: unknown;
  switch (type) {
    case 1:
      if (length !== 4) throw new RangeError("malformed address");
      data = reader.take(4).join(".");
      break;
    case 28:
      if (length !== 16) throw new RangeError("malformed address");
      data = v6(reader.take(16));
      break;
    case 2:
    case 5:
    case 12:
      data = reader.name();
      break;
    case 15: {
      const priority = reader.u16();
      data = { exchange: reader.name(), priority };
      break;
    }
    case 16: {
      data = [];
      while (reader.at < end) (data as string[]).push(reader.text());
      break;
    }
    case 6:
      data = {
        nsname: reader.name(),
        hostmaster: reader.name(),
        serial: reader.u32(),
        refresh: reader.u32(),
        retry: reader.u32(),
        expire: reader.u32(),
        minttl: reader.u32(),
      };
      break;
    case 33: {
      const priority = reader.u16();
      const weight = reader.u16();
      const port = reader.u16();
      data = { name: reader.name(), port, priority, weight };
      break;
    }
    case 35: {
      const order = reader.u16();
      const preference = reader.u16();
      data = {
        flags: reader.text(),
        service: reader.text(),
        regexp: reader.text(),
        replacement: reader.name(),
        order,
        preference,
      };
      break;
    }
    case 52: {
      const certUsage = reader.u8();
      const selector = reader.u8();
      const match = reader.u8();
      const bytes = reader.take(end - reader.at);
      data = {
        certUsage,
        selector,
        match,
        data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
      };
      break;
    }
    case 257: {
      const critical = reader.u8();
      const tag = reader.text();
      data = { critical, [tag]: reader.take(end - reader.at).toString("latin1") };
      break;
    }
  }
  reader.at = end;
  return { type, ttl, data, name };
}
