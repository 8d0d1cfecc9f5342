import { greet, fnDecl } from "./a.mjs"; import c, { f } from "./c.cjs"; import { readFileSync } from "node:fs"; import fs from "fs";
export const all = () => [greet("u"), fnDecl(), f(), c.f(), typeof readFileSync === "function" && readFileSync.name, fs.readFileSync.name];
