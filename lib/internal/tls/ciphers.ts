/** Cipher lists as OpenSSL has them (openssl-ciphers(1)), of the suites that this TLS library has. */

/** OpenSSL's name, the library's name, and the words of a list that mean it. */
const known: [openssl: string, name: string, words: string][] = [
  ["ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "aECDSA ECDSA AES AES256 AESGCM SHA384"],
  ["ECDHE-RSA-AES256-GCM-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "aRSA RSA AES AES256 AESGCM SHA384"],
  ["ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "aECDSA ECDSA CHACHA20"],
  ["ECDHE-RSA-CHACHA20-POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "aRSA RSA CHACHA20"],
  ["ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "aECDSA ECDSA AES AES128 AESGCM SHA256"],
  ["ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "aRSA RSA AES AES128 AESGCM SHA256"],
];
/** Words that mean all of them. */
const all = "ALL DEFAULT HIGH COMPLEMENTOFALL ECDHE kECDHE EECDH kEECDH ECDH TLSv1.2 AEAD FIPS";
const modern = ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"];

function meant(text: string): string[] {
  return known.filter(([openssl, name, words]) => text === openssl || text === name ||
    text.split("+").every((word) => all.split(" ").includes(word) || words.split(" ").includes(word))).map(([, name]) => name);
}

/** The library's names of the suites that a list asks for, in its order. Throws as OpenSSL does where there are none. */
export function suitesOf(list: string): string[] {
  let chosen: string[] = [];
  const banned = new Set<string>();
  const newer: string[] = [];
  let named = false;
  for (const part of list.split(/[:, ]+/)) {
    if (part === "" || part.startsWith("@")) continue;
    if (part.startsWith("TLS_") && !part.includes("_WITH_")) {
      if (modern.includes(part)) newer.push(part.replace("TLS_", "TLS13_"));
      continue;
    }
    named = true;
    const first = part[0];
    const names = meant(first === "!" || first === "-" || first === "+" ? part.slice(1) : part);
    if (first === "!" || first === "-") {
      if (first === "!") for (const name of names) banned.add(name);
      chosen = chosen.filter((name) => !names.includes(name));
    } else if (first === "+") {
      chosen = [...chosen.filter((name) => !names.includes(name)), ...chosen.filter((name) => names.includes(name))];
    } else {
      for (const name of names) if (!chosen.includes(name) && !banned.has(name)) chosen.push(name);
    }
  }
  if (named && chosen.length === 0 || !named && newer.length === 0) {
    const error: any = new Error("error:0A0000B9:SSL routines::no cipher match");
    error.library = "SSL routines";
    error.reason = "no cipher match";
    error.code = "ERR_SSL_NO_CIPHER_MATCH";
    throw error;
  }
  return [...(newer.length > 0 ? newer : modern.map((name) => name.replace("TLS_", "TLS13_"))), ...chosen];
}
