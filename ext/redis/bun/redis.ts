/** `Bun.redis` and `Bun.RedisClient` (https://bun.com/docs/runtime/redis). */

import { constructorOnly } from "bun/util";
import { RedisClient as Client } from "internal/redis/client";

export const RedisClient = constructorOnly(Client);

/** A client of the server that the environment names; it connects with its first command. */
export const redis = new RedisClient();
