const moment = require("moment");
require("moment/locale/fr");
moment.locale("en");
const m = moment.utc("2013-02-08T09:30:26.123Z");
console.log(
  m.format("dddd, MMMM Do YYYY, h:mm:ss a"),
  m.format(),
  m.clone().add(1, "M").calendar(m),
  m.clone().startOf("isoWeek").toISOString(),
  m.fromNow.length,
  m.from(moment.utc("2013-02-11")),
  m.locale("fr").format("LLLL"),
);
console.log(
  moment.duration("P1Y2M3DT4H5M6S").toJSON(),
  moment.duration(90, "minutes").humanize(),
  moment("x", moment.ISO_8601).isValid(),
  moment.utc("12-25-1995", "MM-DD-YYYY").toDate(),
  moment.utc([2012, 1, 29]).isLeapYear(),
  moment.utc("2016-02-30").isValid(),
  moment.localeData("fr").months()[1],
  moment.max(moment.utc(0), moment.utc(1)).valueOf(),
);
console.log(
  moment.utc("2024-01-31").add(1, "month").format("L"),
  moment.utc(0).diff(moment.utc("1969-01-01"), "days"),
  moment.parseZone("2013-01-01T00:00:00-13:00").utcOffset(),
  m,
);
