/** Names of columns between the ways they are written in programs and in databases. */

const toCamel = (name: string): string => name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
const capital = (name: string): string => (name === "" ? "" : name[0]!.toUpperCase() + name.slice(1));
const toPascal = (name: string): string => capital(toCamel(name));
const toKebab = (name: string): string => name.replaceAll("_", "-");
const fromCamel = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const fromPascal = (name: string): string => fromCamel(name).replace(/^_/, "");
const fromKebab = (name: string): string => name.replaceAll("-", "_");

export const shown = {
  camel: { column: { from: toCamel, to: fromCamel } },
  pascal: { column: { from: toPascal, to: fromPascal } },
  kebab: { column: { from: toKebab, to: fromKebab } },
  ...{ toCamel, toPascal, toKebab, fromCamel, fromPascal, fromKebab },
};
