// `[serve.static]` of bunfig.toml: how pages of Bun.serve are built (https://bun.com/docs/bundler/fullstack#plugins).
import fs from "node:fs";
import { Plugins } from "internal/bundle/plugins";
import { notImplemented } from "bun/util";
import type { BundlerPlugin } from "internal/bundle/options";

interface ServeSettings {
  plugins: string[];
  define: { [name: string]: string };
  env: string | null;
  minify: { [part: string]: boolean } | null;
  publicPath: string | null;
}

let settings: ServeSettings | undefined;

/** The text of the file that `--config` names, or else of the working directory's; empty if there is none. */
function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeError).code === "ENOENT") return "";
    throw error;
  }
}

/** The settings; read once. Throws a TypeError about a mistake in the file. */
export function settingsOf(): ServeSettings {
  if (settings !== undefined) return settings;
  const file = String(native("process").cliOption("--config") ?? "bunfig.toml");
  return (settings = JSON.parse(native("bundle").serveSettings(textOf(file), file)) as ServeSettings);
}

let loading: Promise<Plugins> | undefined;

/** The plugins, set up; the same ones for all pages. `more`: those of a server's app, which come before. */
export function pluginsOf(more: readonly BundlerPlugin[] = []): Promise<Plugins> {
  return more.length === 0 ? (loading ??= load([])) : load(more);
}

async function load(more: readonly BundlerPlugin[]): Promise<Plugins> {
  const plugins = new Plugins((question) => {
    // The development server asks without a number: its modules come one by one, and there is no end to wait for.
    if (question === 0) throw notImplemented("defer() in plugins of the development server");
    native("bundle").defer(question);
  });
  const list: BundlerPlugin[] = [...more];
  for (const name of settingsOf().plugins) {
    const { default: plugin } = (await import(Bun.resolveSync(name, process.cwd()))) as { default: unknown };
    if (typeof plugin !== "object" || plugin === null)
      throw new TypeError(`bunfig.toml: the plugin "${name}" must export an object by default`);
    list.push(plugin as BundlerPlugin);
  }
  await plugins.setUp(list, { target: "browser" }, "[name]-[hash].[ext]");
  await plugins.start();
  return plugins;
}
