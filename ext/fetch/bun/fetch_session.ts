/** `Bun.FetchSession`: connections of its own, and options that all requests over them have. */

import { closeIdle, type Session } from "internal/fetch/connection";
import { constructorOnly, invalidType } from "bun/util";

/** By the object that programs hold. */
const sessions = new WeakMap<object, FetchSession>();

let lastId = 0;
const nextName = (): string => ` session ${++lastId};`;

class FetchSession implements Session {
  name = nextName();
  /** `tls` and `proxy` of requests that do not have their own. */
  readonly defaults: Record<string, unknown>;
  #fetch: ((input: unknown, init?: unknown) => Promise<unknown>) | undefined;

  constructor(options?: unknown) {
    if (options !== undefined && options !== null && typeof options !== "object" && typeof options !== "function") {
      throw invalidType("FetchSession: options must be an object");
    }
    const { tls, proxy } = (options ?? {}) as Record<string, unknown>;
    if (tls !== undefined && tls !== null && typeof tls !== "object") {
      throw invalidType("fetch() tls option must be an object");
    }
    if (typeof proxy === "string" && proxy !== "" && !URL.canParse(proxy)) {
      const error = invalidType("fetch() proxy URL is invalid") as NodeError;
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    this.defaults = {};
    if (tls !== undefined && tls !== null) this.defaults.tls = tls;
    if (proxy !== undefined && proxy !== null) this.defaults.proxy = proxy;
    // What is no part of the interface is not to be seen on the object.
    const shown = Object.create(new.target.prototype as object) as FetchSession;
    sessions.set(shown, this);
    return shown;
  }

  static #of(value: unknown, member: string): FetchSession {
    const session = typeof value === "object" && value !== null ? sessions.get(value) : undefined;
    if (session === undefined) {
      throw new TypeError(`The FetchSession.${member} getter can only be used on instances of FetchSession`);
    }
    return session;
  }

  /** `fetch` over the connections of this session; it can be passed on without it. */
  get fetch(): (input: unknown, init?: unknown) => Promise<unknown> {
    const session = FetchSession.#of(this, "fetch");
    const self = this;
    session.#fetch ??= function (input: unknown, init?: unknown) {
      if (arguments.length === 0) return fetch(...([] as unknown as [string]));
      if (init !== undefined && init !== null && typeof init !== "object") return fetch(input as string, init as never);
      return fetch(input as string, { ...(init as object | null), session: self } as never);
    };
    return session.#fetch;
  }

  /** Closes the connections that no request uses, and the others when their requests have ended; later ones are new. */
  close(): void {
    const session = FetchSession.#of(this, "close");
    session.name = nextName();
    closeIdle(session);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const { defineProperty } = Object;
for (const name of ["fetch", "close"]) defineProperty(FetchSession.prototype, name, { enumerable: true });
defineProperty(FetchSession.prototype, Symbol.toStringTag, { value: "FetchSession", configurable: true });
defineProperty(FetchSession, "length", { value: 0 });

const Callable = constructorOnly(FetchSession);
defineProperty(FetchSession.prototype, "constructor", { value: Callable, writable: true, configurable: true });

export { Callable as FetchSession };

/** The session that the option `session` of fetch names; undefined for none. */
export function sessionOf(value: unknown): FetchSession | undefined {
  if (value === undefined || value === null) return undefined;
  const session = typeof value === "object" ? sessions.get(value) : undefined;
  if (session === undefined) throw invalidType("fetch: 'session' must be a Bun.FetchSession");
  return session;
}
