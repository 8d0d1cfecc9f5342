// High dynamic range histograms: createHistogram() and monitorEventLoopDelay() of perf_hooks.
//
// Counts are kept per "bucket" (power of two) and linear "sub-bucket" (as many as the wanted number of significant
// figures needs), the layout of the HdrHistogram family, so that percentiles are exact to that many figures.

import type { Inspect } from "internal/util/inspect_types";
import type { Depth } from "internal/perf/types";
import type { Timeout } from "internal/core/timers";
import { codes } from "internal/core/errors";
import { kClone, Packed } from "internal/worker/messaging/hooks";
import { validateInteger, validateNumber, validateObject } from "internal/core/validators";

const ops = native("process");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const kCreate = Symbol("kCreateHistogram");
const emptyMin = 9223372036854775807n;

const timeBytes = new Uint8Array(16);
const timeTotal = new BigUint64Array(timeBytes.buffer, 0, 1);

// Monotonic nanoseconds as a double: exact to some ns, enough for differences.
function nowNs(): number {
  ops.hrtime(timeBytes);
  return Number(timeTotal[0]);
}

/** The counts. Values are positive integers up to 2 ** 53. */
class Counts {
  readonly highest: number;
  readonly unitMagnitude: number;
  readonly halfMagnitude: number;
  readonly subBuckets: number;
  readonly half: number;
  counts: Float64Array;
  total = 0;
  exceeds = 0;
  min = Infinity;
  max = 0;

  constructor(lowest: number, highest: number, figures: number) {
    this.highest = highest;
    this.unitMagnitude = Math.floor(Math.log2(lowest));
    const magnitude = Math.ceil(Math.log2(2 * 10 ** figures));
    this.halfMagnitude = Math.max(magnitude, 1) - 1;
    this.subBuckets = 2 ** (this.halfMagnitude + 1);
    this.half = this.subBuckets / 2;
    // Grown as larger values come.
    this.counts = new Float64Array(this.subBuckets);
  }

  // Exponent of the bucket of a value.
  bucketOf(value: number): number {
    const limit = this.subBuckets * 2 ** this.unitMagnitude;
    if (value < limit) return 0;
    return Math.floor(Math.log2(value)) - this.unitMagnitude - this.halfMagnitude;
  }

  indexOf(value: number): number {
    let bucket = this.bucketOf(value);
    let sub = Math.floor(value / 2 ** (bucket + this.unitMagnitude));
    // log2 rounds up just below powers of two.
    if (sub < this.half && bucket > 0) {
      bucket--;
      sub = Math.floor(value / 2 ** (bucket + this.unitMagnitude));
    } else if (sub >= this.subBuckets) {
      bucket++;
      sub = Math.floor(value / 2 ** (bucket + this.unitMagnitude));
    }
    return (bucket + 1) * this.half + sub - this.half;
  }

  // The smallest value that counts at `index`, and the size of the range that does.
  rangeOf(index: number): [number, number] {
    let bucket = Math.floor(index / this.half) - 1;
    let sub = (index % this.half) + this.half;
    if (bucket < 0) {
      sub -= this.half;
      bucket = 0;
    }
    const size = 2 ** (bucket + this.unitMagnitude);
    return [sub * size, size];
  }

  highestEquivalent(value: number): number {
    const [lowest, size] = this.rangeOf(this.indexOf(value));
    return lowest + size - 1;
  }

  lowestEquivalent(value: number): number {
    return this.rangeOf(this.indexOf(value))[0];
  }

  /** Returns false when the value is too large, which is counted in `exceeds`. */
  record(value: number, count = 1): boolean {
    if (value > this.highest) {
      this.exceeds += count;
      return false;
    }
    const index = this.indexOf(value);
    if (index >= this.counts.length) {
      const grown = new Float64Array(Math.max(index + 1, this.counts.length + this.half));
      grown.set(this.counts);
      this.counts = grown;
    }
    this.counts[index]! += count;
    this.total += count;
    if (value !== 0 && value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    return true;
  }

  reset(): void {
    this.counts.fill(0);
    this.total = 0;
    this.exceeds = 0;
    this.min = Infinity;
    this.max = 0;
  }

  *used(): Generator<[lowest: number, size: number, count: number]> {
    for (let i = 0; i < this.counts.length; i++) {
      const count = this.counts[i]!;
      if (count === 0) continue;
      const [lowest, size] = this.rangeOf(i);
      yield [lowest, size, count];
    }
  }

  add(other: Counts): number {
    let dropped = 0;
    for (const [lowest, size, count] of other.used()) {
      if (!this.record(lowest + Math.floor(size / 2), count)) dropped += count;
    }
    this.exceeds += other.exceeds;
    return dropped;
  }

  mean(): number {
    if (this.total === 0) return NaN;
    let sum = 0;
    for (const [lowest, size, count] of this.used()) sum += (lowest + Math.floor(size / 2)) * count;
    return sum / this.total;
  }

  stddev(): number {
    if (this.total === 0) return NaN;
    const mean = this.mean();
    let sum = 0;
    for (const [lowest, size, count] of this.used()) sum += (lowest + Math.floor(size / 2) - mean) ** 2 * count;
    return Math.sqrt(sum / this.total);
  }

  percentile(percentile: number): number {
    if (this.total === 0) return 0;
    const wanted = Math.max(1, Math.floor((Math.min(percentile, 100) / 100) * this.total + 0.5));
    let seen = 0;
    for (const [lowest, size, count] of this.used()) {
      seen += count;
      if (seen >= wanted) return lowest + size - 1;
    }
    return this.max;
  }

  /** The distribution in steps that halve the distance to 100 each time: [percentile, lowest value counted there]. */
  percentiles(): Array<[number, number]> {
    const result: Array<[number, number]> = [];
    let next = 0;
    let seen = 0;
    let last = 0;
    for (const [lowest, , count] of this.used()) {
      seen += count;
      last = lowest;
      while (seen < this.total && next <= (100 * seen) / this.total) {
        result.push([next, last]);
        const halvings = Math.floor(Math.log2(100 / (100 - next))) + 1;
        next += 100 / 2 ** halvings;
      }
    }
    if (this.total > 0 && next <= 100) result.push([next, last]);
    if (result.at(-1)?.[0] !== 100) result.push([100, last]);
    return result;
  }
}

function checkPercentile(percentile: number): void {
  validateNumber(percentile, "percentile");
  if (!(percentile > 0 && percentile <= 100))
    throw new codes.ERR_OUT_OF_RANGE("percentile", "> 0 && <= 100", percentile);
}

let countsOf: (histogram: unknown) => Counts;
let is: (value: unknown) => value is Histogram;

/** The statistics of recorded values. Numbers, or BigInts by the members named ...BigInt. */
class Histogram {
  #counts: Counts;

  constructor(key?: unknown, counts?: Counts) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#counts = counts!;
  }

  static {
    is = (value) => typeof value === "object" && value !== null && #counts in value;
    countsOf = (histogram) => {
      if (!is(histogram)) throw new codes.ERR_INVALID_THIS("Histogram");
      return histogram.#counts;
    };
  }

  [inspectCustom](depth: number, options: Depth, inspect: Inspect): string {
    if (depth < 0) return `[${this.constructor.name}]`;
    const inner = { ...options, depth: options.depth === null ? null : options.depth! - 1 };
    const { min, max, mean, exceeds, stddev, count, percentiles } = this;
    return `Histogram ${inspect({ min, max, mean, exceeds, stddev, count, percentiles }, inner)}`;
  }

  get count(): number {
    return countsOf(this).total;
  }
  get countBigInt(): bigint {
    return BigInt(countsOf(this).total);
  }
  get min(): number {
    return Number(this.minBigInt);
  }
  get minBigInt(): bigint {
    const counts = countsOf(this);
    return counts.min === Infinity ? emptyMin : BigInt(counts.lowestEquivalent(counts.min));
  }
  get max(): number {
    const counts = countsOf(this);
    return counts.max === 0 ? 0 : counts.highestEquivalent(counts.max);
  }
  get maxBigInt(): bigint {
    return BigInt(this.max);
  }
  get mean(): number {
    return countsOf(this).mean();
  }
  /** How many values were above the highest one the histogram takes (event loop delay: more than an hour). */
  get exceeds(): number {
    return countsOf(this).exceeds;
  }
  get exceedsBigInt(): bigint {
    return BigInt(countsOf(this).exceeds);
  }
  get stddev(): number {
    return countsOf(this).stddev();
  }

  /** The value below or at which `percentile` percent (0 < p <= 100) of the values are. */
  percentile(percentile: number): number {
    const counts = countsOf(this);
    checkPercentile(percentile);
    return counts.percentile(percentile);
  }
  percentileBigInt(percentile: number): bigint {
    return BigInt(this.percentile(percentile));
  }
  get percentiles(): Map<number, number> {
    return new Map(countsOf(this).percentiles());
  }
  get percentilesBigInt(): Map<number, bigint> {
    return new Map(
      countsOf(this)
        .percentiles()
        .map(([percentile, value]) => [percentile, BigInt(value)]),
    );
  }

  reset(): void {
    countsOf(this).reset();
  }

  [kClone](): Packed {
    const data = { ...countsOf(this), recordable: this instanceof RecordableHistogram };
    return { module: "internal/perf/histogram", name: "receiveHistogram", data };
  }

  toJSON() {
    const { count, min, max, mean, exceeds, stddev } = this;
    return { count, min, max, mean, exceeds, stddev, percentiles: Object.fromEntries(this.percentiles) };
  }
}

/** A histogram to record into. */
class RecordableHistogram extends Histogram {
  #last: number | undefined = undefined;

  /** `value`: an integer or BigInt between 1 and 2 ** 53 - 1. */
  record(value: number | bigint): void {
    const counts = countsOf(this);
    if (typeof value === "bigint") {
      if (value < 1n || value > BigInt(Number.MAX_SAFE_INTEGER))
        throw new codes.ERR_OUT_OF_RANGE("val", ">= 1 && <= 9007199254740991", value);
      value = Number(value);
    } else {
      validateInteger(value, "val", 1);
    }
    counts.record(value);
  }

  /** Records the nanoseconds since the last call; the first call only starts. */
  recordDelta(): void {
    const counts = countsOf(this);
    const now = nowNs();
    const last = this.#last;
    this.#last = now;
    if (last !== undefined) counts.record(Math.max(1, now - last));
  }

  /** Adds the values of another recordable histogram. */
  add(other: unknown): void {
    const counts = countsOf(this);
    if (!is(other) || !(other instanceof RecordableHistogram))
      throw new codes.ERR_INVALID_ARG_TYPE("other", "RecordableHistogram", other);
    counts.add(countsOf(other));
  }
}

/** A copy of a histogram from another thread; it does not go on with the original. */
export function receiveHistogram({ recordable, ...fields }: { recordable: boolean }): Histogram {
  const counts = Object.assign(Object.create(Counts.prototype), fields);
  return recordable ? new RecordableHistogram(kCreate, counts) : new Histogram(kCreate, counts);
}

export function isHistogram(value: unknown): boolean {
  return is(value);
}

/** createHistogram({ lowest = 1, highest = MAX_SAFE_INTEGER, figures = 3 }) */
export function createHistogram(options: unknown = {}): RecordableHistogram {
  validateObject(options, "options");
  const { lowest = 1, highest = Number.MAX_SAFE_INTEGER, figures = 3 } = options;
  const limit = (value: unknown, name: string, least: number): number => {
    if (typeof value === "bigint") {
      if (value < BigInt(least)) throw new codes.ERR_OUT_OF_RANGE(name, `>= ${least}`, value);
      return Number(value);
    }
    validateInteger(value, name, least);
    return value;
  };
  const low = limit(lowest, "options.lowest", 1);
  const high = limit(highest, "options.highest", 2 * low);
  validateInteger(figures, "options.figures", 1, 5);
  return new RecordableHistogram(kCreate, new Counts(low, high, figures));
}

/** See monitorEventLoopDelay(). */
class ELDHistogram extends Histogram {
  #resolution: number;
  #timer: Timeout | undefined = undefined;
  #last = 0;

  constructor(key?: unknown, counts?: Counts, resolution = 10) {
    super(key, counts);
    this.#resolution = resolution;
  }

  /** Starts to measure; false when it runs already. */
  enable(): boolean {
    if (this.#timer !== undefined) return false;
    const { Timeout, startTimer } = require("internal/core/timers");
    const counts = countsOf(this);
    this.#last = nowNs();
    this.#timer = new Timeout(
      () => {
        const now = nowNs();
        counts.record(Math.max(1, now - this.#last));
        this.#last = now;
      },
      this.#resolution,
      undefined,
      true,
      false,
    );
    startTimer(this.#timer);
    return true;
  }

  disable(): boolean {
    if (this.#timer === undefined) return false;
    require("internal/core/timers").clearTimer(this.#timer);
    this.#timer = undefined;
    return true;
  }

  [Symbol.dispose](): void {
    this.disable();
  }
}

/** monitorEventLoopDelay({ resolution = 10 }): a histogram of the time between timer ticks, in ns; enable() starts it. */
export function monitorEventLoopDelay(options: unknown = {}): ELDHistogram {
  validateObject(options, "options");
  const { resolution = 10 } = options;
  validateInteger(resolution, "options.resolution", 1);
  return new ELDHistogram(kCreate, new Counts(1, 3.6e12, 3), resolution);
}
