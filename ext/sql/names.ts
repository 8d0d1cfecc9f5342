/** Names of columns between the ways they are written in programs and in databases. */

const toCamel = (name: string): string => name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
const capital = (name: string): string => (name === "" ? "" : name[0]!.toUpperCase() + name.slice(1));
const toPascal = (name: string): string => capital(toCamel(name));
const toKebab = (name: string): string => name.replaceAll("_", "-");
const fromCamel = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const fromPascal = (name: string): string => fromCamel(name).replace(/^_/, "");
const fromKebab = (name: string): string => name.replaceAll("-", "_");

/** A direction of names with itself as the option of columns, as Bun and postgres.js have it: `transform: SQL.toCamel`. */
const from = (fn: (name: string) => string) => Object.assign(fn, { column: { from: fn } });
const to = (fn: (name: string) => string) => Object.assign(fn, { column: { to: fn } });

export const shown = {
  camel: { column: { from: toCamel, to: fromCamel } },
  pascal: { column: { from: toPascal, to: fromPascal } },
  kebab: { column: { from: toKebab, to: fromKebab } },
  toCamel: from(toCamel),
  toPascal: from(toPascal),
  toKebab: from(toKebab),
  fromCamel: to(fromCamel),
  fromPascal: to(fromPascal),
  fromKebab: to(fromKebab),
};
