// What ext/url asks of the native half, for browsers: their own URL knows the rules for names of domains.

export function domainToAscii(domain: string): string {
  try {
    return new URL(`ws://${domain}`).hostname;
  } catch {
    return "";
  }
}

/** Browsers have no way back to Unicode: the name stays as it is, which is valid and equal. */
export function domainToUnicode(domain: string): string {
  return domainToAscii(domain);
}

/** The name of a host in ASCII; "" if it is none. */
export function idnaToAscii(host: string): string {
  return domainToAscii(host);
}
