// Tarballs for the registries of the tests.
import { gzipSync } from "node:zlib";

/** One entry of a tar archive. `type`: "0" file, "1" hard link, "2" symbolic link, "3" device. */
export function entry(name, content, { type = "0", link = "", mode = "0000644" } = {}) {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name);
  header.write(`${mode}\0`, 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(body.length.toString(8).padStart(11, "0") + "\0", 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\0" + "00", 257);
  header.write(header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0") + "\0 ", 148);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** Entries as a compressed archive. */
export const archive = (entries, level) => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level });

/** A package of `files`: name to content. */
export function tarball(files, { prefix = "package", mode } = {}) {
  return archive(Object.entries(files).map(([name, content]) => entry(`${prefix}/${name}`, content, { mode })));
}

/** A package that holds nothing but `manifest` as package.json. */
export const bare = (manifest) => tarball({ "package.json": JSON.stringify(manifest) });
