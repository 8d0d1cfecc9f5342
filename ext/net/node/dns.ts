/** node:dns (https://nodejs.org/api/dns.html). */
import { lazyProperty } from "internal/core/lazy";
import { errorCodes } from "internal/net/dns/codes";
import {
  AI_ADDRCONFIG,
  AI_ALL,
  AI_V4MAPPED,
  defaultOrder,
  lookup,
  lookupService,
  setDefaultResultOrder,
} from "internal/net/dns/lookup";

import type { Method, Resolver } from "internal/net/dns/resolver";

// Most programs only look names up: the resolver is loaded with the first question to a name server.
function resolver() {
  return require("internal/net/dns/resolver");
}

const exported = {
  lookup,
  lookupService,
  getDefaultResultOrder: defaultOrder,
  setDefaultResultOrder,
  setServers: (servers: readonly string[]) => resolver().defaultResolver().setServers(servers),
  getServers: () => resolver().defaultResolver().getServers(),
  ADDRCONFIG: AI_ADDRCONFIG,
  ALL: AI_ALL,
  V4MAPPED: AI_V4MAPPED,
  ...errorCodes,
};
for (const name of [
  "resolve",
  "resolve4",
  "resolve6",
  "resolveAny",
  "resolveCaa",
  "resolveCname",
  "resolveMx",
  "resolveNaptr",
  "resolveNs",
  "resolvePtr",
  "resolveSoa",
  "resolveSrv",
  "resolveTlsa",
  "resolveTxt",
  "reverse",
] as const) {
  (exported as Record<string, unknown>)[name] = {
    [name](...args: unknown[]) {
      const target = resolver().defaultResolver();
      return target[name as Method](...(args as [string, ...unknown[]]));
    },
  }[name];
}
lazyProperty(exported, "Resolver", () => resolver().Resolver);
Object.defineProperties(exported, {
  promises: { configurable: true, enumerable: true, get: () => require("node:dns/promises") },
});

export default exported as typeof exported &
  Pick<Resolver, Method | "resolve" | "reverse"> & {
    Resolver: typeof Resolver;
    promises: typeof import("node:dns/promises").default;
  };
