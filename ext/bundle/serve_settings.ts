// `[serve.static]` of bunfig.toml: how pages of Bun.serve are built (https://bun.com/docs/bundler/fullstack#plugins).
import fs from "node:fs";
import path from "node:path";
import { Plugins } from "internal/bundle/plugins";
import { notImplemented } from "bun/util";
import type { BundlerPlugin } from "internal/bundle/options";

const { join } = path;

interface ServeSettings {
  plugins: string[];
  env: unknown;
  define: { [name: string]: string };
  minify: unknown;
  publicPath: string;
}

let settings: ServeSettings | undefined;

function fail(text: string): never {
  throw new TypeError(`bunfig.toml: ${text}`);
}

/** The settings of the working directory; read once. */
export function settingsOf(): ServeSettings {
  if (settings !== undefined) return settings;
  const made: ServeSettings = { plugins: [], env: undefined, define: {}, minify: undefined, publicPath: "/" };
  const file = join(process.cwd(), "bunfig.toml");
  if (fs.existsSync(file)) {
    const { serve } = Bun.TOML.parse(fs.readFileSync(file, "utf8")) as {
      serve?: { static?: { [key: string]: unknown } };
    };
    for (const { 0: key, 1: value } of Object.entries(serve?.static ?? {})) {
      switch (key) {
        case "plugins":
          if (!Array.isArray(value) || value.some((name) => typeof name !== "string"))
            fail("serve.static.plugins must be a list of specifiers");
          made.plugins = value as string[];
          break;
        case "env":
          made.env = value;
          break;
        case "define":
          made.define = value as { [name: string]: string };
          break;
        case "minify":
          made.minify = value;
          break;
        case "publicPath":
          made.publicPath = String(value);
          break;
        case "hmr":
          if (value !== true)
            fail("serve.static.hmr is not implemented: use `development: { hmr: false }` of Bun.serve");
          break;
        default:
          fail(`serve.static.${key} is not implemented in bao`);
      }
    }
  }
  return (settings = made);
}

let loading: Promise<Plugins> | undefined;

/** The plugins, set up; the same ones for all pages. */
export function pluginsOf(): Promise<Plugins> {
  return (loading ??= load());
}

async function load(): Promise<Plugins> {
  const plugins = new Plugins((question) => {
    // The development server asks without a number: its modules come one by one, and there is no end to wait for.
    if (question === 0) throw notImplemented("defer() in plugins of the development server");
    native("bundle").defer(question);
  });
  const list: BundlerPlugin[] = [];
  for (const name of settingsOf().plugins) {
    const { default: plugin } = (await import(Bun.resolveSync(name, process.cwd()))) as { default: unknown };
    if (typeof plugin !== "object" || plugin === null) fail(`the plugin "${name}" must export an object by default`);
    list.push(plugin as BundlerPlugin);
  }
  await plugins.setUp(list, { target: "browser" }, "[name]-[hash].[ext]");
  await plugins.start();
  return plugins;
}
