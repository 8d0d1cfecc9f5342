// fs.openAsBlob: a Blob on a file (https://nodejs.org/api/fs.html#fsopenasblobpath-options). The bytes are read when the
// blob is; a file that has changed since makes that fail.

import { validateObject, validateString } from "internal/core/validators";
import { run } from "internal/fs/filehandle";
import { pathOf } from "internal/fs/utils";

const binding = native("fs");

/** Fields of a status: size, and the times of the last changes. */
const SIZE = 8;
const MTIME = 11;

export function openAsBlob(path: unknown, options: unknown): Promise<unknown> {
  validateObject(options, "options");
  const type = options.type || "";
  validateString(type, "options.type");
  const target = pathOf(path);
  // What is denied is told at once.
  if (!native("process").permissionHas("fs.read", target)) require("node:fs").statSync(target);
  return blobOf(target, type);
}

async function blobOf(target: string, type: string): Promise<unknown> {
  const first = await status(target);
  const size = first[SIZE]!;
  const source = {
    async read(start: number, end: number): Promise<Uint8Array> {
      let fd = -1;
      try {
        fd = await run(binding.open, target, 0, 0);
        const now = new Float64Array((await run(binding.fstat, fd, 0)).buffer);
        if (now[SIZE] !== size || now[MTIME] !== first[MTIME]) throw unreadable();
        const bytes = new Uint8Array(end - start);
        let at = 0;
        while (at < bytes.length) {
          const got = await run(binding.read, fd, bytes, at, bytes.length - at, start + at);
          if (got === 0) throw unreadable();
          at += got;
        }
        return bytes;
      } catch {
        throw unreadable();
      } finally {
        if (fd !== -1) await run(binding.close, fd);
      }
    },
  };
  return require("web/blob").createBlobFromSource(source, size, type);
}

async function status(target: string): Promise<Float64Array> {
  return new Float64Array((await run(binding.stat, target, 0))!.buffer);
}

function unreadable(): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException("The blob could not be read", "NotReadableError");
}
