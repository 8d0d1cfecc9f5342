// `node:fs/promises`: the same object as `require("node:fs").promises`.
import { promises } from "internal/fs/promises";

export default promises;
