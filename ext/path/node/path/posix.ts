// `node:path/posix` is `path.posix` of `node:path`, the same object.
import path from "node:path";

export default path.posix;
