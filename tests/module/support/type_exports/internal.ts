export * from "./deep";
export { Kind } from "./kind.js";
export { Both } from "./types";
