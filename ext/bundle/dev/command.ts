// `bao ./index.html ...`: pages with the development server, each at the route of its file
// (https://bun.com/docs/bundler/html-static). NODE_ENV=production serves them built.
import fs from "node:fs";
import path from "node:path";
import { HTMLBundle } from "internal/bundle/html_bundle";

const { basename, dirname, relative, resolve } = path;

const HELP = `Usage: bao [pages] [options]

Serves HTML files with their scripts, style sheets and images, and puts changes into the pages that are open.

  --port N            the port (3000; the next free one if it is taken)
  --host, --hostname NAME
                      the name or address to listen on (localhost); NAME:PORT sets both
  --console           prints what pages write to their console
  --no-console        does not (default)

Examples:
  bao index.html
  bao ./index.html ./about.html --port=3000
  bao './**/*.html' --console
`;

/** How many ports are tried if nobody has asked for a certain one. */
const TRIES = 10;

interface CommandLine {
  files: string[];
  hostname: string;
  port: number | undefined;
  console: boolean;
}

class Usage extends Error {}

function portOf(text: string): number {
  const port = Number(text);
  if (text === "" || !Number.isInteger(port) || port < 0 || port > 65535)
    throw new Usage(`--port "${text}": expected a number up to 65535`);
  return port;
}

function filesOf(word: string, cwd: string): string[] {
  if (!/[*?[{]/.test(word) || fs.existsSync(resolve(cwd, word))) {
    const file = resolve(cwd, word);
    if (!fs.existsSync(file)) throw new Usage(`there is no file "${word}"`);
    return [file];
  }
  return [...new Bun.Glob(word).scanSync({ cwd, absolute: true })].filter((file) => !file.includes("/node_modules/"));
}

/** Reads the words of the command line. Throws a {@link Usage} about the first that is wrong. */
function parse(words: readonly string[], cwd: string): CommandLine {
  const given = native("process").cliOption("--port");
  const line: CommandLine = {
    files: [],
    hostname: "localhost",
    port: given === undefined || given === null ? undefined : portOf(String(given)),
    console: false,
  };
  const rest = [...words];
  while (rest.length !== 0) {
    const word = rest.shift()!;
    if (!word.startsWith("-")) {
      if (!word.endsWith(".html") && !word.endsWith(".htm")) throw new Usage(`"${word}" is no HTML file`);
      line.files.push(...filesOf(word, cwd));
      continue;
    }
    const at = word.indexOf("=");
    const name = at === -1 ? word : word.slice(0, at);
    const value = () => {
      const found = at === -1 ? rest.shift() : word.slice(at + 1);
      if (found === undefined) throw new Usage(`${name} needs a value`);
      return found;
    };
    if (name === "--port") line.port = portOf(value());
    else if (name === "--host" || name === "--hostname") {
      const found = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(value());
      line.hostname = found![1]!.replace(/^\[|\]$/g, "");
      if (found![2] !== undefined) line.port = portOf(found![2]);
    } else if (word === "--console") line.console = true;
    else if (word === "--no-console") line.console = false;
    else throw new Usage(`unknown option "${word}"`);
  }
  line.files = [...new Set(line.files)].sort();
  if (line.files.length === 0) throw new Usage(`No HTML files found matching ${JSON.stringify(words[0] ?? "")}`);
  return line;
}

/** The route of a file below the folder that all files share: `index.html` is `/`, `about/index.html` is `/about`. */
function routeOf(base: string, file: string): string {
  const place = relative(base, file);
  const folder = dirname(place);
  const name = basename(place, ".html");
  const parts = [folder === "." ? "" : folder, name === "index" ? "" : name].filter(Boolean);
  return `/${parts.join("/")}`;
}

/** The deepest folder that holds all files. */
function baseOf(files: readonly string[], cwd: string): string {
  const folders = files.length === 1 ? [cwd] : files.map((file) => dirname(file));
  return folders.reduce((base, folder) => {
    while (folder !== base && !folder.startsWith(base === "/" ? base : `${base}/`)) base = dirname(base);
    return base;
  });
}

type Server = ReturnType<typeof Bun.serve>;

function listen(line: CommandLine, routes: { [path: string]: HTMLBundle }): Server {
  const isProduction = process.env.NODE_ENV === "production";
  const options = {
    routes,
    hostname: line.hostname,
    development: isProduction ? false : { console: line.console },
    fetch: () => new Response("Not found", { status: 404 }),
  };
  const { env } = process;
  const asked = line.port ?? Number(env.BUN_PORT ?? env.PORT ?? env.NODE_PORT ?? 3000);
  // A port that somebody has asked for is taken or refused.
  for (let port = asked, tries = line.port === undefined ? TRIES : 1; ; port++) {
    try {
      return Bun.serve({ ...options, port });
    } catch (error) {
      if ((error as NodeError).code !== "EADDRINUSE" || --tries === 0) throw error;
    }
  }
}

const isTerminal = (fd: number) => require("node:tty").isatty(fd);

function banner(server: Server, routes: [route: string, file: string][], elapsed: string | undefined): string {
  const colors = isTerminal(1) && process.env["NO_COLOR"] === undefined;
  const paint = (code: string, text: string) => (colors ? `\x1b[${code}m${text}\x1b[0m` : text);
  const lines: string[] = [];
  const version = `${paint("1;34", "bao")} ${paint("1;34", `v${process.versions["bao"]}`)}`;
  lines.push(
    `${server.development && colors ? `${paint("34;7", " DEV ")} ` : ""}${version}` +
      `${elapsed === undefined ? "" : ` ${paint("2", `${server.development ? "dev server " : ""}ready in`)} ${paint("1", elapsed)} ms`}`,
    "",
  );
  const first = routes.find(([route]) => route === "/")?.[0] ?? (routes.length === 1 ? "/" : routes[0]![0]);
  const url = new URL(first, server.url).href;
  lines.push(colors ? `${paint("1;34", "➜")} ${paint("36", url)}` : `url: ${url}`);
  if (routes.length > 1) {
    lines.push("", "Routes:");
    routes.forEach(([route, file], at) => {
      const branch = at === routes.length - 1 ? "  └── " : "  ├── ";
      lines.push(`${branch}${paint("36", route)} ${paint("2", `→ ${relative(process.cwd(), file)}`)}`);
    });
  }
  return `${lines.join("\n")}\n`;
}

/** The keys: o, c, q and h, each with Enter. */
function listenToKeys(server: Server, show: () => void): void {
  for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.on(signal, () => process.exit());
  process.stdin.on("data", (data: Buffer) => {
    switch (data.toString().trim().toLowerCase()) {
      case "\x03":
      case "q":
        process.exit();
        break;
      case "c":
        console.clear();
        show();
        break;
      case "o": {
        const opener = process.platform === "darwin" ? "open" : "xdg-open";
        const child = require("node:child_process").spawn(opener, [String(server.url)], { stdio: "ignore" });
        child.on("error", (error: Error) => process.stderr.write(`error: ${error.message}\n`));
        break;
      }
      case "h":
        process.stdout.write(
          "\n  Shortcuts:\n\n  →   c + Enter   clear screen\n  →   o + Enter   open in browser\n  →   q + Enter   quit (or Ctrl+C)\n\n",
        );
    }
  });
}

/** The command. */
export function start(): void {
  const begun = performance.now();
  const words = process.argv.slice(1);
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(HELP);
    return;
  }
  try {
    const cwd = process.cwd();
    const line = parse(words, cwd);
    const base = baseOf(line.files, cwd);
    const routes = line.files
      .map((file): [string, string] => [routeOf(base, file), file])
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    // A single page answers for all paths: its script decides.
    const served = routes.map(([route, file]) => [routes.length === 1 ? "/*" : route, new HTMLBundle(file)] as const);
    const server = listen(line, Object.fromEntries(served));
    const elapsed = (performance.now() - begun).toFixed(2);
    process.stdout.write(banner(server, routes, elapsed));
    if (!isTerminal(0)) return;
    process.stdout.write("\nPress h + Enter to show shortcuts\n");
    listenToKeys(server, () => process.stdout.write(banner(server, routes, undefined)));
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof Usage) process.stderr.write("bao index.html --help shows the options\n");
    process.exitCode = 1;
  }
}
