export { greet as renamed } from "./a.mjs"; export * from "./a.mjs";
