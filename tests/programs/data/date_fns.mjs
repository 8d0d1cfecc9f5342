import * as f from "date-fns";
import { de, ja } from "date-fns/locale";
const d = new Date(Date.UTC(2024, 1, 29, 13, 14, 15));
console.log(
  Object.keys(f).length > 200,
  f.format(d, "yyyy-MM-dd'T'HH:mm:ssXXX EEEE do QQQ I"),
  f.format(d, "PPPPpppp", { locale: de }),
  f.format(d, "PPPP", { locale: ja }),
);
console.log(
  f.formatDistance(d, f.addDays(d, 40)),
  f.formatDistanceStrict(d, f.addHours(d, 5)),
  f.formatRelative(f.subDays(d, 1), d),
  f.intervalToDuration({ start: d, end: new Date(Date.UTC(2026, 5, 1)) }),
);
console.log(
  f.parse("12.03.2021", "dd.MM.yyyy", d),
  f.parseISO("2020-W05-3"),
  f.isValid(f.parseISO("2020-13-01")),
  f.eachDayOfInterval({ start: d, end: f.addDays(d, 3) }).map((x) => f.formatISO(x, { representation: "date" })),
);
console.log(
  f.differenceInBusinessDays(new Date(2024, 5, 30), d),
  f.getISOWeek(d),
  f.startOfQuarter(d),
  f.closestTo(d, [new Date(0), new Date(2030, 1, 1)]),
  f.lightFormat(d, "h:mm a"),
  f.formatDuration({ hours: 2, minutes: 1 }),
);
try {
  f.format(new Date(NaN), "yyyy");
} catch (e) {
  console.log(e.name, e.message);
}
try {
  f.format(d, "YYYY");
} catch (e) {
  console.log(e.name, e.message.slice(0, 60));
}
