/** What servers before Redis 6 answer, as RESP3 has it: their protocol has neither maps nor numbers with fractions nor booleans. */

import type { Arguments } from "internal/redis/types";

/** Commands whose lists are names and values. */
const MAPS = new Set(["HGETALL"]);
/** Of their first word and the next. */
const MAPS_OF_TWO = new Set(["CONFIG GET", "XINFO STREAM", "MEMORY STATS"]);
/** Commands that answer with a number as text. */
const NUMBERS = new Set(["ZSCORE", "ZINCRBY", "GEODIST"]);
/** Commands that answer with several of them. */
const LISTS_OF_NUMBERS = new Set(["ZMSCORE"]);
/** Commands that answer with members and scores in turn: in pairs with RESP3. */
const SCORES = new Set(["ZRANGE", "ZREVRANGE", "ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZDIFF", "ZINTER", "ZUNION"]);

const number = (text: unknown): unknown =>
  typeof text !== "string" ? text : text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);

function map(list: readonly unknown[]): Record<string, unknown> {
  const found: Record<string, unknown> = Object.create(null);
  for (let i = 0; i + 1 < list.length; i += 2) found[String(list[i])] = list[i + 1];
  return found;
}

/** The reply to a command in the types of RESP3. */
export function resultOf(name: string, args: Arguments, value: unknown): unknown {
  const command = name.toUpperCase();
  if (NUMBERS.has(command)) return number(value);
  if (!Array.isArray(value)) return value;
  if (MAPS.has(command)) return map(value);
  const words = typeof args === "string" ? [args] : args;
  if (MAPS_OF_TWO.has(`${command} ${String(words[0]).toUpperCase()}`)) return map(value);
  if (LISTS_OF_NUMBERS.has(command)) return value.map(number);
  if (!SCORES.has(command) || !words.some((word) => typeof word === "string" && /^withscores$/i.test(word)))
    return value;
  const pairs: unknown[] = [];
  for (let i = 0; i + 1 < value.length; i += 2) pairs.push([value[i], number(value[i + 1])]);
  return pairs;
}
