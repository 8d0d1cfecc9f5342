// Pages of Bun.serve without the development server: each is built once, when somebody first asks for it, and kept in memory; or
// it has been built before (a manifest), and its files are on the disk.
import path from "node:path";
import fs from "node:fs";
import { check } from "internal/bundle/options";
import { run } from "internal/bundle/build";
import type { RawOutput } from "internal/bundle/build";
import type { Manifest } from "internal/bundle/html_bundle";
import { pluginsOf, settingsOf } from "internal/bundle/serve_settings";

const { dirname, join } = path;

/** What a file is answered with. */
interface StaticFile {
  body: Uint8Array;
  type: string;
  etag: string;
  /** Whether its name changes with its content. */
  isImmutable: boolean;
  /** Compressed, from the first client on that takes it; null if that makes it no smaller. */
  gzip: Uint8Array | null | undefined;
}

/** A page with the files beside it, by their paths in URLs. */
export interface StaticPage {
  page: StaticFile;
  files: Map<string, StaticFile>;
}

const types: { [extension: string]: string } = {
  js: "text/javascript;charset=utf-8",
  css: "text/css;charset=utf-8",
  html: "text/html;charset=utf-8",
  map: "application/json;charset=utf-8",
};

function typeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return types[extension] ?? (require("bun/mime").typeOf(name) || "application/octet-stream");
}

function fileOf(name: string, body: Uint8Array, isImmutable: boolean): StaticFile {
  const { hash } = require("bun/hash");
  const etag = `"${BigInt.asUintN(64, hash(body)).toString(16).padStart(16, "0")}"`;
  return { body, type: typeOf(name), etag, isImmutable, gzip: undefined };
}

/** A build has failed: the messages for the terminal. */
export class BuildFailure extends Error {
  readonly messages: RawOutput["messages"];
  constructor(messages: RawOutput["messages"]) {
    super(messages.find(({ level }) => level === "error")?.text ?? "the page cannot be built");
    this.messages = messages;
  }
}

/** Builds a page for browsers. `development` keeps names and white space, and adds source maps. */
export async function buildPage(index: string, development: boolean): Promise<StaticPage> {
  const { env, define, minify, publicPath } = settingsOf();
  const plugins = await pluginsOf();
  const config = check({
    entrypoints: [index],
    target: "browser",
    publicPath: publicPath ?? "/",
    naming: { chunk: "chunk-[hash].[ext]", entry: "[name].[ext]", asset: "[name]-[hash].[ext]" },
    minify: minify ?? !development,
    sourcemap: development ? "linked" : "none",
    splitting: true,
    env,
    define: { "process.env.NODE_ENV": JSON.stringify(development ? "development" : "production"), ...define },
    production: !development,
  });
  const raw = await run(config, plugins);
  if (raw.messages.some(({ level }) => level === "error")) throw new BuildFailure(raw.messages);
  const files = new Map<string, StaticFile>();
  let page: StaticFile | undefined;
  for (const [name, kind, , , bytes] of raw.artifacts) {
    if (kind === "entry-point" && name.endsWith(".html")) page = fileOf(name, bytes, false);
    else files.set(`/${name}`, fileOf(name, bytes, true));
  }
  if (page === undefined) throw new Error(`the build of "${index}" has no page`);
  return { page, files };
}

/** The files of a page that has been built before; the paths start at the program's folder, or else at the working directory. */
export function readPage({ index, files }: Manifest): StaticPage {
  const folders = [dirname(Bun.main), process.cwd()];
  const made = new Map<string, StaticFile>();
  let page: StaticFile | undefined;
  for (const { path, headers } of files) {
    const place = folders.map((folder) => join(folder, path)).find((place) => fs.existsSync(place));
    if (place === undefined) {
      throw new Error(`Bun.serve: the file "${path}" of the page "${index}" is not there; build the program again`);
    }
    const file = fileOf(path, fs.readFileSync(place), path !== index);
    if (headers?.["content-type"] !== undefined) file.type = headers["content-type"];
    if (headers?.["etag"] !== undefined) file.etag = `"${headers["etag"]}"`;
    if (path === index) page = file;
    else made.set(`/${path.replace(/^\.\//, "")}`, file);
  }
  if (page === undefined) throw new Error(`Bun.serve: the page "${index}" is not among its files`);
  return { page, files: made };
}

/** Files below this size are sent as they are, in bytes. */
const MIN_COMPRESSED = 1024;

/** The file for a client that takes gzip (RFC 9110, 12.5.3); undefined if it does not, or if that is not worth it. */
function compressed(file: StaticFile, request: Request): Uint8Array | undefined {
  if (file.body.length < MIN_COMPRESSED || !/^text\/|javascript|json|xml|wasm/.test(file.type)) return undefined;
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers.get("accept-encoding") ?? "")) return undefined;
  if (file.gzip === undefined) {
    const made = Bun.gzipSync(file.body as Uint8Array<ArrayBuffer>);
    file.gzip = made.length < file.body.length ? made : null;
  }
  return file.gzip ?? undefined;
}

/** The answer of a file; `development` lets nobody keep it, and sends it as it is. */
export function responseOf(file: StaticFile, request: Request, development: boolean): Response {
  const { type, isImmutable } = file;
  let { body, etag } = file;
  const headers: { [name: string]: string } = { "content-type": type, etag };
  if (!development) {
    headers["cache-control"] = isImmutable ? "public, max-age=31536000, immutable" : "no-cache";
    const smaller = compressed(file, request);
    if (smaller !== undefined) {
      body = smaller;
      // Another form of the file has another tag.
      headers["etag"] = etag = etag.replace(/"$/, '-gzip"');
      headers["content-encoding"] = "gzip";
    }
    headers["vary"] = "accept-encoding";
  }
  const wanted = request.headers.get("if-none-match");
  if (wanted !== null && require("internal/serve/file_routes").matchesTag(wanted, etag))
    return new Response(null, { status: 304, headers });
  return new Response(body as Uint8Array<ArrayBuffer>, { headers });
}
