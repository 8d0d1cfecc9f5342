// Bun.password (https://bun.com/docs/runtime/hashing#bun-password): Argon2 and bcrypt.
import { bytesOf, invalidType } from "bun/util";

const ops = native("bun");

interface Algorithm {
  name: string;
  memory: number;
  time: number;
  cost: number;
}

function passwordBytes(password: unknown): Uint8Array {
  const bytes =
    typeof password === "string" ? require("internal/buffer/codecs").utf8Bytes(password) : bytesOf(password);
  if (bytes === undefined) throw invalidType("password must be a string, ArrayBuffer or ArrayBufferView");
  if (bytes.byteLength === 0) throw invalidType("password must not be empty");
  return bytes;
}

function algorithmName(name: unknown, caller = "hash"): string {
  if (name === "argon2id" || name === "argon2i" || name === "argon2d" || name === "bcrypt") return name;
  throw invalidType(
    'Expected algorithm to be a unknown algorithm, expected one of: "bcrypt", "argon2id", "argon2d", "argon2i" ' +
      `(default is "argon2id") for '${caller}'.`,
  );
}

function number(value: unknown, what: string, low: number, high: number): number {
  if (typeof value === "number" && value >= low && value <= high) return Math.trunc(value);
  throw invalidType(`${what} must be an integer between ${low} and ${high}`);
}

function algorithmOf(
  options: { algorithm?: unknown; timeCost?: unknown; memoryCost?: unknown; cost?: unknown } | null | undefined,
): Algorithm {
  const found = { name: "argon2id", memory: 65536, time: 2, cost: 10 };
  if (options === undefined || options === null) return found;
  if (typeof options === "string") {
    found.name = algorithmName(options);
  } else if (typeof options === "object") {
    if (options.algorithm === undefined) throw invalidType("Expected options.algorithm to be a string for 'hash'.");
    if (typeof options.algorithm !== "string") throw invalidType("PasswordHashOptions.algorithm must be a string");
    found.name = algorithmName(options.algorithm);
    if (options.timeCost !== undefined) found.time = number(options.timeCost, "Time cost", 1, 2 ** 32 - 1);
    if (options.memoryCost !== undefined) found.memory = number(options.memoryCost, "Memory cost", 8, 2 ** 32 - 1);
    if (found.name === "bcrypt" && options.cost !== undefined) found.cost = number(options.cost, "Rounds", 4, 31);
  } else {
    throw invalidType("PasswordHashOptions must be an object");
  }
  return found;
}

function hashText(hash: unknown): string {
  if (typeof hash === "string") return hash;
  const bytes = bytesOf(hash);
  if (bytes === undefined) throw invalidType("hash must be a string, ArrayBuffer or ArrayBufferView");
  return require("node:buffer").Buffer.from(bytes).toString("latin1");
}

function later<A extends unknown[], T>(op: (...args: A) => Promise<T>, ...args: A): Promise<T> {
  return new Promise((resolve, reject) => {
    (op as (...values: never[]) => unknown as (...values: unknown[]) => void)(
      ...args,
      (error: NodeError | undefined, value: T) => {
        if (error) reject(error);
        else resolve(value);
      },
    );
  });
}

export const password = {
  /**
   * Promise of a hash of `password` (string or bytes) as text.
   * @param algorithm "argon2id" (default), "argon2i", "argon2d", "bcrypt", or an object with `algorithm` and
   *   `memoryCost` (KiB) and `timeCost`, or `cost`
   */
  hash(password: unknown, algorithm?: unknown): Promise<string> {
    const bytes = passwordBytes(password);
    const { name, memory, time, cost } = algorithmOf(algorithm as Parameters<typeof algorithmOf>[0]);
    return later(ops.passwordHash, name, bytes, memory, time, cost);
  },

  /** The same at once. */
  hashSync(password: unknown, algorithm?: unknown): string {
    const bytes = passwordBytes(password);
    const { name, memory, time, cost } = algorithmOf(algorithm as Parameters<typeof algorithmOf>[0]);
    return ops.passwordHashSync(name, bytes, memory, time, cost);
  },

  /** Promise of whether `hash` is one of `password`; rejects for what is no hash. */
  async verify(password: unknown, hash: unknown, algorithm?: unknown): Promise<boolean> {
    const text = hashText(hash);
    const wanted = algorithm === undefined ? undefined : algorithmName(algorithm, "verify");
    if (text === "" || password === "") return false;
    return later(ops.passwordVerify, passwordBytes(password), text, wanted);
  },

  /** The same at once. */
  verifySync(password: unknown, hash: unknown, algorithm?: unknown): boolean {
    const text = hashText(hash);
    const wanted = algorithm === undefined ? undefined : algorithmName(algorithm, "verify");
    if (text === "" || password === "") return false;
    return ops.passwordVerifySync(passwordBytes(password), text, wanted);
  },
};
