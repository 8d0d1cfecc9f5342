// Runs a security scanner: node scanner.mjs SPECIFIER INPUT_FILE OUTPUT_FD. One JSON document goes to the descriptor.
import { readFileSync, writeSync } from "node:fs";
const [specifier, input, output] = process.argv.slice(2);
let answer;
try {
  const { scanner } = await import(specifier);
  if (typeof scanner !== "object" || scanner === null || scanner.version === undefined) {
    throw new Error("Security scanner must export a 'scanner' object with a version property");
  }
  if (scanner.version !== "1") {
    answer = { version: String(scanner.version) };
  } else {
    if (typeof scanner.scan !== "function") {
      throw new TypeError(`scanner.scan is not a function, got ${typeof scanner.scan}`);
    }
    const advisories = await scanner.scan({ packages: JSON.parse(readFileSync(input, "utf8")) });
    if (!Array.isArray(advisories)) throw new Error("Security scanner must return an array of advisories");
    answer = { advisories };
  }
} catch (error) {
  answer = { error: String(error?.message ?? error) };
}
const bytes = Buffer.from(JSON.stringify(answer));
for (let at = 0; at < bytes.length; ) at += writeSync(Number(output), bytes, at);
process.exit(0);
