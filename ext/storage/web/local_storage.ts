/** The global localStorage: a Storage in the file that `--localstorage-file` names. */

import { kCreate, Storage } from "web/storage";

function open(): Storage | undefined {
  const path = native("process").cliOption("--localstorage-file");
  if (typeof path !== "string") return undefined;
  const { FileItems } = require("internal/storage/file_items");
  return new Storage(kCreate, new FileItems(path));
}

/** Undefined without the option, as in Bun: programs that look for it by its type find none. */
export const localStorage = open();
