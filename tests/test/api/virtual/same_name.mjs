export { value } from "./absent.mjs";
