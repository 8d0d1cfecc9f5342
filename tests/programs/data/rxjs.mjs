import {
  BehaviorSubject,
  EMPTY,
  ReplaySubject,
  Subject,
  asyncScheduler,
  combineLatest,
  concat,
  defer,
  firstValueFrom,
  forkJoin,
  from,
  fromEvent,
  interval,
  merge,
  of,
  race,
  throwError,
  timer,
  zip,
} from "rxjs";
import {
  bufferCount,
  catchError,
  concatMap,
  debounceTime,
  delay,
  distinctUntilChanged,
  exhaustMap,
  groupBy,
  map,
  mergeMap,
  pairwise,
  reduce,
  retry,
  scan,
  share,
  switchMap,
  take,
  takeUntil,
  tap,
  throttleTime,
  timeout,
  toArray,
  window,
  withLatestFrom,
} from "rxjs/operators";
import { EventEmitter } from "node:events";
const log = (name) => ({
  next: (v) => console.log(name, v),
  error: (e) => console.log(name, "error", e.name ?? e, e.message),
  complete: () => console.log(name, "done"),
});
of(1, 2, 3)
  .pipe(
    map((x) => x * 2),
    scan((a, b) => a + b),
    pairwise(),
  )
  .subscribe(log("scan"));
from([1, 2, 3, 4, 5])
  .pipe(
    groupBy((x) => x % 2),
    mergeMap((g) => g.pipe(toArray())),
  )
  .subscribe(log("group"));
const s = new BehaviorSubject(0);
s.pipe(distinctUntilChanged(), bufferCount(2)).subscribe(log("subject"));
[1, 1, 2, 3].forEach((x) => s.next(x));
s.complete();
let tries = 0;
defer(() => (++tries < 3 ? throwError(() => new Error("try " + tries)) : of("fine")))
  .pipe(retry(3))
  .subscribe(log("retry"));
throwError(() => new TypeError("bad"))
  .pipe(catchError((e) => of(e.message)))
  .subscribe(log("catch"));
const e = new EventEmitter();
fromEvent(e, "x").pipe(take(2)).subscribe(log("event"));
e.emit("x", 1);
e.emit("x", 2, 3);
e.emit("x", 4);
console.log(e.listenerCount("x"));
console.log(
  await firstValueFrom(
    interval(2).pipe(
      take(4),
      reduce((a, b) => a + b),
    ),
  ),
  await firstValueFrom(forkJoin({ a: timer(3).pipe(map(() => "t")), b: Promise.resolve(1) })),
);
console.log(
  await firstValueFrom(race(timer(50).pipe(map(() => "slow")), timer(1).pipe(map(() => "fast")))),
  await firstValueFrom(concat(of(1).pipe(delay(3)), of(2)).pipe(toArray())),
);
await firstValueFrom(timer(1000).pipe(timeout(5))).catch((x) => console.log(x.name, x.message));
await firstValueFrom(EMPTY).catch((x) => console.log(x.name, x.message));
const order = [];
asyncScheduler.schedule(() => order.push("task"));
Promise.resolve().then(() => order.push("micro"));
await new Promise((r) => setTimeout(r, 5));
console.log(order);
