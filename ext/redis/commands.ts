/** The commands that are methods of a client: what each takes. */

import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { validateInt32 } from "internal/core/validators";
import { missing, wrongProperty, wrongType } from "internal/redis/errors";
import type { Argument, Arguments } from "internal/redis/types";

/** Commands with so many arguments, by name. */
const NAMED: Record<string, string> = {
  "": "dbsize lastsave randomkey time",
  key:
    "bitcount decr dump expiretime get getBuffer getdel hgetall hkeys hlen hvals incr keys llen persist pexpiretime pttl scard " +
    "smembers strlen ttl type zcard exists",
  "key value": "append getset pfadd setnx zscore",
  "key field": "hget hstrlen hexists",
  "key field value": "hsetnx",
  "key member": "sismember",
  "key offset": "getbit",
  "key timestamp": "expireat",
  "key index": "lindex",
  "key milliseconds": "pexpire",
  "key milliseconds-timestamp": "pexpireat",
  "key increment": "incrby incrbyfloat",
  "key decrement": "decrby",
  "key newkey": "rename renamenx",
  "key increment member": "zincrby",
  "key offset value": "setbit setrange",
  "key start end": "getrange substr",
  "key start stop": "lrange ltrim zremrangebyrank",
  "key count element": "lrem",
  "key index element": "lset",
  "key min max": "zcount zlexcount zremrangebylex zremrangebyscore",
  "key seconds value": "setex",
  "key milliseconds value": "psetex",
  "source destination": "rpoplpush",
  "source destination member": "smove",
  "source destination timeout": "brpoplpush",
  "channel message": "spublish",
  message: "echo",
  "numreplicas timeout": "wait",
};
/** Commands of a key and more; what is undefined is left out. */
const KEYS =
  "hdel hrandfield hscan lpop rpop zpopmax zpopmin zrandmember zrangebylex zrevrangebylex del mget zrank zrem zrevrank unlink touch";
/** The same, and the server says what is missing. */
const LISTS = "lpush lpushx rpush rpushx zmscore";
/** Commands of any arguments. */
const ANY =
  "hgetdel hgetex hsetex hexpire hexpireat hexpiretime hpersist hpexpire hpexpireat hpexpiretime hpttl httl blmove blmpop blpop " +
  "brpop getex linsert lmove lmpop lpos scan sdiff sdiffstore sinter sintercard sinterstore smismember sscan sunion sunionstore " +
  "zrange zrevrange zrangebyscore zrevrangebyscore zadd zscan zdiff zdiffstore zinter zintercard zinterstore zunion zunionstore " +
  "zmpop bzmpop bzpopmin bzpopmax mset msetnx script select zrangestore copy bitfield bitop bitpos client command config debug " +
  "eval evalsha fcall flushall flushdb function geoadd geodist geohash geopos geosearch geosearchstore info lcs object pfcount " +
  "pfmerge sort xack xadd xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim pubsub";

/** Commands whose 0 and 1 are false and true. */
const BOOLEANS = new Set("exists hexists hsetnx sismember smove".split(" "));

const KIND = "string or buffer";

/** A value as an argument: a number as its text; undefined for what is none. */
function argumentOf(value: unknown): Argument | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (isArrayBufferView(value)) return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
  if (isAnyArrayBuffer(value)) return new Uint8Array(value as ArrayBuffer);
  if (typeof value === "object" && value !== null && require("web/blob").isBlob(value))
    return require("bun/util").blobBytes(value);
  return undefined;
}

/** Arguments of a command that waits: bytes are copied, since the program may use their memory again. */
export function kept(args: readonly Argument[]): Argument[];
export function kept(args: Arguments): Arguments;
export function kept(args: Arguments): Arguments {
  return typeof args === "string" ? args : args.map((arg) => (typeof arg === "string" ? arg : new Uint8Array(arg)));
}

export function required(command: string, name: string, value: unknown, kind = KIND): Argument {
  const argument = argumentOf(value);
  if (argument === undefined) throw wrongType(command, name, kind);
  return argument;
}

/** What a method sends. */
export interface Command {
  name: string;
  method: string;
  isBoolean: boolean;
  isBinary: boolean;
  /** So many arguments go as they are if they are strings and no others follow; 0 if that is not known. */
  plain: number;
  /** The arguments of a call. Throws TypeError for what cannot be sent. */
  read(values: unknown[]): Argument[];
}

function command(method: string, read: Command["read"], plain = 0): Command {
  const isBinary = method === "getBuffer";
  const name = isBinary ? "GET" : method.toUpperCase();
  return { name, method, isBoolean: BOOLEANS.has(method), isBinary, plain, read };
}

function* all(): Generator<Command> {
  for (const [names, methods] of Object.entries(NAMED)) {
    const parameters = names === "" ? [] : names.split(" ");
    const [first] = parameters;
    for (const method of methods.split(" ")) {
      yield command(
        method,
        parameters.length === 1
          ? (values) => [required(method, first!, values[0])]
          : (values) => parameters.map((name, i) => required(method, name, values[i])),
        parameters.length,
      );
    }
  }
  const rest = (method: string, values: unknown[]): Argument[] => {
    const args: Argument[] = [];
    for (const value of values)
      if (value !== undefined && value !== null) args.push(required(method, "additional arguments", value));
    return args;
  };
  for (const method of KEYS.split(" ")) {
    yield command(method, (values) => {
      if (values[0] === undefined || values[0] === null) throw missing("key");
      return rest(method, values);
    });
  }
  for (const method of LISTS.split(" ")) yield command(method, (values) => rest(method, values));
  for (const method of ANY.split(" "))
    yield command(method, (values) => values.map((value) => required(method, "additional arguments", value)));
  yield* special();
}

function seconds(values: unknown[]): Argument[] {
  const key = required("expire", "key", values[0]);
  if (typeof values[1] !== "number") throw wrongProperty("seconds", "number", values[1]);
  validateInt32(values[1], "seconds", 0);
  return [key, String(values[1])];
}

/** Fields and values: of an object, an array, or one after the other. */
function fields(values: unknown[]): Argument[] {
  const [key, second] = values;
  const args: string[] = [String(key)];
  if (Array.isArray(second)) {
    if (second.length % 2 !== 0) throw new Error("Array must have an even number of elements (field-value pairs)");
    args.push(...second.map(String));
  } else if (typeof second === "object" && second !== null) {
    for (const [field, value] of Object.entries(second)) args.push(field, String(value));
  } else {
    if (values.length < 3) throw new Error("HSET requires at least key, field, and value arguments");
    if (values.length % 2 === 0)
      throw new Error("HSET requires field-value pairs (even number of arguments after key)");
    args.push(...values.slice(1).map(String));
  }
  if (args.length === 1) throw new Error("HSET requires at least one field-value pair");
  return args;
}

function someFields(values: unknown[]): Argument[] {
  if (values.length < 2) throw new Error("HMGET requires at least a key and one field");
  const key = required("hmget", "key", values[0]);
  let names = values.slice(1);
  if (Array.isArray(values[1])) {
    if (values[1].length === 0) throw new Error("HMGET requires at least one field");
    names = values[1];
  } else {
    const end = names.findIndex((name) => name === undefined || name === null);
    if (end >= 0) names = names.slice(0, end);
  }
  return [key, ...names.map((name) => required("hmget", "field", name))];
}

/** A set's key and members. */
function members(method: string, values: unknown[]): Argument[] {
  if (values.length < 2) throw new Error(`${method.toUpperCase()} requires at least a key and one member`);
  const key = required(method, "key", values[0]);
  const given = values.slice(1).filter((value) => value !== undefined && value !== null);
  return [key, ...given.map((value) => required(method, "member", value))];
}

/** A key, and a count that may be left out. */
function counted(method: string, values: unknown[]): Argument[] {
  const key = required(method, "key", values[0]);
  const [, count] = values;
  return count === undefined || count === null ? [key] : [key, required(method, "count", count)];
}

function setting(values: unknown[]): Argument[] {
  const key = required("set", "key", values[0]);
  const args = [key, required("set", "value", values[1], "string or buffer or number")];
  for (const value of values.slice(2)) {
    if (value === undefined || value === null) break;
    args.push(required("set", "arguments", value));
  }
  return args;
}

function message(values: unknown[]): Argument[] {
  if (typeof values[0] !== "string") throw wrongType("publish", "channel", "string");
  if (typeof values[1] !== "string") throw wrongType("publish", "message", "string");
  return [values[0], values[1]];
}

function* special(): Generator<Command> {
  yield command("set", setting, 2);
  yield command("expire", seconds);
  yield command("hset", fields);
  yield command("hmset", fields);
  yield command("hmget", someFields);
  yield command("sadd", (values) => members("sadd", values));
  yield command("srem", (values) => members("srem", values));
  yield command("spop", (values) => counted("spop", values));
  yield command("srandmember", (values) => counted("srandmember", values));
  yield command("hincrby", (values) => [String(values[0]), String(values[1]), String(values[2])]);
  yield command("hincrbyfloat", (values) => [String(values[0]), String(values[1]), String(values[2])]);
  yield command("ping", (values) => (values[0] === undefined ? [] : [required("ping", "message", values[0])]));
  yield command("publish", message);
}

export const commands: Command[] = [...all()];
