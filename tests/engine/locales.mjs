// expected: recorded from node 25.9.0
// ICU's resources of most languages are compressed in the executable: what the formatters of 23 locales print, in the main thread
// and in two workers that begin at the same time.
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const LOCALES =
  "de fr ja ar hi ru zh-Hant pt-PT sr-Latn de-AT es-419 th he fa ta ff-Adlm en-GB nb fil sw pl uk en-US".split(" ");
const date = new Date(Date.UTC(2026, 1, 3, 14, 5, 6));

function line(locale) {
  const parts = [
    new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "full", timeZone: "Europe/Paris" }).format(date),
    new Intl.NumberFormat(locale, { style: "currency", currency: "CHF", currencyDisplay: "name" }).format(1234567.891),
    new Intl.NumberFormat(locale, { style: "unit", unit: "kilometer-per-hour", unitDisplay: "long" }).format(3),
    new Intl.DisplayNames(locale, { type: "language" }).of("sr-Latn"),
    new Intl.DisplayNames(locale, { type: "region" }).of("CH"),
    new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-1, "day"),
    new Intl.ListFormat(locale).format(["a", "b", "c"]),
    new Intl.PluralRules(locale).select(2),
  ];
  return `${locale} ${parts.join(" | ")}`;
}

if (isMainThread) {
  const inWorker = locales =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: locales });
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  const [forwards, backwards] = await Promise.all([inWorker(LOCALES), inWorker(LOCALES.toReversed())]);
  const here = LOCALES.map(line);
  console.log(here.join("\n"));
  console.log(forwards.join() === here.join(), backwards.toReversed().join() === here.join());
} else {
  parentPort.postMessage(workerData.map(line));
}
