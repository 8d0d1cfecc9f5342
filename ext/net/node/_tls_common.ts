/** The deprecated module `_tls_common`: contexts of node:tls, and certificates as text made into objects. */
import { createSecureContext, SecureContext } from "internal/net/tls/context";

process.emitWarning("The _tls_common module is deprecated. Use `node:tls` instead.", "DeprecationWarning", "DEP0192");

/** What of a certificate is translated. */
interface Certificate {
  issuerCertificate?: Certificate | null;
  infoAccess?: unknown;
}

/** The lines `KEY:VALUE` of `infoAccess` as lists of values by key, in the certificate itself and in those of its issuers. */
function translatePeerCertificate(certificate: unknown): unknown {
  if (!certificate) return null;
  const { issuerCertificate, infoAccess } = certificate as Certificate;
  if (issuerCertificate != null && issuerCertificate !== certificate)
    (certificate as Certificate).issuerCertificate = translatePeerCertificate(issuerCertificate) as Certificate;
  if (infoAccess != null) {
    const found: Record<string, string[]> = { __proto__: null as never };
    for (const [, key, value] of `${infoAccess as string}`.matchAll(/([^\n:]*):([^\n]*)(?:\n|$)/g))
      (found[key!] ??= []).push(value!.startsWith('"') ? (JSON.parse(value!) as string) : value!);
    (certificate as Certificate).infoAccess = found;
  }
  return certificate;
}

export default { SecureContext, createSecureContext, translatePeerCertificate };
