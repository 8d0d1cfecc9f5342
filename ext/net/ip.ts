// IP addresses as text: what is one, and how it stands before a port.

const byte = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const v4 = `(?:${byte}\\.){3}${byte}`;
const group = "[0-9a-fA-F]{1,4}";

let v4Exact: RegExp | undefined;
let v6Exact: RegExp | undefined;

// Every place where `::` can stand, and the last 32 bits in either form.
function v6Pattern(): RegExp {
  const tail = `(?:${group}:${group}|${v4})`;
  const forms = [`(?:${group}:){6}${tail}`];
  for (let before = 0; before <= 5; before++) {
    const head = before === 0 ? "" : `(?:(?:${group}:){0,${before - 1}}${group})?`;
    const after = 5 - before;
    forms.push(`${head}::${after === 0 ? "" : `(?:${group}:){${after}}`}${tail}`);
  }
  forms.push(`(?:(?:${group}:){0,5}${group})?::${group}`, `(?:(?:${group}:){0,6}${group})?::`);
  return new RegExp(`^(?:${forms.join("|")})(?:%[0-9a-zA-Z\\-.:]+)?$`);
}

/** Whether a string is an IPv4 address in dotted form. */
export function isIPv4(text: unknown): boolean {
  return (v4Exact ??= new RegExp(`^${v4}$`)).test(`${text}`);
}

/** Whether a string is an IPv6 address, zone included. */
export function isIPv6(text: unknown): boolean {
  return (v6Exact ??= v6Pattern()).test(`${text}`);
}

/** A host and a port as addresses have them: "host:port", "[::1]:port". */
export const hostAndPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** 4, 6, or 0 where it is no address. */
export function isIP(text: unknown): number {
  if (isIPv4(text)) return 4;
  return isIPv6(text) ? 6 : 0;
}
