/** Whom TLS trusts: Mozilla's roots, the system's, those of NODE_EXTRA_CA_CERTS, and what the program says. */
import { codes } from "internal/core/errors";
import { validateOneOf, validateString } from "internal/core/validators";

const net = native("net");

/** A certificate in DER as PEM. */
function pemOf(der: Uint8Array): string {
  const text = require("node:buffer").Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text.match(/.{1,64}/g)!.join("\n")}\n-----END CERTIFICATE-----`;
}

/** The certificates of a text. */
function certificatesIn(text: string): string[] {
  return (
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? []
  ).map((each) => `${each.replaceAll("\r\n", "\n")}\n`);
}

const env = (name: string): string | undefined => native("process").getenv(name) || undefined;
const option = (name: string): boolean => native("process").cliOption(name) === true;

/** Where systems keep the certificates that they trust. */
const files = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

const known: Record<string, readonly string[] | undefined> = {};
/** What tls.setDefaultCACertificates() was given. */
let chosen: readonly string[] | undefined;
let settled = false;

function once(kind: string, make: () => string[]): readonly string[] {
  return (known[kind] ??= Object.freeze([...new Set(make())]));
}

/** tls.rootCertificates: Mozilla's. */
export function bundled(): readonly string[] {
  return once("bundled", () => net.tlsRoots().map(pemOf));
}

function system(): readonly string[] {
  return once("system", () => {
    const fs = require("node:fs");
    const read = (file: string): string => {
      try {
        return fs.readFileSync(file, "latin1");
      } catch {
        return "";
      }
    };
    const list: string[] = [];
    const file = env("SSL_CERT_FILE") ?? files.find((name) => fs.existsSync(name));
    if (file !== undefined) list.push(...certificatesIn(read(file)));
    const directory = env("SSL_CERT_DIR");
    for (const folder of directory === undefined ? [] : directory.split(":")) {
      if (folder === "" || !fs.existsSync(folder)) continue;
      for (const name of fs.readdirSync(folder)) list.push(...certificatesIn(read(`${folder}/${name}`)));
    }
    return list;
  });
}

/** Those of the file that NODE_EXTRA_CA_CERTS names. */
function extra(): readonly string[] {
  return once("extra", () => {
    const file = env("NODE_EXTRA_CA_CERTS");
    if (file === undefined) return [];
    let problem: string | undefined;
    let list: string[] = [];
    try {
      list = certificatesIn(require("node:fs").readFileSync(file, "latin1"));
      if (list.length === 0) problem = "error:0480006C:PEM routines::no start line";
    } catch (error) {
      problem =
        (error as NodeError).code === "ENOENT"
          ? "error:80000002:system library::No such file or directory"
          : (error as Error).message;
    }
    if (problem !== undefined) process.emitWarning(`Ignoring extra certs from \`${file}\`, load failed: ${problem}`);
    return list;
  });
}

/** Whether the system's certificates stand in the place of Mozilla's, or beside them. */
const insteadOfMozilla = (): boolean => option("--use-openssl-ca");
const besideMozilla = (): boolean => option("--use-system-ca") || env("NODE_USE_SYSTEM_CA") === "1";

/** What contexts trust that name nobody, beyond Mozilla's roots. Before the first context is made. */
export function settle(): void {
  if (settled) return;
  settled = true;
  const list = [...(insteadOfMozilla() || besideMozilla() ? system() : []), ...extra()];
  if (list.length > 0 || insteadOfMozilla()) tell(!insteadOfMozilla(), list);
}

function tell(mozilla: boolean, list: readonly string[]): void {
  net.tlsDefaultTrust(mozilla, require("node:buffer").Buffer.from(list.join("\n"), "latin1"));
}

/** tls.getCACertificates([type]) */
export function getCACertificates(type: unknown = "default"): readonly string[] {
  validateString(type, "type");
  validateOneOf(type, "type", ["default", "system", "bundled", "extra"]);
  switch (type) {
    case "bundled":
      return bundled();
    case "system":
      return system();
    case "extra":
      return extra();
    default:
      return (
        chosen ??
        once("default", () => [
          ...(insteadOfMozilla() ? system() : bundled()),
          ...(!insteadOfMozilla() && besideMozilla() ? system() : []),
          ...extra(),
        ])
      );
  }
}

/** tls.setDefaultCACertificates(certificates) */
export function setDefaultCACertificates(list: unknown): void {
  if (!Array.isArray(list)) throw new codes.ERR_INVALID_ARG_TYPE("certs", "Array", list);
  const texts = list.map((item, index) => {
    if (typeof item === "string") return item;
    if (ArrayBuffer.isView(item))
      return require("node:buffer").Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString("latin1");
    throw new codes.ERR_INVALID_ARG_TYPE(`certs[${index}]`, ["string", "ArrayBufferView"], item);
  });
  const certificates = [
    ...new Set(
      texts.flatMap((text) => {
        const found = certificatesIn(text);
        if (found.length === 0 && text !== "") {
          const error: NodeError = new Error("No valid certificates found in the provided array");
          error.code = "ERR_CRYPTO_OPERATION_FAILED";
          throw error;
        }
        return found;
      }),
    ),
  ];
  settled = true;
  tell(false, certificates);
  chosen = Object.freeze(certificates);
  require("internal/net/tls/context").forgetDefault();
}
