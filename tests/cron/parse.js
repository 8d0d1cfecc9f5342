// expected: recorded from bun 1.4.5
// The next time of expressions, and the words of what is no expression.
const from = Date.UTC(2026, 5, 15);
const expressions = `* * * * *
60 * * * *
-1 * * * *
a * * * *
* 24 * * *
* * 0 * *
* * 32 * *
* * * 13 *
* * * * 8
*/0 * * * *
*/100 * * * *
5/10 * * * *
5-1 * * * *
1,,2 * * * *
1- * * * *
1/2/3 * * * *
*/ * * * *
? * * * *
* * * * 5L
* * * JANUARY *
* * * janu *
* * * * FRI-MON
* * * * 7-7
* * * * 5-7
+5 * * * *
0x5 * * * *
5,* * * * *
0 0 13 * 5
0 0 13 * *,5
0 0 13 * 0-6
0 0 */2 * MON
@DAILY
@reboot
 @hourly 
* * * *
* * * * * *
0 0 31 2,4,6 *
0 0 29 2 *
* * * MAR-may/2 *
0 12 * * tues
0 12 * * wednesday`.split("\n");
for (const expression of expressions) {
  let next;
  try {
    next = Bun.cron.parse(expression, from)?.toISOString() ?? null;
  } catch (error) {
    next = `${error.name} ${error.code} ${error.message}`;
  }
  console.log(JSON.stringify(expression), next);
}
for (const time of [NaN, Infinity, 8.64e15, 8.7e15, -8.64e15, "2020-01-01", {}, 5n, new Date(NaN), -1, -1.5, 59999.9]) {
  try {
    console.log(String(time), Bun.cron.parse("* * * * *", time)?.toISOString());
  } catch (error) {
    console.log(String(time), error.message);
  }
}
for (const call of [
  () => Bun.cron(),
  () => Bun.cron(1, () => {}),
  () => Bun.cron("* * * * *"),
  () => Bun.cron("./a", 1, "a"),
  () => Bun.cron("./a", "* * * * *", 1),
  () => Bun.cron("./a", "* * * * *", "bad title!"),
  () => Bun.cron("0 0 30 2 *", () => {}),
  () => Bun.cron("./no-such-file.ts", "* * * * *", "a"),
  () => Bun.cron("* * * * *", () => {}, { tz: "Nope/Berlin" }),
  () => Bun.cron("* * * * *", () => {}, { tz: 5 }),
  () => Bun.cron("* * * * *", () => {}, 5),
  () => Bun.cron.remove(1),
  () => Bun.cron.remove("a b"),
  () => Bun.cron.parse(1),
]) {
  try {
    console.log(call());
  } catch (error) {
    console.log(error.code, error.message);
  }
}
const job = Bun.cron("  @hourly ", () => {});
console.log(JSON.stringify(job.cron), job.ref() === job, job.unref() === job, job.stop() === job, job.stop() === job);
console.log(Object.prototype.toString.call(job), typeof job[Symbol.dispose], Bun.cron.length, Bun.cron.parse.length);
