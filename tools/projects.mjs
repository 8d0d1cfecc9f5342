// Whole projects, made, installed, built and run by bao as docs/projects.md says: `bao tools/projects.mjs [NAME ...]`.
//
//   --exe PATH   the executable; this one without it
//   --dir DIR    where the projects are made (a temporary folder); what is there by a project's name is removed
//   --keep       leaves them there
//   --list       only prints the names
//
// Needs the npm registry. Each step has to end with 0 and to print what it says, a server has to answer. Prints a line for each project, and the
// end of the output of what failed; the exit code is 1 if one did. A project's steps are bounded by TIMEOUT; servers end with their project.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

/** Milliseconds that a step may take, and that a server may take until it answers. */
const TIMEOUT = 300_000;
/** Lines of what failed that are shown. */
const SHOWN_LINES = 15;

/**
 * A project. `files`: by their names, an object is JSON. `steps`: commands of the shell, in which `bao` is the executable and `node` is
 * too where `bao --bun` runs it; `[command, pattern]` says what it has to print. `serve`: a command that serves on `$PORT`, with a path and
 * what the answer has to match. `isForPeople`: without the variable CI, with which tests write no snapshots.
 */
const vite = (template, page) => ({
  create: `bao create vite app --template ${template} --no-interactive`,
  folder: "app",
  steps: ["bao install", ["bao --bun run build", /built in/]],
  serve: [["bao --bun run preview --port $PORT --strictPort --host 127.0.0.1", "/", page]],
});

const jsTest = `const { add } = require("./add.js");
test("adds", () => expect(add(1, 2)).toBe(3));
test("matches", () => expect({ a: [1] }).toMatchSnapshot());
test("waits", async () => expect(await Promise.resolve(4)).toBe(4));
`;

const projects = {
  pm2: {
    files: {
      "package.json": { private: true },
      "app.js": `require("node:http").createServer((_, res) => res.end("app " + process.env.NODE_APP_INSTANCE)).listen(process.env.PORT);`,
      "crash.js": `setTimeout(() => { throw new Error("again"); }, 100);`,
    },
    environment: { PM2_HOME: "$DIR/home" },
    steps: [
      "bao add pm2",
      ["bao --bun run pm2 start app.js --name one -i 2", /Done/],
      ["sleep 3; curl -s http://127.0.0.1:$PORT", /^app [01]$/m],
      ["bao --bun run pm2 reload one", /✓/],
      ["curl -s http://127.0.0.1:$PORT", /^app [01]$/m],
      ["bao --bun run pm2 start crash.js --name two && sleep 4 && bao --bun run pm2 jlist", /"restart_time":[1-9]/],
      ["bao --bun run pm2 logs --nostream --lines 20", /Error: again/],
    ],
    end: "bao --bun run pm2 kill",
  },
  "vite-react": vite("react-ts", /<div id="root">/),
  "vite-vue": vite("vue-ts", /<div id="app">/),
  "vite-svelte": vite("svelte-ts", /<div id="app">/),
  "vite-solid": vite("solid-ts", /<div id="root">/),
  "vite-preact": vite("preact-ts", /<div id="app">/),
  "vite-lit": vite("lit-ts", /<my-element>/),
  next: {
    create:
      "bao create next-app app --ts --eslint --app --no-tailwind --no-src-dir --import-alias '@/*' --turbopack --no-react-compiler --skip-install --yes",
    folder: "app",
    files: {
      // The fonts of the template come from another host.
      "app/layout.tsx": `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}`,
      "app/page.tsx": `export default function Page() { return <h1>made by a test</h1>; }`,
      "app/api/route.ts": `export const GET = () => Response.json({ answer: 42 });`,
    },
    environment: { NEXT_TELEMETRY_DISABLED: "1" },
    steps: [
      "bao install",
      ["bao --bun run build", /Compiled successfully|Generating static pages/],
      "bao --bun run lint",
    ],
    serve: [
      ["bao --bun run start -p $PORT", "/", /made by a test/],
      ["bao --bun run dev -p $PORT", "/api", /"answer":42/],
    ],
  },
  qwik: {
    create: "bao create qwik empty app",
    folder: "app",
    steps: ["bao install", ["bao --bun run build.client", /built in/], ["bao --bun run build.types", /^/]],
    serve: [["bao --bun x vite --mode ssr --port $PORT --host 127.0.0.1", "/", /q:container/]],
  },
  nest: {
    create: "bao x @nestjs/cli new app --skip-git --skip-install --package-manager npm",
    folder: "app",
    steps: ["bao install", "bao --bun run build", ["bao --bun run test", /passed|pass/i]],
    serve: [["bao --bun run start:prod", "/", /Hello World/]],
  },
  sveltekit: {
    create: "bao x sv create app --template minimal --types ts --no-add-ons --no-install",
    folder: "app",
    steps: ["bao install", ["bao --bun run build", /built in/], "bao --bun run check"],
    serve: [["bao --bun run preview --port $PORT --host 127.0.0.1", "/", /Welcome to SvelteKit/]],
  },
  astro: {
    files: {
      "package.json": { private: true, type: "module", scripts: { build: "astro build", preview: "astro preview" } },
      "src/pages/index.astro": `---\nconst list = [1, 2, 3];\n---\n<html><body>{list.map((n) => <b>{n}</b>)}</body></html>\n`,
    },
    environment: { ASTRO_TELEMETRY_DISABLED: "1" },
    steps: ["bao add astro", ["bao --bun run build", /Complete/]],
    serve: [["bao --bun run preview --port $PORT --host 127.0.0.1", "/", /<b>3<\/b>/]],
  },
  express: {
    files: {
      "package.json": { private: true },
      "app.cjs": `const app = require("express")();
app.use(require("express").json());
app.post("/sum", (req, res) => res.json({ sum: req.body.list.reduce((a, b) => a + b) }));
app.get("/fails", () => { throw Object.assign(new Error("teapot"), { status: 418 }); });
app.get("/", (req, res) => res.send("express"));
app.listen(process.env.PORT);`,
    },
    steps: ["bao add express"],
    serve: [["bao app.cjs", "/", /express/]],
  },
  fastify: {
    files: {
      "package.json": { private: true },
      "app.mjs": `import Fastify from "fastify";
const app = Fastify({ logger: true });
app.get("/", { schema: { response: { 200: { type: "object", properties: { a: { type: "number" } } } } } }, async () => ({ a: "1", b: 2 }));
await app.listen({ port: process.env.PORT });`,
    },
    steps: ["bao add fastify"],
    serve: [["bao app.mjs", "/", /^\{"a":1\}$/]],
  },
  jest: {
    isForPeople: true,
    files: { "package.json": { private: true }, "add.js": "exports.add = (a, b) => a + b;", "add.test.js": jsTest },
    steps: ["bao add -d jest", ["bao --bun run jest --coverage 2>&1", /add.js +\| +100[\s\S]*Tests: +3 passed/]],
  },
  vitest: {
    isForPeople: true,
    files: {
      "package.json": { private: true, type: "commonjs" },
      "add.js": "exports.add = (a, b) => a + b;",
      "add.test.ts": `import { expect, test, vi } from "vitest";\n${jsTest.replace('const { add } = require("./add.js");', 'import { add } from "./add.js";')}
test("mocks", () => { const f = vi.fn(() => 1); f(); expect(f).toHaveBeenCalledOnce(); });`,
    },
    steps: [
      "bao add -d vitest",
      ["bao --bun run vitest run", /4 passed/],
      ["bao --bun run vitest run --pool=threads", /4 passed/],
    ],
  },
  mocha: {
    files: {
      "package.json": { private: true },
      "test/a.cjs": `const assert = require("node:assert"); describe("a", () => { it("is", () => assert.ok(1)); it("waits", async () => {}); });`,
    },
    steps: [
      "bao add -d mocha",
      ["bao --bun run mocha 'test/*.cjs'", /2 passing/],
      ["bao --bun run mocha --parallel 'test/*.cjs'", /2 passing/],
    ],
  },
  ava: {
    isForPeople: true,
    files: {
      "package.json": { private: true, type: "module" },
      "test.js": `import test from "ava"; test("is", (t) => t.is(1, 1)); test("snapshot", (t) => t.snapshot({ a: 1 }));`,
    },
    steps: ["bao add -d ava@6", ["bao --bun run ava", /2 tests passed/]],
  },
  webpack: {
    files: {
      "package.json": { private: true },
      "src/index.ts": `import { value } from "./other"; import "./style.css"; console.log("bundled", value as number);`,
      "src/other.ts": "export const value: number = 42;",
      "src/style.css": "body { color: red; }",
      "tsconfig.json": {
        compilerOptions: { target: "es2022", module: "esnext", moduleResolution: "bundler", strict: true },
      },
      "webpack.config.cjs": `module.exports = { mode: "production", entry: "./src/index.ts", target: "node", resolve: { extensions: [".ts", ".js"] },
  module: { rules: [{ test: /\\.ts$/, use: "ts-loader" }, { test: /\\.css$/, type: "asset/source" }] } };`,
    },
    steps: [
      "bao add -d webpack webpack-cli ts-loader typescript@5",
      ["bao --bun run webpack", /compiled successfully/],
      ["bao dist/main.js", /bundled 42/],
    ],
  },
  rollup: {
    files: {
      "package.json": { private: true, type: "module" },
      "index.ts": `export const answer: number = 42; console.log(answer);`,
      "tsconfig.json": { compilerOptions: { target: "es2022", module: "esnext", moduleResolution: "bundler" } },
      "rollup.config.mjs": `import ts from "@rollup/plugin-typescript"; export default { input: "index.ts", output: { file: "out.mjs", format: "es" }, plugins: [ts()] };`,
    },
    steps: [
      "bao add -d rollup @rollup/plugin-typescript typescript@5 tslib",
      ["bao --bun run rollup -c 2>&1", /created out.mjs/],
      ["bao out.mjs", /42/],
    ],
  },
  parcel: {
    files: {
      "package.json": { private: true },
      "index.html": `<script type="module" src="./app.ts"></script>`,
      "app.ts": `import "./app.css"; document.title = "parcel" as string;`,
      "app.css": "body { margin: 0; }",
    },
    steps: [
      "bao add -d parcel",
      ["bao --bun run parcel build index.html --no-cache", /Built in/],
      ["cat dist/*.js", /parcel/],
    ],
  },
  tsup: {
    files: {
      "package.json": { private: true, type: "module" },
      "index.ts": "export const f = (n: number): string => String(n);",
    },
    steps: [
      "bao add -d tsup typescript@5",
      ["bao --bun run tsup index.ts --dts --format esm,cjs", /Build success/],
      ["cat dist/index.d.ts", /f: \(n: number\) => string/],
    ],
  },
  eslint: {
    files: {
      "package.json": { private: true, type: "module" },
      "eslint.config.js": `import js from "@eslint/js"; import ts from "typescript-eslint"; export default ts.config(js.configs.recommended, ts.configs.recommended);`,
      "bad.ts": "var unused: any = 1;\n",
    },
    steps: [
      "bao add -d eslint @eslint/js typescript-eslint typescript@5 prettier @biomejs/biome",
      ["bao --bun run eslint bad.ts; true", /no-unused-vars[\s\S]*no-var|no-var[\s\S]*no-unused-vars/],
      ["bao --bun run prettier --check bad.ts", /All matched files/],
      ["bao --bun run biome check bad.ts 2>&1; true", /noExplicitAny|useConst|noVar/],
    ],
  },
  typescript: {
    files: {
      "package.json": { private: true },
      "tsconfig.json": { compilerOptions: { outDir: "out", strict: true, declaration: true } },
      "a.ts": `const n: string = 1;\n`,
    },
    steps: ["bao add -d typescript@5", ["bao --bun run tsc; test $? = 2 && echo refused", /TS2322[\s\S]*refused/]],
  },
  turbo: {
    files: {
      "package.json": { private: true, name: "root", packageManager: "npm@11.0.0", workspaces: ["packages/*"] },
      ".gitignore": "out\nnode_modules\n.turbo\n",
      "turbo.json": { tasks: { build: { outputs: ["out/**"], dependsOn: ["^build"] } } },
      "packages/a/package.json": {
        name: "a",
        version: "1.0.0",
        scripts: { build: "mkdir -p out && echo built-a > out/x" },
      },
      "packages/b/package.json": {
        name: "b",
        version: "1.0.0",
        dependencies: { a: "*" },
        scripts: { build: "cat ../a/out/x" },
      },
    },
    environment: { TURBO_TELEMETRY_DISABLED: "1" },
    steps: [
      "bao add -d turbo",
      ["bao --bun run turbo run build", /built-a[\s\S]*2 successful/],
      ["bao --bun run turbo run build", /2 cached/],
    ],
  },
  drizzle: {
    files: {
      "package.json": { private: true, type: "module" },
      "schema.ts": `import { int, sqliteTable, text } from "drizzle-orm/sqlite-core";
export const users = sqliteTable("users", { id: int().primaryKey({ autoIncrement: true }), name: text().notNull() });`,
      "drizzle.config.ts": `export default { dialect: "sqlite", schema: "./schema.ts", out: "./drizzle", dbCredentials: { url: "file.db" } };`,
      "app.ts": `import { drizzle } from "drizzle-orm/bun-sqlite";
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { users } from "./schema";
const db = drizzle("file.db");
migrate(db, { migrationsFolder: "./drizzle" });
await db.insert(users).values([{ name: "a" }, { name: "b" }]);
console.log(await db.select().from(users));`,
    },
    steps: [
      "bao add drizzle-orm drizzle-kit",
      ["bao --bun run drizzle-kit generate", /Your SQL migration/],
      ["bao app.ts", /name: ['"]b['"]/],
    ],
  },
  sentry: {
    files: {
      "package.json": { private: true, type: "module" },
      "app.mjs": `import { createServer } from "node:http";
import { once } from "node:events";
const got = [];
const server = createServer(async (req, res) => {
  const text = Buffer.concat(await req.toArray()).toString();
  got.push(...text.split("\\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)));
  res.end("{}");
});
await once(server.listen(0), "listening");
const Sentry = await import("@sentry/node");
Sentry.init({ dsn: \`http://key@127.0.0.1:\${server.address().port}/1\`, tracesSampleRate: 1 });
await Sentry.startSpan({ name: "span" }, async () => Sentry.captureException(new Error("told")));
await Sentry.flush(5000);
const event = got.find((item) => item.exception);
console.log(event.exception.values[0].value, event.exception.values[0].stacktrace.frames.some((f) => f.filename.includes("app.mjs")));
await Sentry.close();
server.close();
server.closeAllConnections();`,
    },
    steps: ["bao add @sentry/node", ["bao app.mjs", /told true/]],
  },
};

/** A port that nobody has. */
function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const started = new Set();
/** Starts a command of the shell in a group of its own, so that all that it starts can be ended. */
function start(command, cwd, env) {
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  child.output = "";
  const more = (chunk) => (child.output += chunk);
  child.stdout.setEncoding("utf8").on("data", more);
  child.stderr.setEncoding("utf8").on("data", more);
  child.over = new Promise((done) => child.on("close", (code) => (started.delete(child), done(code))));
  return child;
}

function stop(child, signal = "SIGKILL") {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}

async function run(command, cwd, env) {
  const child = start(command, cwd, env);
  const timer = setTimeout(() => stop(child), TIMEOUT);
  const code = await child.over;
  clearTimeout(timer);
  return { code, output: child.output };
}

class Failure extends Error {
  constructor(command, output) {
    super(command);
    // Colours and cursors.
    this.output = output.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
  }
}

async function step([command, pattern], cwd, env) {
  const { code, output } = await run(command, cwd, env);
  const plain = output.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
  if (code !== 0) throw new Failure(`${command} (ended with ${code})`, output);
  if (pattern !== undefined && !pattern.test(plain))
    throw new Failure(`${command} (does not print ${pattern})`, output);
}

async function serve([command, path, pattern], cwd, environment) {
  const port = await freePort();
  const env = { ...environment, PORT: String(port) };
  const child = start(command, cwd, env);
  let last = "no answer";
  try {
    for (const end = Date.now() + TIMEOUT; Date.now() < end && started.has(child);) {
      try {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(60_000) });
        last = await response.text();
        if (response.ok && pattern.test(last)) return;
      } catch (error) {
        last = String(error.cause ?? error);
      }
      await new Promise((go) => setTimeout(go, 300));
    }
    throw new Failure(`${command} (${path} does not give ${pattern})`, `${child.output}\n${last.slice(0, 2000)}`);
  } finally {
    stop(child);
    await child.over;
  }
}

async function make(name, project, root, exe) {
  const top = join(root, name);
  rmSync(top, { recursive: true, force: true });
  const bin = join(root, ".bin");
  mkdirSync(bin, { recursive: true });
  const link = join(bin, "bao");
  rmSync(link, { force: true });
  symlinkSync(exe, link);
  mkdirSync(top);
  const folder = join(top, project.folder ?? "");
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    CI: project.isForPeople ? "" : "1",
    NO_COLOR: "1",
    PORT: String(await freePort()),
  };
  for (const [key, value] of Object.entries(project.environment ?? {})) env[key] = value.replace("$DIR", top);
  try {
    if (project.create !== undefined) await step([project.create], top, env);
    for (const [file, content] of Object.entries(project.files ?? {})) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      if (file.endsWith(".sh")) chmodSync(path, 0o755);
    }
    for (const each of project.steps ?? []) await step(Array.isArray(each) ? each : [each], folder, env);
    for (const each of project.serve ?? []) await serve(each, folder, env);
  } finally {
    if (project.end !== undefined) await run(project.end, folder, env);
    for (const child of started) stop(child);
  }
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { exe: { type: "string" }, dir: { type: "string" }, keep: { type: "boolean" }, list: { type: "boolean" } },
});
const names = positionals.length > 0 ? positionals : Object.keys(projects);
const unknown = names.filter((name) => !Object.hasOwn(projects, name));
if (unknown.length > 0) {
  console.error(`error: no project ${unknown.join(", ")}; there are ${Object.keys(projects).join(", ")}`);
  process.exit(1);
}
if (options.list) {
  console.log(names.join("\n"));
  process.exit();
}
const root = options.dir === undefined ? mkdtempSync(join(tmpdir(), "bao-projects-")) : resolve(options.dir);
mkdirSync(root, { recursive: true });
const exe = resolve(options.exe ?? process.execPath);
let failed = 0;
for (const name of names) {
  const began = Date.now();
  try {
    await make(name, projects[name], root, exe);
    console.log(`${name}: works (${Math.round((Date.now() - began) / 1000)} s)`);
    if (!options.keep) rmSync(join(root, name), { recursive: true, force: true });
  } catch (error) {
    failed++;
    console.log(`${name}: ${error.message}`);
    if (error instanceof Failure)
      console.log(
        error.output
          .trimEnd()
          .split("\n")
          .slice(-SHOWN_LINES)
          .map((line) => `  ${line}`)
          .join("\n"),
      );
    else console.log(error);
  }
}
if (!options.keep && options.dir === undefined) rmSync(root, { recursive: true, force: true });
console.log(`together: ${names.length - failed} of ${names.length}`);
process.exitCode = failed > 0 ? 1 : 0;
