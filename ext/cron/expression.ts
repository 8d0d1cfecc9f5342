/**
 * Cron expressions: five fields (minute, hour, day of the month, month, day of the week) or a nickname such as `@daily`, as Bun
 * reads them (https://bun.com/docs/runtime/cron).
 */

import { invalidType } from "bun/util";

/** What an expression says: of each field the values that match, as bits. */
export interface Schedule {
  /** Bit n for minute n; two numbers, because 60 bits do not fit one: minutes 0 to 29, and 30 to 59. */
  minutes: [number, number];
  hours: number;
  days: number;
  months: number;
  weekdays: number;
  /** Whether the field was something other than `*`; if both are, a day that matches either is taken, as POSIX has it. */
  daysRestricted: boolean;
  weekdaysRestricted: boolean;
}

const nicknames: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const monthNames = "january february march april may june july august september october november december".split(" ");
const weekdayNames = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** The longest expression that is read: far above what five fields need, and a bound for hostile text. */
const MAX_LENGTH = 4096;

function invalid(what: string): TypeError {
  return invalidType(`Invalid cron expression: ${what}`);
}

/** One of the five fields: its range, and the names that stand for numbers. */
interface Field {
  low: number;
  high: number;
  names: string[] | undefined;
}

const fields: Field[] = [
  { low: 0, high: 59, names: undefined },
  { low: 0, high: 23, names: undefined },
  { low: 1, high: 31, names: undefined },
  { low: 1, high: 12, names: monthNames },
  { low: 0, high: 7, names: weekdayNames },
];

function valueOf(text: string, { low, high, names }: Field): number {
  let value = NaN;
  if (/^\+?\d+$/.test(text)) {
    value = Number(text);
  } else if (names !== undefined) {
    const word = text.toLowerCase();
    const at = names.findIndex((name) => name === word || name.slice(0, 3) === word);
    if (at >= 0) value = at + low;
  }
  if (!(value >= low && value <= high)) throw invalid("value out of range for field");
  return value;
}

function stepOf(text: string): number {
  const step = /^\+?\d+$/.test(text) ? Number(text) : 0;
  if (!(step >= 1 && step <= 0xffff)) throw invalid("step value must be a positive integer");
  return step;
}

/** The values that a field names. */
function valuesOf(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    if (part === "") throw invalid("unrecognized field syntax");
    const slash = part.indexOf("/");
    const range = slash < 0 ? part : part.slice(0, slash);
    const step = slash < 0 ? 1 : stepOf(part.slice(slash + 1));
    // Seven is Sunday only where it is written: `*` ends with Saturday.
    const last = field.names === weekdayNames ? 6 : field.high;
    let from: number, to: number;
    const dash = range.indexOf("-");
    if (range === "*") {
      [from, to] = [field.low, last];
    } else if (dash >= 0) {
      [from, to] = [valueOf(range.slice(0, dash), field), valueOf(range.slice(dash + 1), field)];
      if (from > to) throw invalid("range must be ascending (use 'a,b' or 'a-max,0-b' for wrap-around)");
    } else {
      from = valueOf(range, field);
      to = slash < 0 ? from : Math.max(from, last);
    }
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

const bits = (values: Set<number>): number => [...values].reduce((all, value) => all | (1 << value), 0);

/** Reads an expression; throws a TypeError with Bun's words where it is not one. */
export function parseExpression(text: string): Schedule {
  if (text.length > MAX_LENGTH) throw invalid("too long");
  const trimmed = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (trimmed.startsWith("@")) {
    const meaning = nicknames[trimmed.toLowerCase()];
    if (meaning === undefined) throw invalid("unrecognized field syntax");
    return parseExpression(meaning);
  }
  const parts = trimmed.split(/[ \t]+/);
  if (parts.length > 5) {
    throw invalid(
      "too many fields. Bun.cron uses 5 fields (minute hour day month weekday) — seconds are not supported",
    );
  }
  if (parts.length < 5 || trimmed === "") {
    throw invalid("expected 5 space-separated fields (minute hour day month weekday)");
  }
  const [minutes, hours, days, months, weekdays] = parts.map((part, at) => valuesOf(part, fields[at]!)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  if (weekdays.delete(7)) weekdays.add(0);
  const late = new Set([...minutes].filter((minute) => minute >= 30).map((minute) => minute - 30));
  return {
    minutes: [bits(new Set([...minutes].filter((minute) => minute < 30))), bits(late)],
    hours: bits(hours),
    days: bits(days),
    months: bits(months),
    weekdays: bits(weekdays),
    daysRestricted: parts[2] !== "*",
    weekdaysRestricted: parts[4] !== "*",
  };
}

const ALL_HOURS = 0xffffff;
const HALF_HOUR = 0x3fffffff;
const ALL_WEEKDAYS = 0x7f;
/** Bits 1 to 31. */
const ALL_DAYS = -2;
/** Bits 1 to 12. */
const ALL_MONTHS = 0x1ffe;

export const everyMinute = ({ minutes: [early, late] }: Schedule): boolean => early === HALF_HOUR && late === HALF_HOUR;
export const everyHour = ({ hours }: Schedule): boolean => hours === ALL_HOURS;

/** The fields as crontab(5) reads them on every system: `*`, or numbers with commas between. */
export function toCrontab(schedule: Schedule): string {
  const list = (low: number, high: number, has: (value: number) => boolean): string => {
    const values: number[] = [];
    for (let value = low; value <= high; value++) if (has(value)) values.push(value);
    return values.join(",");
  };
  const { minutes, hours, months } = schedule;
  let { days, weekdays } = schedule;
  // If one of two restricted fields has every day, every day matches, which crontab says with two asterisks.
  if (schedule.daysRestricted && schedule.weekdaysRestricted && (days === ALL_DAYS || weekdays === ALL_WEEKDAYS)) {
    [days, weekdays] = [ALL_DAYS, ALL_WEEKDAYS];
  }
  const minute = (value: number): boolean => ((minutes[value < 30 ? 0 : 1] >> (value % 30)) & 1) === 1;
  return [
    everyMinute(schedule) ? "*" : list(0, 59, minute),
    everyHour(schedule) ? "*" : list(0, 23, (value) => ((hours >> value) & 1) === 1),
    days === ALL_DAYS ? "*" : list(1, 31, (value) => ((days >> value) & 1) === 1),
    months === ALL_MONTHS ? "*" : list(1, 12, (value) => ((months >> value) & 1) === 1),
    weekdays === ALL_WEEKDAYS ? "*" : list(0, 6, (value) => ((weekdays >> value) & 1) === 1),
  ].join(" ");
}
