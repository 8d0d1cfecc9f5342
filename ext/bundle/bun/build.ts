/** `Bun.build`: https://bun.com/docs/bundler */

export { build } from "internal/bundle/build";
