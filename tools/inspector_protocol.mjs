// Writes ext/inspector/protocol.json, what the inspector's server gives under /json/protocol: the part of V8's protocol that
// this executable answers to, without descriptions.
//
//     bao tools/inspector_protocol.mjs NODE_MODULES/devtools-protocol/json/js_protocol.json

import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const source = JSON.parse(readFileSync(process.argv[2], "utf8"));
const session = new Session();
session.connect();

/** Whether a command is there: one that is not says so, whatever its parameters. */
function isThere(method) {
  // It ends this program, too.
  if (method === "Runtime.terminateExecution") return true;
  let there = true;
  session.post(method, (error) => {
    if (error && /not implemented in bao yet|wasn't found/.test(error.message)) there = false;
  });
  return there;
}

/** Without descriptions, and without what is to go. */
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, item]) => !(key === "description" && typeof item === "string"));
  return Object.fromEntries(entries.map(([key, item]) => [key, bare(item)]));
}

const domains = [];
for (const domain of source.domains) {
  const commands = domain.commands.filter(({ name }) => isThere(`${domain.domain}.${name}`));
  if (commands.length > 0) domains.push(bare({ ...domain, commands }));
}
const names = new Set(domains.map(({ domain }) => domain));
for (const domain of domains) domain.dependencies = domain.dependencies?.filter((name) => names.has(name));
const file = join(dirname(fileURLToPath(import.meta.url)), "..", "ext", "inspector", "protocol.json");
writeFileSync(file, `${JSON.stringify({ version: source.version, domains })}\n`);
console.log(`${domains.length} domains, ${domains.flatMap(({ commands }) => commands).length} commands`);
process.exit(0);
