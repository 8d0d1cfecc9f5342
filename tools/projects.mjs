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
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

/** Milliseconds that a step may take, and that a server may take until it answers. */
const TIMEOUT = 300_000;
/** Lines of what failed that are shown. */
const SHOWN_LINES = 15;

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

/** Two packages of a workspace; building the second needs what the first has built. */
const twoPackages = {
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
};

/** Starts a PostgreSQL of the project's own on `$PORT`, in a folder that its user may enter, and stops it. It refuses to run as root. */
const postgresScript = `#!/bin/sh
set -e
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
case $1 in
start)
  data=$(mktemp -d /tmp/bao-projects-pg-XXXXXX)
  echo "$data" >postgres.folder
  if [ "$(id -u)" = 0 ]; then chown postgres "$data"; fi
  cd "$data"
  as "$bin/initdb" -D "$data/data" -U postgres -A trust -N >/dev/null
  as "$bin/pg_ctl" -w -D "$data/data" -l "$data/log" -o "-p $PORT -k $data -c listen_addresses=127.0.0.1 -c fsync=off" start >/dev/null
  ;;
stop)
  data=$(cat postgres.folder)
  cd "$data"
  as "$bin/pg_ctl" -D "$data/data" -m immediate stop
  rm -r "$data"
  ;;
esac
`;

/** What of Discord a bot needs: how to reach its gateway, a session there, a guild with a channel, a message, and where the answer to it goes. */
const discordPeer = `import { createServer } from "node:http";
import { once } from "node:events";
import { WebSocketServer } from "ws";
const user = { id: "1", username: "made by a test", discriminator: "0", avatar: null, bot: true };
const author = { id: "2", username: "somebody", discriminator: "0", avatar: null };
const channel = { id: "11", type: 0, name: "general", guild_id: "10", position: 0, permission_overwrites: [] };
const message = (id, from, content) => ({
  id, channel_id: "11", guild_id: "10", author: from, content, timestamp: new Date().toISOString(), edited_timestamp: null, tts: false,
  mention_everyone: false, mentions: [], mention_roles: [], attachments: [], embeds: [], pinned: false, type: 0,
});
export const seen = { identify: undefined, beats: 0, posted: [] };
const server = createServer(async (req, res) => {
  const text = Buffer.concat(await req.toArray()).toString();
  res.setHeader("content-type", "application/json");
  if (req.url.endsWith("/gateway/bot"))
    return res.end(JSON.stringify({
      url: \`ws://127.0.0.1:\${server.address().port}\`, shards: 1,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 1000, max_concurrency: 1 },
    }));
  if (req.method === "POST" && req.url.endsWith("/channels/11/messages")) {
    seen.posted.push({ body: JSON.parse(text), token: req.headers.authorization });
    return res.end(JSON.stringify(message("101", user, JSON.parse(text).content)));
  }
  res.writeHead(404).end("{}");
});
new WebSocketServer({ server }).on("connection", (socket) => {
  let s = 0;
  const send = (op, d, t = null) => socket.send(JSON.stringify({ op, d, t, s: op === 0 ? ++s : null }));
  send(10, { heartbeat_interval: 200 });
  socket.on("message", (data) => {
    const { op, d } = JSON.parse(data);
    if (op === 1) {
      seen.beats++;
      send(11, null);
    }
    if (op !== 2) return;
    seen.identify = d;
    send(0, {
      v: 10, user, guilds: [{ id: "10", unavailable: true }], session_id: "s", application: { id: "1", flags: 0 },
      resume_gateway_url: \`ws://127.0.0.1:\${server.address().port}\`,
    }, "READY");
    send(0, {
      id: "10", name: "guild", owner_id: "2", roles: [{ id: "10", name: "@everyone", permissions: "8", position: 0, color: 0, colors: {} }],
      emojis: [], features: [], channels: [channel], members: [{ user, roles: [], joined_at: new Date().toISOString() }], threads: [],
      presences: [], voice_states: [], stage_instances: [], guild_scheduled_events: [], stickers: [], member_count: 2, preferred_locale: "en-US",
    }, "GUILD_CREATE");
    setTimeout(() => send(0, message("100", author, "ping"), "MESSAGE_CREATE"), 500);
  });
});
await once(server.listen(0, "127.0.0.1"), "listening");
export const api = \`http://127.0.0.1:\${server.address().port}/api\`;
export const close = () => (server.close(), server.closeAllConnections());
`;
const discordBot = `import { Client, Events, GatewayIntentBits } from "discord.js";
import { api, close, seen } from "./peer.mjs";
const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent], rest: { api },
});
client.once(Events.ClientReady, (me) => console.log("ready", me.user.username));
client.on(Events.MessageCreate, async (message) => {
  const answer = await message.channel.send("pong");
  console.log("answered", answer.content, "to", message.content);
  await client.destroy();
  console.log("ended", seen.beats > 0 && seen.identify.token === "token" && seen.posted[0].token === "Bot token");
  close();
});
await client.login("token");
`;

/**
 * A project. `files`: by their names, an object is JSON. `steps`: commands of the shell, in which `bao` is the executable and `node` is
 * too where `bao --bun` runs it; `[command, pattern]` says what it has to print. `serve`: a command that serves on `$PORT`, with a path and
 * what the answer has to match. `needs`: programs, or paths, without which it is not tried. `isForPeople`: without the variable CI, with which tests write no snapshots.
 */
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
      ...twoPackages,
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
  nuxt: {
    files: {
      "package.json": { private: true, type: "module", scripts: { dev: "nuxt dev", build: "nuxt build" } },
      "nuxt.config.ts": `export default defineNuxtConfig({ compatibilityDate: "2026-01-01", telemetry: false });`,
      "app/pages/index.vue": `<script setup lang="ts">
const { data } = await useFetch("/api/list");
const sum = computed(() => data.value!.list.reduce((a: number, b: number) => a + b));
</script>
<template><h1>sum {{ sum }}</h1></template>`,
      "app/app.vue": `<template><NuxtPage /></template>`,
      "server/api/list.ts": `export default defineEventHandler(() => ({ list: [1, 2, 39] }));`,
    },
    environment: { NUXT_TELEMETRY_DISABLED: "1", HOST: "127.0.0.1" },
    steps: ["bao add nuxt vue vue-router", ["bao --bun run build", /Build complete/]],
    serve: [
      ["bao .output/server/index.mjs", "/", /<h1>sum 42<\/h1>/],
      ["bao --bun run dev --port $PORT --host 127.0.0.1", "/", /<h1>sum 42<\/h1>/],
    ],
  },
  "react-router": {
    files: {
      "package.json": {
        private: true,
        type: "module",
        scripts: {
          build: "react-router build",
          dev: "react-router dev",
          start: "react-router-serve ./build/server/index.js",
          check: "react-router typegen && tsc",
        },
      },
      "tsconfig.json": {
        include: ["**/*", ".react-router/types/**/*"],
        compilerOptions: {
          lib: ["DOM", "DOM.Iterable", "ES2022"],
          types: ["node", "vite/client"],
          target: "ES2022",
          module: "ES2022",
          moduleResolution: "bundler",
          jsx: "react-jsx",
          rootDirs: [".", "./.react-router/types"],
          strict: true,
          noEmit: true,
          skipLibCheck: true,
        },
      },
      "vite.config.ts": `import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [reactRouter()] });`,
      "app/routes.ts": `import { type RouteConfig, index } from "@react-router/dev/routes";
export default [index("routes/home.tsx")] satisfies RouteConfig;`,
      "app/root.tsx": `import { Outlet, Scripts } from "react-router";
export default function Root() {
  return <html lang="en"><head><title>made by a test</title></head><body><Outlet /><Scripts /></body></html>;
}`,
      "app/routes/home.tsx": `import type { Route } from "./+types/home";
export async function loader({ request }: Route.LoaderArgs) {
  return { path: new URL(request.url).pathname, sum: [1, 2, 39].reduce((a, b) => a + b) };
}
export default function Home({ loaderData }: Route.ComponentProps) {
  return <h1>{\`sum \${loaderData.sum} of \${loaderData.path}\`}</h1>;
}`,
    },
    steps: [
      "bao add react react-dom react-router @react-router/node @react-router/serve isbot",
      "bao add -d @react-router/dev vite typescript@5 @types/react @types/react-dom @types/node",
      ["bao --bun run check", /^/],
      ["bao --bun run build", /built in/],
    ],
    serve: [
      ["bao --bun run start", "/", /<h1>sum 42 of \/<\/h1>/],
      ["bao --bun run dev --port $PORT --host 127.0.0.1", "/", /<h1>sum 42 of \/<\/h1>/],
    ],
  },
  "solid-start": {
    files: {
      "package.json": {
        private: true,
        type: "module",
        scripts: { build: "vinxi build", start: "vinxi start", dev: "vinxi dev" },
      },
      "tsconfig.json": {
        compilerOptions: {
          target: "ESNext",
          module: "ESNext",
          moduleResolution: "bundler",
          jsx: "preserve",
          jsxImportSource: "solid-js",
          strict: true,
          noEmit: true,
          paths: { "~/*": ["./src/*"] },
        },
      },
      "app.config.ts": `import { defineConfig } from "@solidjs/start/config";
export default defineConfig({});`,
      "src/entry-client.tsx": `// @refresh reload
import { mount, StartClient } from "@solidjs/start/client";
mount(() => <StartClient />, document.getElementById("app")!);`,
      "src/entry-server.tsx": `// @refresh reload
import { createHandler, StartServer } from "@solidjs/start/server";
export default createHandler(() => (
  <StartServer
    document={({ assets, children, scripts }) => (
      <html lang="en"><head>{assets}</head><body><div id="app">{children}</div>{scripts}</body></html>
    )}
  />
));`,
      "src/app.tsx": `import { Router } from "@solidjs/router";
import { FileRoutes } from "@solidjs/start/router";
import { Suspense } from "solid-js";
export default () => <Router root={(props) => <Suspense>{props.children}</Suspense>}><FileRoutes /></Router>;`,
      "src/routes/index.tsx": `import { createAsync, query } from "@solidjs/router";
const sum = query(async (list: number[]) => {
  "use server";
  return "sum " + list.reduce((a, b) => a + b);
}, "sum");
export default function Home() {
  const text = createAsync(() => sum([1, 2, 39]), { deferStream: true });
  return <h1>{text()}</h1>;
}`,
    },
    environment: { HOST: "127.0.0.1" },
    steps: ["bao add @solidjs/start@1 @solidjs/router@0.15 solid-js@1 vinxi@0.5", ["bao --bun run build", /built in|You can preview/]],
    serve: [
      ["bao --bun run start --port $PORT", "/", /<h1[^>]*>sum 42<\/h1>/],
      ["bao --bun run dev --port $PORT", "/", /<h1[^>]*>sum 42<\/h1>/],
    ],
  },
  angular: {
    create: "bao x --bun @angular/cli new app --skip-install --skip-git --defaults",
    folder: "app",
    environment: { NG_CLI_ANALYTICS: "false" },
    steps: [
      "bao install",
      ["bao --bun run build 2>&1", /bundle generation complete/],
      ["cat dist/app/browser/index.html", /<app-root>/],
      ["bao --bun run test --watch=false 2>&1", /2 passed/],
    ],
    serve: [["bao --bun run start --port $PORT --host 127.0.0.1", "/", /<app-root>/]],
  },
  storybook: {
    create: "bao create vite app --template react-ts --no-interactive",
    folder: "app",
    files: {
      ".storybook/main.ts": `import type { StorybookConfig } from "@storybook/react-vite";
export default { stories: ["../src/**/*.stories.tsx"], framework: "@storybook/react-vite" } satisfies StorybookConfig;`,
      "src/Button.tsx": `export const Button = ({ label }: { label: string }) => <button>{label}</button>;`,
      "src/Button.stories.tsx": `import type { Meta, StoryObj } from "@storybook/react-vite";
import { Button } from "./Button";
export default { component: Button } satisfies Meta<typeof Button>;
export const Named: StoryObj<typeof Button> = { args: { label: "made by a test" } };`,
    },
    environment: { STORYBOOK_DISABLE_TELEMETRY: "1" },
    steps: [
      "bao add -d storybook @storybook/react-vite",
      ["bao --bun run storybook build 2>&1", /build completed|Output directory/i],
      ["cat storybook-static/index.json", /"button--named"/],
    ],
    serve: [["bao --bun run storybook dev -p $PORT --host 127.0.0.1 --ci", "/index.json", /"button--named"/]],
  },
  nx: {
    files: {
      "package.json": { private: true, name: "root", workspaces: ["packages/*"] },
      "nx.json": {
        targetDefaults: { build: { dependsOn: ["^build"], cache: true, outputs: ["{projectRoot}/out"] } },
        analytics: false,
      },
      ".gitignore": "out\nnode_modules\n.nx\n",
      ...twoPackages,
    },
    environment: { NX_NO_CLOUD: "true" },
    steps: [
      "bao add -d nx",
      ["bao --bun run nx run-many -t build --output-style=static 2>&1", /built-a[\s\S]*Successfully ran target build for 2 projects/],
      [
        "rm -r packages/a/out; NX_DAEMON=true bao --bun run nx run-many -t build 2>&1; cat packages/a/out/x",
        /2 out of 2 tasks[\s\S]*built-a/,
      ],
      ["bao --bun run nx show projects 2>&1", /^(a\nb|b\na)$/m],
    ],
    end: "bao --bun run nx daemon --stop",
  },
  playwright: {
    needs: ["chromium"],
    files: {
      "package.json": { private: true, type: "module" },
      "playwright.config.ts": `import { defineConfig } from "@playwright/test";
export default defineConfig({
  testDir: "tests",
  workers: 2,
  use: {
    baseURL: \`http://127.0.0.1:\${process.env.PORT}\`,
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] },
  },
  webServer: { command: "bao server.ts", url: \`http://127.0.0.1:\${process.env.PORT}\` },
});`,
      "server.ts": `import { createServer } from "node:http";
createServer((_, res) => res.setHeader("Content-Type", "text/html").end(
  \`<button onclick="this.textContent = Number(this.textContent) + 1">41</button>\`,
)).listen(Number(process.env.PORT));`,
      "tests/page.spec.ts": `import { expect, test } from "@playwright/test";
test("clicks", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button").click();
  await expect(page.getByRole("button")).toHaveText("42");
});
test("answers itself", async ({ page, request }) => {
  expect(await (await request.get("/")).text()).toContain("41");
  await page.route("**/*", (route) => route.fulfill({ body: "<p>from the test</p>", contentType: "text/html" }));
  await page.goto("/");
  await expect(page.locator("p")).toHaveText("from the test");
  expect((await page.screenshot()).length).toBeGreaterThan(1000);
});`,
      "tests/other.spec.ts": `import { expect, test } from "@playwright/test";
test.fail("is told", () => expect(1).toBe(2));`,
    },
    steps: [
      "bao add -d @playwright/test",
      ["CHROMIUM=$(command -v chromium) bao --bun run playwright test --reporter=list 2>&1", /3 passed/],
    ],
  },
  prisma: {
    needs: ["/usr/lib/postgresql"],
    files: {
      "package.json": { private: true, type: "module" },
      "postgres.sh": postgresScript,
      "prisma.config.ts": `import { defineConfig } from "prisma/config";
export default defineConfig({ schema: "schema.prisma", datasource: { url: process.env.DATABASE_URL! } });`,
      "schema.prisma": `generator client {
  provider = "prisma-client"
  output   = "./client"
}
datasource db {
  provider = "postgresql"
}
model Person {
  id   Int    @id @default(autoincrement())
  name String @unique
  pets Pet[]
}
model Pet {
  id      Int    @id @default(autoincrement())
  kind    String
  ownerId Int
  owner   Person @relation(fields: [ownerId], references: [id])
}`,
      "app.ts": `import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "./client/client";
const connectionString = process.env.DATABASE_URL!;
const raw = new pg.Client({ connectionString });
await raw.connect();
await raw.query('create table "Person" (id serial primary key, name text not null unique)');
await raw.query('create table "Pet" (id serial primary key, kind text not null, "ownerId" int not null references "Person"(id))');
await raw.end();
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
await prisma.person.create({ data: { name: "a", pets: { create: [{ kind: "cat" }, { kind: "dog" }] } } });
const twice = await prisma.person.create({ data: { name: "a" } }).catch((error) => error.code);
const undone = await prisma.$transaction(async (tx) => {
  await tx.person.create({ data: { name: "b" } });
  throw new Error("undone");
}).catch((error) => error.message);
console.log(twice, undone, JSON.stringify(await prisma.person.findMany({ include: { pets: { orderBy: { kind: "desc" } } } })));
await prisma.$disconnect();`,
    },
    environment: {
      DATABASE_URL: "postgresql://postgres@127.0.0.1:$PORT/postgres",
      // The engine for schemas comes from another host, and generating wants none.
      PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
      PRISMA_ENGINES_CHECKSUM_IGNORE_MISSING: "1",
      CHECKPOINT_DISABLE: "1",
    },
    steps: [
      "bao add prisma @prisma/client @prisma/adapter-pg pg",
      ["bao --bun run prisma generate 2>&1", /Generated Prisma Client/],
      "./postgres.sh start",
      [
        "bao app.ts",
        /P2002 undone \[\{"id":1,"name":"a","pets":\[\{"id":2,"kind":"dog","ownerId":1\},\{"id":1,"kind":"cat","ownerId":1\}\]\}\]/,
      ],
    ],
    end: "./postgres.sh stop",
  },
  typeorm: {
    needs: ["/usr/lib/postgresql"],
    files: {
      "package.json": { private: true, type: "module" },
      "postgres.sh": postgresScript,
      "tsconfig.json": {
        compilerOptions: {
          target: "es2022",
          module: "esnext",
          moduleResolution: "bundler",
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
        },
      },
      "source.ts": `import "reflect-metadata";
import { Column, DataSource, Entity, ManyToOne, OneToMany, PrimaryGeneratedColumn, type Relation } from "typeorm";
@Entity()
export class Person {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ unique: true }) name!: string;
  @OneToMany(() => Pet, (pet) => pet.owner, { cascade: true }) pets!: Relation<Pet>[];
}
@Entity()
export class Pet {
  @PrimaryGeneratedColumn() id!: number;
  @Column() kind!: string;
  @ManyToOne(() => Person, (person) => person.pets) owner!: Relation<Person>;
}
export default new DataSource({
  type: "postgres", url: process.env.DATABASE_URL, entities: [Person, Pet], migrations: ["migrations/*.ts"],
});`,
      "app.ts": `import source, { Person, Pet } from "./source";
await source.initialize();
const people = source.getRepository(Person);
await people.save(people.create({ name: "a", pets: [{ kind: "cat" }, { kind: "dog" }] }));
const twice = await people.insert({ name: "a" }).catch((error) => error.driverError.code);
const undone = await source.transaction(async (manager) => {
  await manager.insert(Person, { name: "b" });
  throw new Error("undone");
}).catch((error) => error.message);
const found = await people.find({ relations: { pets: true }, order: { pets: { kind: "DESC" } } });
console.log(twice, undone, JSON.stringify(found));
console.log(await source.getRepository(Pet).createQueryBuilder("pet").innerJoin("pet.owner", "o").where("o.name = :name", { name: "a" }).getCount());
await source.destroy();`,
    },
    environment: { DATABASE_URL: "postgresql://postgres@127.0.0.1:$PORT/postgres" },
    steps: [
      "bao add typeorm reflect-metadata pg",
      "./postgres.sh start",
      ["bao --bun run typeorm migration:generate migrations/first -d source.ts --esm 2>&1", /generated successfully/],
      ["bao --bun run typeorm migration:run -d source.ts 2>&1", /executed successfully/],
      ["bao app.ts", /23505 undone \[\{"id":1,"name":"a","pets":\[\{"id":2,"kind":"dog"\},\{"id":1,"kind":"cat"\}\]\}\]\n2$/m],
    ],
    end: "./postgres.sh stop",
  },
  // No registry has MongoDB. FerretDB 1 is built from its Go module, whose build/version/version.txt has to be written (`v1.24.2`).
  mongoose: {
    needs: ["ferretdb"],
    files: {
      "package.json": { private: true, type: "module" },
      "app.ts": `import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import mongoose, { Schema } from "mongoose";
mkdirSync("data");
const server = spawn("ferretdb", [
  "--handler=sqlite", "--sqlite-url=file:data/", "--state-dir=data", \`--listen-addr=127.0.0.1:\${process.env.PORT}\`, "--debug-addr=-",
  "--telemetry=disable", "--log-level=error",
], { stdio: "inherit" });
await mongoose.connect(\`mongodb://127.0.0.1:\${process.env.PORT}/test\`, { serverSelectionTimeoutMS: 60_000 });
const Pet = mongoose.model("Pet", new Schema({ kind: { type: String, required: true }, owner: { type: Schema.Types.ObjectId, ref: "Person" } }));
const people = new Schema({ name: { type: String, unique: true }, born: Date, tags: [String], nested: { number: Number } });
people.virtual("upper").get(function () { return this.name!.toUpperCase(); });
people.pre("save", function () { this.tags.push("saved"); });
const Person = mongoose.model("Person", people);
await Person.init();
const a = await Person.create({ name: "a", born: new Date(0), nested: { number: 1.5 } });
await Pet.create([{ kind: "cat", owner: a }, { kind: "dog", owner: a }]);
console.log((await Pet.find().sort({ kind: -1 }).populate<{ owner: { upper: string } }>("owner")).map((pet) => pet.kind + pet.owner.upper).join());
console.log(await Pet.create({}).catch((error) => error.errors.kind.kind), await Person.create({ name: "a" }).catch((error) => error.code));
await Person.updateOne({ name: "a" }, { $inc: { "nested.number": 40.5 }, $push: { tags: "pushed" } });
const found = await Person.findOne({ "nested.number": { $gt: 41 } }).lean();
console.log(found!.nested!.number, found!.tags.join(), found!.born!.toISOString());
let count = 0;
for await (const pet of Pet.find().cursor({ batchSize: 1 })) if (pet instanceof Pet) count++;
console.log(count, await Pet.aggregate([{ $match: { kind: "cat" } }, { $count: "n" }]).then(([{ n }]) => n), (await Pet.deleteMany({})).deletedCount);
await mongoose.disconnect();
server.kill();`,
    },
    steps: [
      "bao add mongoose",
      ["bao app.ts", /dogA,catA\nrequired 11000\n42 saved,pushed 1970-01-01T00:00:00.000Z\n2 1 2$/m],
    ],
  },
  systemd: {
    needs: ["systemd-analyze", "systemd-socket-activate"],
    files: {
      "app.service": `[Unit]
Description=A server
Requires=app.socket
[Service]
ExecStart=/bin/sh -c "exec bao app.mjs"
Restart=on-failure
KillSignal=SIGTERM
[Install]
WantedBy=multi-user.target
`,
      "app.socket": `[Socket]
ListenStream=127.0.0.1:8080
[Install]
WantedBy=sockets.target
`,
      "app.mjs": `import { createServer } from "node:http";
const server = createServer((_, res) => res.end(\`from socket \${process.env.LISTEN_FDS} of \${process.env.LISTEN_PID === String(process.pid)}\`));
server.listen({ fd: 3 });
process.on("SIGTERM", () => server.close(() => process.exit(0)));`,
    },
    steps: [["systemd-analyze verify ./app.service ./app.socket 2>&1 && echo accepted", /accepted/]],
    serve: [['systemd-socket-activate --listen 127.0.0.1:$PORT "$(command -v bao)" app.mjs', "/", /^from socket 1 of true$/]],
  },
  discord: {
    files: {
      "package.json": { private: true, type: "module" },
      "peer.mjs": discordPeer,
      "app.mjs": discordBot,
    },
    steps: ["bao add discord.js ws", ["bao app.mjs", /^ready made by a test\nanswered pong to ping\nended true$/m]],
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
  for (const [key, value] of Object.entries(project.environment ?? {})) env[key] = value.replace("$DIR", top).replace("$PORT", env.PORT);
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
/** What of a project's needs this machine has not. */
function missing({ needs = [] }) {
  const folders = process.env.PATH.split(":");
  return needs.find((need) => !(need.startsWith("/") ? existsSync(need) : folders.some((dir) => existsSync(join(dir, need)))));
}

let failed = 0;
let untried = 0;
for (const name of names) {
  const lacking = missing(projects[name]);
  if (lacking !== undefined) {
    untried++;
    console.log(`${name}: not tried, ${lacking} is not here`);
    continue;
  }
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
const tried = names.length - untried;
console.log(`together: ${tried - failed} of ${tried}${untried > 0 ? `, ${untried} not tried` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
