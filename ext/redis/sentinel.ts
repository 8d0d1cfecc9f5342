/** Where the master of a group is: sentinels know (https://redis.io/docs/latest/develop/reference/sentinel-clients/). */

import { hostAndPort } from "internal/net/ip";
import { RedisError, wrongType } from "internal/redis/errors";
import type { Place } from "internal/redis/types";

/** Milliseconds in which a sentinel answers. */
const PATIENCE = 1000;
const PORT = 26_379;

/** The sentinels of a group, and who asks them. */
export interface Sentinels {
  places: Place[];
  /** Name of the group. */
  name: string;
  username: string;
  password: string;
}

/** Asks one sentinel a command. */
type Ask = (url: string, timeout: number, command: string, args: string[]) => Promise<unknown>;

/** A host and a port: "host:port", or an object. Throws TypeError for what is none. */
export function placeOf(given: unknown, option: string, usual: number): Place {
  if (typeof given === "string") {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(given) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined) throw wrongType(option, "place", "host and port");
    return { host, port: port === undefined ? usual : Number(port) };
  }
  const { host, port = usual } = (given ?? {}) as Partial<Place>;
  if (typeof host !== "string" || typeof port !== "number") throw wrongType(option, "place", "host and port");
  return { host, port };
}

/** The options of a client that name sentinels; undefined if there are none. Throws TypeError for what is no list of places. */
export function sentinelsOf(options: Record<string, unknown>): Sentinels | undefined {
  const { sentinels, name, sentinelUsername = "", sentinelPassword = "" } = options;
  if (sentinels === undefined || sentinels === null) return undefined;
  if (!Array.isArray(sentinels) || sentinels.length === 0) throw wrongType("sentinels", "sentinels", "list of places");
  if (typeof name !== "string" || name === "") throw wrongType("sentinels", "name", "string");
  const [username, password] = [String(sentinelUsername), String(sentinelPassword)];
  return { places: sentinels.map((given) => placeOf(given, "sentinels", PORT)), name, username, password };
}

/** Asks one after the other where the master is; who answers is asked first the next time. Rejects with RedisError if nobody knows. */
export async function findMaster(sentinels: Sentinels, ask: Ask): Promise<Place> {
  const { places, name, username, password } = sentinels;
  const reasons: string[] = [];
  for (const place of [...places]) {
    const address = hostAndPort(place.host, place.port);
    const login = password === "" ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
    try {
      const url = `redis://${login}${address}`;
      const answer = await ask(url, PATIENCE, "SENTINEL", ["get-master-addr-by-name", name]);
      if (Array.isArray(answer) && answer.length === 2) {
        places.splice(places.indexOf(place), 1);
        places.unshift(place);
        return { host: String(answer[0]), port: Number(answer[1]) };
      }
      reasons.push(`${address} does not know it`);
    } catch (error) {
      reasons.push(`${address}: ${(error as Error).message}`);
    }
  }
  throw new RedisError(
    "CONNECTION_CLOSED",
    `No sentinel knows the master ${JSON.stringify(name)} (${reasons.join("; ")})`,
  );
}

/** Whether the answer to ROLE is that of a master. */
export const isMaster = (role: unknown): boolean => Array.isArray(role) && role[0] === "master";
