// `util.parseEnv`: the text of a .env file (https://nodejs.org/api/environment_variables.html#dotenv). The files that bao
// itself reads have the grammar of libs/dotenv, which expands references and is strict about names; here any text is a name.

import { validateString } from "internal/core/validators";

/** The variables of the text, on an object without a prototype. The last one of a name counts. */
export function parseEnv(content: unknown): Record<string, string> {
  validateString(content, "content");
  const result: Record<string, string> = Object.create(null);
  const text: string = content.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  let at = 0;
  while (at < text.length) {
    let lineEnd = text.indexOf("\n", at);
    if (lineEnd < 0) lineEnd = text.length;
    const equals = text.indexOf("=", at);
    if (equals < 0) break;
    const start = text.slice(at, lineEnd).trimStart();
    if (start === "" || start[0] === "#" || equals > lineEnd) {
      at = lineEnd + 1;
      continue;
    }
    let key = text.slice(at, equals).trim();
    if (key.startsWith("export ")) key = key.slice(7).trim();

    // Quoted values may have several lines; what follows the closing quote on its line is ignored.
    let valueStart = equals + 1;
    while (valueStart < lineEnd && (text[valueStart] === " " || text[valueStart] === "\t")) valueStart++;
    const quote = text[valueStart];
    if (valueStart < lineEnd && (quote === '"' || quote === "'" || quote === "`")) {
      const close = text.indexOf(quote, valueStart + 1);
      if (close >= 0) {
        const value = text.slice(valueStart + 1, close);
        if (key !== "") result[key] = quote === '"' ? value.replaceAll("\\n", "\n") : value;
        const next = text.indexOf("\n", close);
        at = next < 0 ? text.length : next + 1;
        continue;
      }
    }
    let value = text.slice(valueStart, lineEnd);
    const comment = value.indexOf("#");
    if (comment >= 0) value = value.slice(0, comment);
    if (key !== "") result[key] = value.trim();
    at = lineEnd + 1;
  }
  return result;
}
