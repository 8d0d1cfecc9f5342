// `node:crypto` (https://nodejs.org/api/crypto.html). The parts are loaded one by one, when they are first called.
import { lazyProperties } from "internal/core/lazy";
import { notImplemented } from "internal/crypto/util";
import { codes } from "internal/core/errors";

const hashing = () => require("internal/crypto/hash");
const random = () => require("internal/crypto/random");
const kdf = () => require("internal/crypto/kdf");
const keys = () => require("internal/crypto/keys");
const signing = () => require("internal/crypto/sign");
const ciphers = () => require("internal/crypto/cipher");
const generators = () => require("internal/crypto/keygen");
const exchange = () => require("internal/crypto/diffiehellman");
const primes = () => require("internal/crypto/primes");
const certificates = () => require("internal/crypto/x509");

/** crypto.getFips() and setFips(): there is no FIPS mode. */
function getFips(): number {
  return 0;
}

function setFips(value: unknown): void {
  if (value) throw new codes.ERR_CRYPTO_FIPS_UNAVAILABLE();
}

/** crypto.setEngine(): aws-lc has no engines. */
function setEngine(): never {
  throw new codes.ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED();
}

/** crypto.secureHeapUsed(): there is no secure heap. */
function secureHeapUsed() {
  return { total: 0, used: 0, utilization: 0, min: 0 };
}

/** The members, each defined where its part begins below. */
type NodeCrypto = typeof import("internal/crypto/kdf") &
  typeof import("internal/crypto/cipher") &
  Omit<typeof import("internal/crypto/hash"), "copyHmac"> &
  typeof import("internal/crypto/sign") &
  Omit<typeof import("internal/crypto/diffiehellman"), "groupPrime"> &
  typeof import("internal/crypto/keygen") &
  typeof import("internal/crypto/random") &
  typeof import("internal/crypto/primes") &
  Pick<typeof import("internal/crypto/hashes"), "getHashes"> &
  Pick<
    typeof import("internal/crypto/keys"),
    "KeyObject" | "createPrivateKey" | "createPublicKey" | "createSecretKey"
  > &
  Pick<typeof import("internal/crypto/x509"), "Certificate" | "X509Certificate"> & {
    createMac: unknown;
    getMacs: unknown;
    parsePKCS12: unknown;
    secureHeapUsed: typeof secureHeapUsed;
    setEngine: typeof setEngine;
    getFips: typeof getFips;
    setFips: typeof setFips;
    getRandomValues: typeof getRandomValues;
    readonly constants: ReturnType<typeof import("internal/crypto/constants").cryptoConstants>;
    readonly webcrypto: ReturnType<typeof webcrypto>;
    readonly subtle: ReturnType<typeof webcrypto>["subtle"];
    fips: number;
  };

const exported = {} as NodeCrypto;

/** Functions and classes that live in modules of their own: the first read loads the module. */
function lazy<M extends object>(load: () => M, names: (keyof M & string)[]): void {
  lazyProperties(exported, load, names);
}

/** Functions and classes that are not there yet, with their names and numbers of parameters. */
function missing(names: Record<string, number>): void {
  for (const name in names) {
    const isClass = /^[A-Z]/.test(name);
    const value = isClass
      ? {
          [name]: function () {
            return notImplemented(name);
          },
        }[name]
      : { [name]: () => notImplemented(name) }[name];
    Object.defineProperty(value, "length", { value: names[name], configurable: true });
    exported[name as "createMac"] = value;
  }
}

lazy(kdf, ["argon2", "argon2Sync"]);
lazy(primes, ["checkPrime", "checkPrimeSync"]);
lazy(ciphers, ["createCipheriv", "createDecipheriv"]);
lazy(exchange, ["createDiffieHellman", "createDiffieHellmanGroup", "createECDH"]);
lazy(hashing, ["createHash", "createHmac"]);
missing({ createMac: 3 });
lazy(keys, ["createPrivateKey", "createPublicKey", "createSecretKey"]);
lazy(signing, ["createSign", "createVerify"]);
lazy(exchange, ["diffieHellman"]);
lazy(primes, ["generatePrime", "generatePrimeSync"]);
lazy(ciphers, ["getCiphers", "getCipherInfo"]);
lazy(exchange, ["getCurves", "getDiffieHellman"]);
lazy(() => require("internal/crypto/hashes"), ["getHashes"]);
missing({ getMacs: 0 });
lazy(kdf, ["hkdf", "hkdfSync"]);
missing({ parsePKCS12: 2 });
lazy(kdf, ["pbkdf2", "pbkdf2Sync"]);
lazy(generators, ["generateKeyPair", "generateKeyPairSync", "generateKey", "generateKeySync"]);
lazy(signing, ["privateDecrypt", "privateEncrypt", "publicDecrypt", "publicEncrypt"]);
lazy(random, ["randomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID", "randomUUIDv7"]);
lazy(kdf, ["scrypt", "scryptSync"]);
lazy(signing, ["sign"]);
Object.assign(exported, { setEngine });
lazy(random, ["timingSafeEqual"]);
Object.assign(exported, { getFips, setFips });
lazy(signing, ["verify"]);
lazy(hashing, ["hash"]);
lazy(signing, ["encapsulate", "decapsulate"]);
lazy(certificates, ["Certificate"]);
lazy(ciphers, ["Cipheriv", "Decipheriv"]);
lazy(exchange, ["DiffieHellman", "DiffieHellmanGroup", "ECDH"]);
lazy(hashing, ["Hash", "Hmac"]);
lazy(keys, ["KeyObject"]);
lazy(signing, ["Sign", "Verify"]);
lazy(certificates, ["X509Certificate"]);
Object.assign(exported, { secureHeapUsed });

let web: Crypto | undefined;
const webcrypto = () => (web ??= require("web/crypto").crypto as Crypto);

/** crypto.getRandomValues(): as a function of its own, without an object to be called on. */
function getRandomValues<T extends ArrayBufferView>(array: T): T {
  return webcrypto().getRandomValues(array);
}

const once = (name: string, make: () => unknown) => {
  const define = (value: unknown) =>
    Object.defineProperty(exported, name, { value, configurable: false, enumerable: true });
  Object.defineProperty(exported, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      define(value);
      return value;
    },
  });
};
once("constants", () => require("internal/crypto/constants").cryptoConstants());
Object.defineProperties(exported, {
  webcrypto: { configurable: false, enumerable: true, get: webcrypto, set: undefined },
  subtle: { configurable: false, enumerable: true, get: () => webcrypto().subtle, set: undefined },
  getRandomValues: {
    configurable: false,
    enumerable: true,
    get: () => getRandomValues,
    set: undefined,
  },
  fips: { configurable: false, enumerable: false, get: getFips, set: setFips },
});

// Old names of randomBytes.
for (const name of ["prng", "pseudoRandomBytes", "rng"]) {
  Object.defineProperty(exported, name, {
    configurable: true,
    enumerable: false,
    get() {
      const { deprecate } = require("internal/core/util");
      const value = deprecate(exported.randomBytes, `crypto.${name} is deprecated.`, "DEP0115");
      Object.defineProperty(exported, name, { value, configurable: true, enumerable: false, writable: true });
      return value;
    },
    set(value: unknown) {
      Object.defineProperty(exported, name, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

export default exported;
