// What an ELF executable asks of the system: its libraries, and the newest version of the C library whose names it uses.

/** Reads the dynamic section of an ELF file of 64 bits, little-endian (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html). */
export function needs(bytes) {
  if (bytes.toString("latin1", 0, 4) !== "\x7fELF" || bytes[4] !== 2 || bytes[5] !== 1) throw new Error("not an ELF file of 64 bits");
  const SHT_DYNAMIC = 6;
  const DT_NEEDED = 1n;
  const start = Number(bytes.readBigUInt64LE(0x28));
  const size = bytes.readUInt16LE(0x3a);
  const count = bytes.readUInt16LE(0x3c);
  const section = (index) => {
    const at = start + index * size;
    return {
      type: bytes.readUInt32LE(at + 4),
      offset: Number(bytes.readBigUInt64LE(at + 0x18)),
      length: Number(bytes.readBigUInt64LE(at + 0x20)),
      link: bytes.readUInt32LE(at + 0x28),
    };
  };
  const dynamic = Array.from({ length: count }, (_, index) => section(index)).find(({ type }) => type === SHT_DYNAMIC);
  if (dynamic === undefined) return { libraries: [], glibc: undefined };
  const { offset, length } = section(dynamic.link);
  const names = bytes.subarray(offset, offset + length).toString("latin1");
  const libraries = [];
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.length; at += 16) {
    if (bytes.readBigUInt64LE(at) !== DT_NEEDED) continue;
    const name = Number(bytes.readBigUInt64LE(at + 8));
    libraries.push(names.slice(name, names.indexOf("\0", name)));
  }
  const versions = [...names.matchAll(/GLIBC_2\.(\d+)/g)].map((found) => Number(found[1]));
  return { libraries, glibc: versions.length === 0 ? undefined : `2.${Math.max(...versions)}` };
}
