// `node:crypto` (https://nodejs.org/api/crypto.html): hashes, codes, random numbers and keys from passwords. Everything
// else throws ERR_NOT_IMPLEMENTED. The parts are loaded one by one, when they are first called.
import { notImplemented } from "internal/crypto/util";
import { codes } from "internal/errors";

const hashing = () => require("internal/crypto/hash");
const random = () => require("internal/crypto/random");
const kdf = () => require("internal/crypto/kdf");
const keys = () => require("internal/crypto/keys");

/** crypto.getFips() and setFips(): there is no FIPS mode. */
function getFips(): number {
  return 0;
}

function setFips(value: any): void {
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

const exported: any = {};

/** Functions and classes that live in modules of their own: the first read loads the module. */
function lazy(load: () => any, names: string[]): void {
  for (const name of names) {
    const plain = (value: any) =>
      Object.defineProperty(exported, name, { value, configurable: true, enumerable: true, writable: true });
    Object.defineProperty(exported, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = load()[name];
        plain(value);
        return value;
      },
      set: plain,
    });
  }
}

/** Functions and classes that are not there yet, with their names and numbers of parameters. */
function missing(names: Record<string, number>): void {
  for (const name in names) {
    const isClass = /^[A-Z]/.test(name);
    const value: any = isClass
      ? {
          [name]: function () {
            return notImplemented(name);
          },
        }[name]
      : { [name]: () => notImplemented(name) }[name];
    Object.defineProperty(value, "length", { value: names[name], configurable: true });
    exported[name] = value;
  }
}

missing({ argon2: 3, argon2Sync: 2, checkPrime: 1, checkPrimeSync: 1, createCipheriv: 4, createDecipheriv: 4 });
missing({ createDiffieHellman: 4, createDiffieHellmanGroup: 1, createECDH: 1 });
lazy(hashing, ["createHash", "createHmac"]);
missing({ createMac: 3 });
lazy(keys, ["createPrivateKey", "createPublicKey", "createSecretKey"]);
missing({
  createSign: 2, createVerify: 2, diffieHellman: 2, generatePrime: 3, generatePrimeSync: 1, getCiphers: 0, getCipherInfo: 2,
  getCurves: 0, getDiffieHellman: 1,
});
lazy(() => require("internal/crypto/hashes"), ["getHashes"]);
missing({ getMacs: 0 });
lazy(kdf, ["hkdf", "hkdfSync"]);
missing({ parsePKCS12: 2 });
lazy(kdf, ["pbkdf2", "pbkdf2Sync"]);
missing({
  generateKeyPair: 3, generateKeyPairSync: 2, generateKey: 3, generateKeySync: 2, privateDecrypt: 2, privateEncrypt: 2,
  publicDecrypt: 2, publicEncrypt: 2,
});
lazy(random, ["randomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID", "randomUUIDv7"]);
lazy(kdf, ["scrypt", "scryptSync"]);
missing({ sign: 4 });
Object.assign(exported, { setEngine });
lazy(random, ["timingSafeEqual"]);
Object.assign(exported, { getFips, setFips });
missing({ verify: 5 });
lazy(hashing, ["hash"]);
missing({ encapsulate: 2, decapsulate: 3, Certificate: 0, Cipheriv: 4, Decipheriv: 4, DiffieHellman: 4, DiffieHellmanGroup: 1, ECDH: 1 });
lazy(hashing, ["Hash", "Hmac"]);
lazy(keys, ["KeyObject"]);
missing({ Sign: 2, Verify: 2, X509Certificate: 1 });
Object.assign(exported, { secureHeapUsed });

const webcrypto = () => require("web/crypto").crypto;

/** crypto.getRandomValues(): as a function of its own, without an object to be called on. */
function getRandomValues(array: any): any {
  return webcrypto().getRandomValues(array);
}

const once = (name: string, make: () => any) => {
  const define = (value: any) => Object.defineProperty(exported, name, { value, configurable: false, enumerable: true });
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
    get: () => exported.randomBytes,
    set(value: any) {
      Object.defineProperty(exported, name, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

export default exported;
