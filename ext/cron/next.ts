/**
 * The next time of a schedule, in UTC or on the clocks of a time zone. A wall clock is a number of milliseconds as `Date.UTC`
 * makes them of what the clock shows.
 */

import { everyHour, everyMinute, type Schedule } from "internal/cron/expression";
import { invalidType } from "bun/util";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** The last millisecond that a Date can hold. */
const LAST_TIME = 8.64e15;
/** Years that are looked through: from February 29th before a century without a leap year to the next one. */
const MAX_YEARS = 8;

function dayMatches(schedule: Schedule, day: number, weekday: number): boolean {
  const byDay = ((schedule.days >> day) & 1) === 1;
  const byWeekday = ((schedule.weekdays >> weekday) & 1) === 1;
  if (schedule.daysRestricted && schedule.weekdaysRestricted) return byDay || byWeekday;
  return byDay && byWeekday;
}

/** The first time after the wall clock `from` at which a clock that never changes matches; undefined if there is none. */
function nextWall(schedule: Schedule, from: number): number | undefined {
  const start = (Math.floor(from / MINUTE) + 1) * MINUTE;
  let midnight = Math.floor(start / DAY) * DAY;
  let minuteOfDay = (start - midnight) / MINUTE;
  const date = new Date(midnight);
  const end = Math.min(
    LAST_TIME,
    Date.UTC(date.getUTCFullYear() + MAX_YEARS, date.getUTCMonth(), date.getUTCDate() + 1),
  );
  const { minutes, hours, months } = schedule;
  // Date.UTC is NaN at the end of time.
  while (!(midnight > end) && midnight <= LAST_TIME) {
    date.setTime(midnight);
    if (((months >> (date.getUTCMonth() + 1)) & 1) === 0) {
      midnight = new Date(midnight).setUTCMonth(date.getUTCMonth() + 1, 1);
      minuteOfDay = 0;
      if (Number.isNaN(midnight)) return undefined;
      continue;
    }
    if (dayMatches(schedule, date.getUTCDate(), date.getUTCDay())) {
      for (let at = minuteOfDay; at < 1440; at++) {
        const hour = Math.floor(at / 60);
        if (((hours >> hour) & 1) === 0) {
          at = hour * 60 + 59;
          continue;
        }
        const minute = at % 60;
        if (((minutes[minute < 30 ? 0 : 1] >> (minute % 30)) & 1) === 1) {
          const found = midnight + at * MINUTE;
          return found <= LAST_TIME ? found : undefined;
        }
      }
    }
    midnight += DAY;
    minuteOfDay = 0;
  }
  return undefined;
}

/** What the clocks of a zone show at `time`. */
function wallOf(time: number, zone: string): number {
  const shown = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone);
  return time + shown.offsetNanoseconds / 1e6;
}

/** When the clocks of a zone show `wall`. A time that they leave out is as much later as they jump; of two, `choice` takes one. */
function timeOf(wall: number, zone: string, choice: "earlier" | "later"): number {
  const shown = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO("UTC").toPlainDateTime();
  const compatible = shown.toZonedDateTime(zone, { disambiguation: "compatible" });
  if (choice === "earlier" || wallOf(compatible.epochMilliseconds, zone) !== wall) return compatible.epochMilliseconds;
  return shown.toZonedDateTime(zone, { disambiguation: "later" }).epochMilliseconds;
}

/**
 * The first time after `from` (both in milliseconds since 1970) on the clocks of a zone. When clocks are put forward, a time that
 * they leave out is as much later. When they are put back, a schedule with every hour or every minute goes on; another one runs
 * at the first of the two times only.
 */
function nextInZone(schedule: Schedule, from: number, zone: string): number | undefined {
  const repeats = everyHour(schedule) || everyMinute(schedule);
  let found: number | undefined;
  let wall = nextWall(schedule, wallOf(from, zone));
  // Each round is a wall clock later, and clocks are never put back by more than a day; the bound is for safety only.
  for (let round = 0; wall !== undefined && round < 3000; round++) {
    const first = timeOf(wall, zone, "earlier");
    if (first > from) {
      found = first;
      break;
    }
    const second = repeats ? timeOf(wall, zone, "later") : first;
    if (second > from) {
      found = second;
      break;
    }
    wall = nextWall(schedule, wall);
  }
  if (!repeats || found === undefined) return found;
  // The hour that comes twice begins before what was found.
  const change = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone).getTimeZoneTransition("next");
  const at = change?.epochMilliseconds;
  if (at === undefined || at > found) return found;
  const after = wallOf(at, zone);
  if (after >= wallOf(at - 1, zone)) return found;
  const again = nextWall(schedule, after - 1);
  return again === undefined ? found : Math.min(found, at + again - after);
}

/** The next time after `from`, both in milliseconds since 1970; undefined if there is none within eight years. */
export function nextTime(schedule: Schedule, from: number, zone: string | undefined): number | undefined {
  if (zone === undefined) return nextWall(schedule, from);
  const found = nextInZone(schedule, from, zone);
  return found !== undefined && found <= LAST_TIME ? found : undefined;
}

/** The time zone of the options; undefined for UTC. */
export function zoneOf(options: unknown): string | undefined {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object" && typeof options !== "function") {
    throw invalidType("Bun.cron: options must be an object");
  }
  const { tz } = options as { tz?: unknown };
  if (tz === undefined || tz === null) return undefined;
  if (typeof tz !== "string") throw invalidType("Bun.cron: options.tz must be a string");
  // Names only: an offset has no daylight-saving time, and Bun takes none.
  if (/^[A-Za-z]{2}/.test(tz)) {
    try {
      const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(tz);
      return timeZoneId === "UTC" ? undefined : timeZoneId;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw invalidType(`Bun.cron: unknown time zone '${tz}'`);
}
