// expected: recorded from bun 1.4.5
// The next times on the clocks of zones around their changes.
const n = (e, from, tz, k = 1) => {
  let out = [],
    c = Date.parse(from);
  for (let i = 0; i < k; i++) {
    let d;
    try {
      d = Bun.cron.parse(e, c, tz && { tz });
    } catch (x) {
      out.push(x.message);
      break;
    }
    if (!d) {
      out.push(null);
      break;
    }
    out.push(d.toISOString().slice(0, 16));
    c = +d;
  }
  console.log(e, from, tz, out.join(" "));
};
n("0 0 13 * *,5", "2026-06-15T00:00Z");
n("0 0 13 * 5,*", "2026-06-15T00:00Z");
n("0 0 */1 * 1", "2026-06-15T00:00Z", undefined, 3);
n("0 0 13 * */1", "2026-06-15T00:00Z");
n("0 0 *,13 * 1", "2026-06-15T00:00Z");
// DST: Berlin gap 2026-03-29 02:00->03:00 (01:00Z), overlap 2026-10-25 03:00->02:00 (01:00Z)
for (const e of [
  "30 2 * * *",
  "0 2 * * *",
  "0 3 * * *",
  "30 3 * * *",
  "0 1 * * *",
  "*/15 2 * * *",
  "59 2 * * *",
  "30 2 29 3 *",
])
  n(e, "2026-03-28T12:00Z", "Europe/Berlin", 4);
for (const e of ["*/30 * * * *", "0 * * * *", "*/20 1-3 * * *", "30 */2 * * *", "30 * * * *"])
  n(e, "2026-03-29T00:20Z", "Europe/Berlin", 6);
for (const e of ["30 2 * * *", "0 2 * * *", "0 3 * * *", "*/15 2 * * *", "30 2 25 10 *", "30 1 * * *"])
  n(e, "2026-10-24T12:00Z", "Europe/Berlin", 6);
for (const e of ["*/30 * * * *", "0 * * * *", "*/20 1-3 * * *", "30 */2 * * *", "30 * * * *"])
  n(e, "2026-10-24T23:20Z", "Europe/Berlin", 8);
n("30 2 * * *", "2026-10-25T00:35Z", "Europe/Berlin", 2);
n("30 2 * * *", "2026-10-25T00:30Z", "Europe/Berlin", 2);
n("0 0 * * *", "2026-09-04T00:00Z", "America/Santiago", 4); // gap at midnight 2026-09-06
n("15 0 * * *", "2026-09-04T00:00Z", "America/Santiago", 4);
n("0 0 * * *", "2011-12-28T00:00Z", "Pacific/Apia", 4); // day skipped
n("15 2 * * *", "2026-10-02T00:00Z", "Australia/Lord_Howe", 4);
n("15 2 * * *", "2026-04-03T00:00Z", "Australia/Lord_Howe", 4);
n("*/15 * * * *", "2026-04-04T14:20Z", "Australia/Lord_Howe", 9);
n("0 9 * * *", "2026-06-15T00:00Z", "asia/kolkata");
n("0 9 * * *", "2026-06-15T00:00Z", "+05:30");
n("0 9 * * *", "2026-06-15T00:00Z", "UTC");
n("0 9 * * *", "2026-06-15T00:00Z", "EST");
n("0 9 * * *", "2026-06-15T00:00Z", "");
n("0 9 * * *", "2026-06-15T00:00Z", "local");
n("0 9 * * *", "2026-06-15T00:00Z", "GMT+2");
n("0 9 * * *", "2026-06-15T00:00Z", "Etc/GMT-2");
n("0 9 * * *", "2026-06-15T00:00Z", "system");
n("0 9 * * *", "2026-06-15T00:00Z", "CET");
n("0 9 * * *", "2026-06-15T00:00Z", "utc");
n("0 9 * * *", "2026-06-15T00:00Z", "Z");
n("0 9 30 2 *", "2026-06-15T00:00Z", "Europe/Berlin");
n("0 0 29 2 1", "1897-06-15T00:00Z");
n("0 0 29 2 *", "1897-06-15T00:00Z");
n("0 0 29 2 *", "2096-06-15T00:00Z");
n("0 0 29 2 *", "2096-02-28T00:00Z", undefined, 2);
n("30 2 29 3 *", "2026-03-30T00:00Z", "Europe/Berlin", 3);
n("0 0 * * *", "1850-01-01T00:00Z", "Europe/Berlin", 2);
n("* * * * *", "1850-01-01T00:00Z", "Europe/Berlin", 2);
n("15 * * * *", "2026-10-03T14:50Z", "Australia/Lord_Howe", 4);
n("25,40 2 * * *", "2026-10-03T14:50Z", "Australia/Lord_Howe", 4);
n("25,40 * * * *", "2026-10-03T14:50Z", "Australia/Lord_Howe", 4);
for (const e of [
  "30 */1 * * *",
  "30 0-23 * * *",
  "30 *,5 * * *",
  "* 2 * * *",
  "30 0-22 * * *",
  "30 0-23/1 * * *",
  "30 0/1 * * *",
])
  n(e, "2026-10-25T00:20Z", "Europe/Berlin", 3);
for (const e of ["* 2 * * *"]) n(e, "2026-10-25T00:57Z", "Europe/Berlin", 4);
for (const e of ["* 2 * * *"]) n(e, "2026-03-29T00:57Z", "Europe/Berlin", 4);
n("30 2 * * *", "2026-10-25T01:10Z", "Europe/Berlin", 2);
n("30 * * * *", "2026-10-25T01:10Z", "Europe/Berlin", 2);
n("0 0 29 2 *", "2026-10-25T01:10Z", "Europe/Berlin", 2);
n("30 * 25 10 *", "2026-10-25T00:10Z", "Europe/Berlin", 5);
