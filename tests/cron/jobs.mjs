// expected: written by hand
// Jobs of the process on a wall clock that the program sets: they fire at the minute, never overlap, survive errors, and notice
// that the clock was set back or forward.
const RealDate = Date;
let offset = 0;
class Clock extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [Clock.now()] : given));
  }
  static now() {
    return RealDate.now() + offset;
  }
}
globalThis.Date = Clock;
/** Sets the clock. */
const setTo = (time) => (offset = time - RealDate.now());
const MINUTE = 60_000;
const start = RealDate.UTC(2026, 2, 29, 0, 59, 59, 800);
setTo(start);

const fired = Promise.withResolvers();
const job = Bun.cron("* * * * *", function () {
  fired.resolve([this === job, new Date().toISOString().slice(0, 16)]);
});
console.log(await fired.promise, job.cron);
job.stop();

// Nine o'clock in Kolkata is 3:30 in UTC.
setTo(RealDate.UTC(2026, 2, 29, 3, 29, 59, 900));
const nine = Promise.withResolvers();
using zoned = Bun.cron("0 9 * * *", () => nine.resolve(new Date().toISOString().slice(0, 16)), { tz: "Asia/Kolkata" });
console.log("zone", await nine.promise);
zoned.stop();

// A handler that is slow: the next run is planned when it has ended.
setTo(start);
let running = 0;
let runs = 0;
const slow = Promise.withResolvers();
using overlapping = Bun.cron("* * * * *", async () => {
  running++;
  runs++;
  if (runs === 1) setTo(start + 10 * MINUTE - 100);
  await Bun.sleep(100);
  running--;
  if (runs === 2) slow.resolve();
});
await slow.promise;
console.log("overlap", running, runs);
overlapping.stop();

// Errors are those of a timer, and the job goes on.
setTo(start);
const errors = [];
process.on("uncaughtException", (error) => errors.push(error.message));
process.on("unhandledRejection", (error, promise) => errors.push(`${error.message} ${promise instanceof Promise}`));
const failed = Promise.withResolvers();
let calls = 0;
using failing = Bun.cron("* * * * *", () => {
  calls++;
  setTo(start);
  if (calls === 1) throw new Error("thrown");
  if (calls === 2) return Promise.reject(new Error("rejected"));
  failed.resolve();
});
await failed.promise;
console.log("errors", calls, errors);
failing.stop();

// The clock is set back by an hour before the job is due: it does not wait for an hour.
setTo(start);
const back = Promise.withResolvers();
using returning = Bun.cron("* * * * *", () => back.resolve(new Date().toISOString().slice(0, 16)));
setTo(start - 60 * MINUTE - 300);
console.log("back", await back.promise);
returning.stop();

// It is set forward by a day: what was missed runs once.
setTo(start);
let missed = 0;
const once = Promise.withResolvers();
using jumping = Bun.cron("* * * * *", () => {
  missed++;
  setTimeout(once.resolve, 300);
});
setTo(start + 24 * 60 * MINUTE - 30_000);
await once.promise;
console.log("forward", missed);
jumping.stop();

// A job that is stopped by its handler, and one that does not keep the process alive.
setTo(start);
const stopped = Promise.withResolvers();
const own = Bun.cron("* * * * *", () => {
  own.stop();
  stopped.resolve();
});
await stopped.promise;
own.ref();
Bun.cron("@hourly", () => {}).unref();
console.log("end");
