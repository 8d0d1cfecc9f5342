import { Effect, Option as EOption, pipe as epipe, Schedule, Stream } from "effect";
import { pipe } from "fp-ts/lib/function.js";
import * as O from "fp-ts/lib/Option.js";
import * as E from "fp-ts/lib/Either.js";
import * as TE from "fp-ts/lib/TaskEither.js";
import * as A from "fp-ts/lib/Array.js";
import * as v from "valibot";
import * as ss from "superstruct";
import fc from "fast-check";
import Fuse from "fuse.js";
import { LRUCache } from "lru-cache";
import EventEmitter from "eventemitter3";
import pLimit from "p-limit";
import PQueue from "p-queue";
import deepmerge from "deepmerge";
import cx from "classnames";
import minimist from "minimist";
console.log(
  await Effect.runPromise(
    Effect.gen(function* () {
      const a = yield* Effect.succeed(1);
      const b = yield* Effect.promise(async () => 2);
      return a + b;
    }),
  ),
  await Effect.runPromise(Effect.either?.(Effect.fail("boom")) ?? Effect.result(Effect.fail("boom"))).then((e) => e._tag),
  EOption.some(1)._tag,
  Effect.runSync(Effect.all([Effect.succeed(1), Effect.sync(() => 2)])),
);
console.log(
  pipe(
    [1, 2, 3],
    A.map((x) => x * 2),
    A.head,
    O.getOrElse(() => 0),
  ),
  E.tryCatch(
    () => JSON.parse("{"),
    () => "bad",
  ),
  await pipe(
    TE.right(1),
    TE.chain((x) => TE.left("e" + x)),
  )(),
);
const r = v.safeParse(v.object({ a: v.pipe(v.string(), v.email()), b: v.optional(v.number(), 3) }), { a: "x" });
console.log(r.success, v.flatten(r.issues));
try {
  ss.assert({ a: 1 }, ss.object({ a: ss.string() }));
} catch (e) {
  console.log(e.name, e.message, e.path);
}
console.log(
  fc.check(
    fc.property(fc.array(fc.integer()), (l) => l.length < 6 || l[0] < 50),
    { seed: 42 },
  ).counterexample,
  fc.sample(fc.record({ s: fc.string(), n: fc.nat() }), { seed: 7, numRuns: 3 }),
);
console.log(
  new Fuse(["apple", "orange", "banana", "aple"], { includeScore: true }).search("appl").map((x) => [x.item, x.score.toFixed(6)]),
);
const lru = new LRUCache({ max: 2, dispose: (val, k, why) => console.log("dispose", k, val, why) });
lru.set("a", 1);
lru.set("b", 2);
lru.get("a");
lru.set("c", 3);
console.log([...lru.entries()], lru.has("b"));
const e = new EventEmitter();
e.once("x", function (a) {
  console.log("ee3", a, this === e);
});
console.log(e.emit("x", 1), e.emit("x", 2), e.eventNames());
let now = 0,
  peak = 0;
const limit = pLimit(2);
await Promise.all(
  [1, 2, 3, 4].map(() =>
    limit(async () => {
      peak = Math.max(peak, ++now);
      await new Promise((r) => setTimeout(r, 2));
      now--;
    }),
  ),
);
console.log("peak", peak);
const q = new PQueue({ concurrency: 1 });
const seen = [];
q.add(async () => seen.push("low"));
q.add(async () => seen.push("mid"));
q.add(async () => seen.push("high"), { priority: 1 });
await q.onIdle();
console.log(seen);
console.log(
  deepmerge({ a: [1], b: { c: 1 } }, { a: [2], b: { d: 2 } }),
  cx("a", { b: true, c: 0 }, ["d", { e: 1 }]),
  minimist(["-a", "3", "--b=x", "c", "--no-d"]),
);
