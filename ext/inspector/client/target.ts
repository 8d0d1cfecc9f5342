// The program that a debugger looks at: started by it, or found by its address.
import { type Address, Connection } from "internal/inspector/client/connection";

/** What a debugger is told to look at. */
export interface Target {
  address: Address;
  /** File and arguments of a program to start; undefined if it runs already. */
  program: string[] | undefined;
}

/** A stream of a process. */
interface Output {
  setEncoding(name: string): void;
  on(type: "data", listener: (chunk: string) => void): void;
  on(type: "end", listener: () => void): void;
}

/** The process that was started. */
interface Child {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  kill(signal?: string): boolean;
  once(type: "exit" | "close", listener: (code: number | null, signal: string | null) => void): unknown;
}

/** Milliseconds for which a port may still be in use, by the program that has just ended for instance. */
const PORT_TIME = 2000;
/** Milliseconds between two attempts. */
const RETRY_AFTER = 200;
/** Attempts to connect to a program that does not listen yet: `-p` has only just asked it to. */
const MOST_ATTEMPTS = 10;
/** Milliseconds after which a line of the program's that has not ended is shown. */
const LINE_TIME = 50;
/** Milliseconds that the last of an ended program's output has to come, which its own children may hold open. */
const LAST_WORDS_TIME = 500;
/** Milliseconds that a program has to end by SIGTERM. */
const END_TIME = 2000;

const LISTENING = /Debugger listening on ws:\/\/(?:\[(.+?)\]|(.+?)):(\d+)\//;

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Whether one can listen at an address. */
function isFree({ host, port }: Address): Promise<boolean> {
  const server = require("node:net").createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
}

/** Gives whole lines of an output, or what there is of one after a while and at the end. */
function readLines(output: Output, give: (text: string) => void): void {
  let rest = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveRest = () => {
    clearTimeout(timer);
    if (rest !== "") give(rest);
    rest = "";
  };
  output.setEncoding("utf8");
  output.on("data", (chunk) => {
    clearTimeout(timer);
    const text = rest + chunk;
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    if (end > 0) give(text.slice(0, end));
    if (rest !== "") timer = setTimeout(giveRest, LINE_TIME);
  });
  output.on("end", giveRest);
}

/** A program that was started for the debugger. */
export class Process {
  readonly #child: Child;
  readonly #ended: Promise<void>;

  private constructor(child: Child) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
  }

  /**
   * Starts a program that waits for a debugger; gives it with the address that it listens at. `print` gets what it writes.
   *
   * # Errors
   * If the address is not free within two seconds, or if the program ends before it listens.
   */
  static async start(
    { host, port }: Address,
    program: string[],
    print: (text: string) => void,
  ): Promise<[Process, Address]> {
    if (port !== 0) {
      const until = Date.now() + PORT_TIME;
      while (!(await isFree({ host, port }))) {
        if (Date.now() > until) throw new Error(`Timeout (${PORT_TIME}) waiting for ${host}:${port} to be free`);
        await delay(RETRY_AFTER);
      }
    }
    // The options of the command are those of the program, but for the debugger's own.
    const options = process.execArgv.filter((option) => !option.startsWith("--inspect"));
    const args = [...options, `--inspect-brk=${host}:${port}`, ...program];
    const child = require("node:child_process").spawn(process.execPath, args, {
      stdio: "pipe",
      windowsHide: true,
    }) as unknown as Child;
    const started = new Process(child);
    const address = await new Promise<Address>((resolve, reject) => {
      const read = (text: string) => {
        print(text);
        const found = LISTENING.exec(text);
        if (found !== null) resolve({ host: found[1] ?? found[2]!, port: Number(found[3]) });
      };
      const fail = (code: number | null, signal: string | null) => {
        reject(new Error(`The program has ended (${signal ?? code}) before it could be debugged`));
      };
      // After what it has written of the reason.
      child.once("close", fail);
      child.once("exit", (code, signal) => void setTimeout(fail, LAST_WORDS_TIME, code, signal));
      for (const stream of [child.stdout, child.stderr]) readLines(stream, read);
    });
    return [started, address];
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends the process, and waits until it has ended. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), END_TIME);
    await this.#ended;
    clearTimeout(force);
  }
}

/** Connects to a program, which may be about to listen. */
export async function connect(address: Address): Promise<Connection> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await Connection.open(address);
    } catch (error) {
      if ((error as NodeError).code !== "ECONNREFUSED" || attempt === MOST_ATTEMPTS) throw error;
      await delay(RETRY_AFTER);
    }
  }
}
