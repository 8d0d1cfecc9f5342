/**
 * What the command line opens before the program runs, as in Bun: `--fetch-preconnect`, `--redis-preconnect`, `--sql-preconnect`. A server
 * that is not there is no error: the program tries again when it needs one.
 */

const { cliOption } = native("process");

/** Begins to connect to what the options name. A URL that is none of HTTP ends the process, as in Bun. */
export function start(): void {
  const urls = cliOption("--fetch-preconnect");
  const { preconnect } = fetch as typeof fetch & { preconnect(url: string): void };
  for (const url of Array.isArray(urls) ? urls : typeof urls === "string" ? [urls] : []) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      console.error(`error: preconnect URL must be HTTP or HTTPS: ${JSON.stringify(url)}`);
      process.exit(1);
    }
    preconnect(url);
  }
  if (cliOption("--redis-preconnect") === true) {
    const { preconnect: open } = require("internal/redis/client");
    open(require("bun/redis").redis);
  }
  if (cliOption("--sql-preconnect") === true) {
    const ignore = () => {};
    const sql = require("bun/sql").sql as unknown as { connect(): Promise<unknown> };
    sql.connect().then(ignore, ignore);
  }
}
