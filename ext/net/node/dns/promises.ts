/** node:dns/promises (https://nodejs.org/api/dns.html#dns-promises-api). */
import { lazyProperty } from "internal/core/lazy";
import { codes } from "internal/core/errors";
import { errorCodes } from "internal/net/dns/codes";
import {
  defaultOrder,
  lookup as lookupCallback,
  type LookupOptions,
  lookupOptions,
  lookupService as serviceCallback,
  query,
  setDefaultResultOrder,
} from "internal/net/dns/lookup";
import { isIP } from "internal/net/ip";
import { validatePort } from "internal/core/validators";

import type { Method, PromiseResolver } from "internal/net/dns/resolver";

function resolver() {
  return require("internal/net/dns/resolver");
}

function lookup(hostname: string, options?: LookupOptions | number | null): Promise<unknown> {
  const { 0: family, 1: hints, 2: all, 3: order } = lookupOptions(hostname, options);
  return new Promise((resolve, reject) => {
    if (!hostname || isIP(hostname)) {
      lookupCallback(
        hostname,
        { family, hints, all, order },
        (error: NodeError | null | undefined, address: unknown, type: unknown) => {
          if (error) reject(error);
          else resolve(all ? address : { address, family: type });
        },
      );
      return;
    }
    query(hostname, family, hints, order, (error, addresses) => {
      if (error) return reject(error);
      const list = addresses!.map((address) => ({ address, family: family || isIP(address) }));
      resolve(all ? list : list[0]);
    });
  });
}

function lookupService(address: string, port: number): Promise<unknown> {
  if (arguments.length !== 2) throw new codes.ERR_MISSING_ARGS("address", "port");
  if (isIP(address) === 0) throw new codes.ERR_INVALID_ARG_VALUE("address", address);
  validatePort(port);
  return new Promise((resolve, reject) => {
    serviceCallback(address, port, (error: NodeError | null | undefined, hostname: string, service: string) =>
      error ? reject(error) : resolve({ hostname, service }),
    );
  });
}

const exported = {
  lookup,
  lookupService,
  getDefaultResultOrder: defaultOrder,
  setDefaultResultOrder,
  setServers: (servers: readonly string[]) => resolver().defaultResolver().setServers(servers),
  getServers: () => resolver().defaultResolver().getServers(),
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
      return resolver()
        .defaultPromiseResolver()
        [name as Method](...(args as [string]));
    },
  }[name];
}
lazyProperty(exported, "Resolver", () => resolver().PromiseResolver);

export default exported as typeof exported &
  Pick<PromiseResolver, Method | "resolve" | "reverse"> & {
    Resolver: typeof PromiseResolver;
  };
