// `node:path/win32` is `path.win32` of `node:path`, the same object.
import path from "node:path";

export default path.win32;
