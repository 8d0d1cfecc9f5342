// tls.checkServerIdentity (RFC 6125).

import { codes } from "internal/core/errors";
import { isIP } from "internal/net/ip";
import type { PeerCertificate } from "internal/net/types";

function unfqdn(host: string): string {
  return host.replace(/[.]$/, "");
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (c) => c.toLowerCase());
}

function check(hostParts: string[], pattern: string, wildcards: boolean): boolean {
  if (!pattern) return false;
  const patternParts = lower(unfqdn(pattern)).split(".");
  if (hostParts.length !== patternParts.length || patternParts.includes("")) return false;
  // Only printable ASCII; names of other scripts come in their ASCII form.
  if (patternParts.some((part) => /[^\u0021-\u007f]/.test(part))) return false;
  for (let i = hostParts.length - 1; i > 0; i--) if (hostParts[i] !== patternParts[i]) return false;
  const hostLabel = hostParts[0]!;
  const patternLabel = patternParts[0]!;
  const pieces = patternLabel.split("*", 3);
  if (pieces.length === 1 || patternLabel.includes("xn--")) return hostLabel === patternLabel;
  if (!wildcards || pieces.length > 2 || patternParts.length <= 2) return false;
  const { 0: prefix, 1: suffix } = pieces as [string, string];
  return (
    prefix.length + suffix.length <= hostLabel.length && hostLabel.startsWith(prefix) && hostLabel.endsWith(suffix)
  );
}

// `DNS:a, IP Address:1.2.3.4`, where values with separators are JSON strings.
function splitAltNames(text: string): string[] {
  const result: string[] = [];
  let current = "";
  for (let at = 0; at < text.length;) {
    const comma = text.indexOf(", ", at);
    const quote = text.indexOf('"', at);
    if (quote !== -1 && (comma === -1 || quote < comma)) {
      current += text.slice(at, quote);
      const match = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(quote));
      if (!match) throw new codes.ERR_TLS_CERT_ALTNAME_FORMAT();
      current += JSON.parse(match[0]);
      at = quote + match[0].length;
      continue;
    }
    if (comma === -1) {
      current += text.slice(at);
      break;
    }
    result.push(current + text.slice(at, comma));
    current = "";
    at = comma + 2;
  }
  result.push(current);
  return result;
}

function canonicalIp(ip: string): string {
  const family = isIP(ip);
  return family === 6 ? new URL(`http://[${ip}]`).hostname : family === 4 ? ip : "";
}

/** undefined where the certificate is one for `hostname`, else an error. */
export function checkServerIdentity(hostname: string, cert: PeerCertificate | null): Error | undefined {
  const { subject, subjectaltname: altNames } = cert!;
  const dnsNames: string[] = [];
  const ips: string[] = [];
  hostname = `${hostname}`;
  if (altNames) {
    for (const entry of altNames.includes('"') ? splitAltNames(altNames) : altNames.split(", ")) {
      if (entry.startsWith("DNS:")) dnsNames.push(entry.slice(4));
      else if (entry.startsWith("IP Address:")) ips.push(canonicalIp(entry.slice(11)));
    }
  }
  let valid = false;
  let reason = "Unknown reason";
  hostname = unfqdn(hostname);
  if (isIP(hostname)) {
    valid = ips.includes(canonicalIp(hostname));
    if (!valid) reason = `IP: ${hostname} is not in the cert's list: ${ips.join(", ")}`;
  } else if (dnsNames.length > 0 || subject?.CN) {
    const hostParts = lower(hostname).split(".");
    const wildcard = (pattern: string) => check(hostParts, pattern, true);
    if (dnsNames.length > 0) {
      valid = dnsNames.some(wildcard);
      if (!valid) reason = `Host: ${hostname}. is not in the cert's altnames: ${altNames}`;
    } else {
      const cn = subject!.CN!;
      valid = Array.isArray(cn) ? cn.some(wildcard) : wildcard(cn);
      if (!valid) reason = `Host: ${hostname}. is not cert's CN: ${cn}`;
    }
  } else {
    reason = "Cert does not contain a DNS name";
  }
  return valid ? undefined : new codes.ERR_TLS_CERT_ALTNAME_INVALID(reason, hostname, cert);
}
