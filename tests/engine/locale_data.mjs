// expected: written by hand
// The executable has the names of English and of no other language as they are: those are compressed (engine/icu/build.rs).
import { readFileSync } from "node:fs";

const file = readFileSync(process.execPath);
const name = locale => new Intl.DisplayNames(locale, { type: "currency" }).of("DZD");
for (const locale of ["en", "de", "uk"]) {
  console.log(name(locale), file.includes(Buffer.from(name(locale), "utf16le")) || file.includes(name(locale)));
}
