// `node:path` (https://nodejs.org/api/path.html): the flavour of the platform, with both flavours on it.
// The other platform's flavour is loaded when somebody first reads `path.win32` (or, on Windows, `path.posix`).
import { lazyFlavour, posix } from "internal/path/posix";

function loadWin32(): unknown {
  const { win32 } = require("internal/path/win32");
  win32.win32 = win32;
  win32.posix = posix;
  return win32;
}

posix.posix = posix;
lazyFlavour(posix, "win32", loadWin32);

export default process.platform === "win32" ? posix.win32 : posix;
