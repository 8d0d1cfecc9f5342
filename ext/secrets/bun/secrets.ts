/** `Bun.secrets`: secrets in the user's keyring (https://bun.com/docs/runtime/secrets). */

import { invalidType } from "bun/util";

interface Names {
  service: string;
  name: string;
  value: unknown;
}

/** Reads `{ service, name, value }`, or the same as three arguments. */
function namesOf(method: string, given: unknown[]): Names {
  if (given.length === 0) throw invalidType(`secrets.${method} requires an options object`);
  let [service, name, value] = given;
  if (given.length === 1 || typeof service !== "string") {
    if (typeof service !== "object" || service === null) throw invalidType("Expected options to be an object");
    ({ service, name, value } = service as Record<string, unknown>);
  }
  if (typeof service !== "string" || typeof name !== "string") {
    throw invalidType("Expected service and name to be strings");
  }
  if (service === "" || name === "") throw invalidType("Expected service and name to not be empty");
  if (service.includes("\0") || name.includes("\0") || (typeof value === "string" && value.includes("\0"))) {
    const error = invalidType("Expected service, name, and value to be strings without null bytes") as NodeError;
    error.code = "ERR_INVALID_ARG_VALUE";
    throw error;
  }
  return { service, name, value };
}

/** A promise of the value, or of null if there is none. */
function get(...given: unknown[]): Promise<string | null> {
  const { service, name } = namesOf("get", given);
  return native("secrets")
    .get(service, name)
    .then((value) => value ?? null);
}

/** Keeps a value; an empty one is removed. */
function set(...given: unknown[]): Promise<void> {
  const { service, name, value } = namesOf("set", given);
  if (value === undefined || value === null) {
    throw invalidType("Expected 'value' to be a string. To delete the secret, call secrets.delete instead.");
  }
  if (typeof value !== "string") throw invalidType("Expected 'value' to be a string");
  if (value === "") {
    return native("secrets")
      .delete(service, name)
      .then(() => undefined);
  }
  return native("secrets").set(service, name, value);
}

/** A promise of whether there was such a secret. */
function remove(...given: unknown[]): Promise<boolean> {
  const { service, name } = namesOf("delete", given);
  return native("secrets").delete(service, name);
}

const { defineProperty } = Object;
defineProperty(get, "length", { value: 1 });
defineProperty(set, "length", { value: 2 });
defineProperty(remove, "length", { value: 1 });
defineProperty(remove, "name", { value: "delete" });

const fixed = { enumerable: true, configurable: false, writable: false };
export const secrets = Object.create(Object.prototype, {
  get: { value: get, ...fixed },
  set: { value: set, ...fixed },
  delete: { value: remove, ...fixed },
}) as { get: typeof get; set: typeof set; delete: typeof remove };
