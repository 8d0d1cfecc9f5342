// Profiles and heap snapshots that the debugger takes, and the files that they are saved in.
import type { Fields } from "internal/inspector/client/connection";
import type { Program } from "internal/inspector/client/program";
import { inspect } from "internal/util/inspect";

/** A CPU profile in V8's format (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile). */
class CpuProfile {
  readonly #data: Fields;
  readonly #print: (text: string) => void;

  constructor(data: Fields, print: (text: string) => void) {
    this.#data = data;
    this.#print = print;
  }

  /** Writes the profile to a file, `node.cpuprofile` of the working directory by default. */
  save(file = "node.cpuprofile"): void {
    const path = require("node:path").resolve(file);
    require("node:fs").writeFileSync(path, JSON.stringify(this.#data));
    this.#print(`Saved profile to ${path}`);
  }

  [inspect.custom as unknown as "inspect"](): string {
    const { startTime, endTime } = this.#data as { startTime: number; endTime: number };
    return `[Profile ${endTime - startTime}μs]`;
  }
}

/** The profiles of a session. */
export class Profiles {
  readonly list: CpuProfile[] = [];
  readonly #program: Program;
  readonly #print: (text: string) => void;
  #snapshots: Promise<unknown> = Promise.resolve();

  constructor(program: Program, print: (text: string) => void) {
    this.#program = program;
    this.#print = print;
  }

  /** Keeps the profiles that the program itself takes by `console.profile`. */
  watch(): void {
    this.#program.connection.on("Profiler.consoleProfileFinished", ({ profile }: Fields) => {
      this.#keep(profile);
      this.#print(`Captured new CPU profile.\nAccess it with profiles[${this.list.length - 1}]`);
    });
  }

  #keep(profile: unknown): CpuProfile {
    const kept = new CpuProfile(profile as Fields, this.#print);
    this.list.push(kept);
    return kept;
  }

  async start(): Promise<void> {
    await this.#program.send("Profiler.start");
  }

  async end(): Promise<CpuProfile> {
    const { profile } = await this.#program.send("Profiler.stop");
    return this.#keep(profile);
  }

  /** Takes a snapshot of the heap and writes it to a file. One after the other, as the pieces of two would be mixed. */
  takeHeapSnapshot(file = "node.heapsnapshot"): Promise<void> {
    const taken = this.#snapshots.then(() => this.#takeHeapSnapshot(file));
    this.#snapshots = taken.catch(() => {});
    return taken;
  }

  async #takeHeapSnapshot(file: string): Promise<void> {
    const { connection } = this.#program;
    const path = require("node:path").resolve(file);
    const fs = require("node:fs");
    const descriptor = fs.openSync(path, "w");
    const write = ({ chunk }: Fields) => void fs.writeSync(descriptor, chunk as string);
    connection.on("HeapProfiler.addHeapSnapshotChunk", write);
    try {
      await connection.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
    } finally {
      connection.off("HeapProfiler.addHeapSnapshotChunk", write);
      fs.closeSync(descriptor);
    }
    this.#print(`Wrote snapshot: ${path}`);
  }
}
