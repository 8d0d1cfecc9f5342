import dayjs from "dayjs";
import utc from "dayjs/plugin/utc.js";
import timezone from "dayjs/plugin/timezone.js";
import relative from "dayjs/plugin/relativeTime.js";
import custom from "dayjs/plugin/customParseFormat.js";
import duration from "dayjs/plugin/duration.js";
import week from "dayjs/plugin/isoWeek.js";
import "dayjs/locale/de.js";
[utc, timezone, relative, custom, duration, week].forEach((p) => dayjs.extend(p));
const d = dayjs.utc("2024-02-29T13:14:15.678Z");
console.log(
  d.format("YYYY-MM-DD HH:mm:ss.SSS Z dddd MMMM"),
  d.add(1, "year").format(),
  d.endOf("month").toISOString(),
  d.isoWeek(),
  d.diff("2020-01-01", "day", true).toFixed(3),
);
console.log(
  d.tz("America/New_York").format(),
  d.tz("Asia/Tokyo").format("HH:mm z"),
  d.locale("de").format("dddd, D. MMMM"),
  dayjs("31/12/2023 05", "DD/MM/YYYY HH").format(),
);
console.log(
  d.from(d.add(3, "day")),
  d.to(d.subtract(2, "month")),
  dayjs.duration(3661, "s").format("H:mm:ss"),
  dayjs.duration({ hours: 5 }).humanize(),
  dayjs("bad").isValid(),
  String(dayjs("bad")),
);
console.log(
  dayjs.tz("2024-03-31 02:30", "Europe/Berlin").toISOString(),
  d.isBefore("2025"),
  d.toArray?.() ?? d.toObject?.() ?? d.unix(),
);
