// OpenSSL's words for what a TLS connection is: reasons of refused certificates, ciphers, groups and algorithms of
// signatures. Node gives them to programs, whichever library does TLS.

/** The error that Node gives for a certificate that was refused with OpenSSL's `code`. */
export function verifyError(code: string): CodedError {
  const texts: Record<string, string> = {
    DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
    SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in certificate chain",
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unable to verify the first certificate",
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unable to get local issuer certificate",
    UNABLE_TO_GET_ISSUER_CERT: "unable to get issuer certificate",
    UNABLE_TO_GET_CRL: "unable to get certificate CRL",
    UNABLE_TO_DECRYPT_CERT_SIGNATURE: "unable to decrypt certificate's signature",
    UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: "unable to decode issuer public key",
    CRL_SIGNATURE_FAILURE: "CRL signature failure",
    CRL_NOT_YET_VALID: "CRL is not yet valid",
    CRL_HAS_EXPIRED: "CRL has expired",
    CERT_CHAIN_TOO_LONG: "certificate chain too long",
    INVALID_CA: "invalid CA certificate",
    PATH_LENGTH_EXCEEDED: "path length constraint exceeded",
    CERT_UNTRUSTED: "certificate not trusted",
    CERT_HAS_EXPIRED: "certificate has expired",
    CERT_NOT_YET_VALID: "certificate is not yet valid",
    CERT_REVOKED: "certificate revoked",
    CERT_SIGNATURE_FAILURE: "certificate signature failure",
    INVALID_PURPOSE: "unsuitable certificate purpose",
    CERT_REJECTED: "certificate rejected",
  };
  const error: NodeError = new Error(texts[code] ?? code);
  error.code = code;
  return error as CodedError;
}

/** What getCipher() gives for a native description. */
export function cipherOf(description: string[]): { name: string; standardName: string; version: string } | undefined {
  const { 0: version, 1: name, 5: standardName } = description;
  // As in OpenSSL: the version of the suite, not of the connection.
  return name
    ? {
        name,
        standardName,
        version: version === "TLSv1.3" ? version : /SHA256$|SHA384$|POLY1305$/.test(name) ? "TLSv1.2" : "TLSv1",
      }
    : undefined;
}

/** Groups of elliptic curves (RFC 8446, 4.2.7), with OpenSSL's names and sizes. */
export const groups: Record<number, [string, number]> = {
  23: ["prime256v1", 256],
  24: ["secp384r1", 384],
  25: ["secp521r1", 521],
  29: ["X25519", 253],
};

/** Names of algorithms of signatures as OpenSSL puts them together. */
export function signatureName(name: string): string {
  const match = /^(rsa_pkcs1|rsa_pss_rsae|rsa_pss_pss|ecdsa)_(?:secp\d+r1_)?(sha\d+)$/.exec(name);
  if (match === null) return name === "ed25519" ? "Ed25519+UNDEF" : name;
  const kinds: Record<string, string> = {
    rsa_pkcs1: "RSA",
    rsa_pss_rsae: "RSA-PSS",
    rsa_pss_pss: "RSA-PSS",
    ecdsa: "ECDSA",
  };
  return `${kinds[match[1]!]}+${match[2]!.toUpperCase()}`;
}
