import { DateTime, Duration, Interval, Info, Settings } from "luxon";
const d = DateTime.fromISO("2024-03-10T01:30:00", { zone: "America/New_York" });
console.log(
  d.toISO(),
  d.plus({ hours: 1 }).toISO(),
  d.plus({ days: 1 }).toISO(),
  d.setZone("Asia/Kolkata").toFormat("yyyy LLL dd HH:mm ZZZZ"),
  d.offsetNameLong,
  d.weekNumber,
  d.isInDST,
);
console.log(
  d.setLocale("fr").toLocaleString(DateTime.DATETIME_FULL),
  d.setLocale("ja").toLocaleString(DateTime.DATE_HUGE),
  d.toRelative({ base: d.plus({ days: 3 }) }),
  DateTime.fromFormat("May 25 1982", "LLLL dd yyyy", { zone: "utc" }).toISODate(),
);
console.log(
  Duration.fromISO("PT3H20M").shiftTo("hours", "minutes").toObject(),
  Duration.fromObject({ days: 1, hours: 30 }).normalize().toHuman(),
  Interval.fromDateTimes(d, d.plus({ days: 2 })).splitBy({ hours: 20 }).length,
  DateTime.fromISO("nope").invalidExplanation,
  Info.months("short", { locale: "de" }),
  Info.normalizeZone("UTC+5").name,
);
