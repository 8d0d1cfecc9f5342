import { readFileSync } from "node:fs"; export const who = () => readFileSync(import.meta.filename, "utf8").length > 0 ? "real" : "fake";
