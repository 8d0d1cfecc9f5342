// Fuzzes what reads foreign bytes and can be called from a program: formats of values, forms, documents, archives, certificates, servers on loopback.
//
//     bao tools/fuzz_parsers.mjs [--seconds 60] [--parser NAME ...] [--jobs 1] [--keep FOLDER] [--stress N] [--batch 20] [--patience 60]
//     bao tools/fuzz_parsers.mjs --replay NAME FILE                        an input that was kept
//
// Inputs are good ones, damaged; one whose answer is new (another error, another kind of result) is damaged further. Any value and any
// error is an answer. Defects are: a process that ends, an input of a few kilobytes that takes seconds of processor time, an answer that never comes,
// and an error that says that bao's own code went wrong (a property of undefined). Each input stands in a file before it is tried; those that show a
// defect are kept in FOLDER. The exit code is 1 if there are any. Parsers of the package manager and of HTTP/1 have targets for cargo-fuzz instead.
// `--stress` sets BAO_GC_STRESS of the processes, `--batch` their seconds, `--patience` the seconds after them in which they have to be over.

import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { outcome } from "./processes.mjs";
import { generator } from "./random.mjs";

/** Seconds of processor time that no input of at most MOST bytes may need. */
const SLOW = 3;
const MOST = 8192;
/** What engines say of code that is wrong, not of input that is. */
const OWN_FAULT = /can't access property|is not a function|is not iterable|is (?:undefined|null)$|is not a constructor|read-only|not defined$|unreachable/;

const bytes = (text) => Buffer.from(text);
const text = (input) => input.toString("utf8");

/**
 * Each is made in the process that uses it: `seeds` are good inputs, `parse` reads one (and may answer with a promise).
 * @type {Record<string, () => Promise<{ seeds: Buffer[], parse: (input: Buffer) => unknown }> | { seeds: Buffer[], parse: (input: Buffer) => unknown }>}
 */
const PARSERS = {
  async "v8.deserialize"() {
    const v8 = await import("node:v8");
    return { seeds: values().map((value) => v8.serialize(value)), parse: (input) => v8.deserialize(input) };
  },
  async "jsc.deserialize"() {
    const { serialize, deserialize } = await import("bun:jsc");
    return { seeds: values().map((value) => Buffer.from(serialize(value))), parse: (input) => deserialize(input) };
  },
  multipart: () => ({
    seeds: [
      bytes('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name="f"; filename="b.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--x--\r\n'),
      bytes("--x\r\ncontent-disposition: form-data; name*=utf-8''%e2%82%ac; filename=\"a\\\"b\"\r\n\r\n\r\n--x--"),
    ],
    parse: (input) => new Response(input, { headers: { "content-type": "multipart/form-data; boundary=x" } }).formData(),
  }),
  headers: () => ({
    seeds: [bytes('multipart/form-data; boundary="a b"'), bytes("text/html;charset=utf-8;x=y"), bytes("a=b; Path=/; Max-Age=10; SameSite=Lax; Secure")],
    parse: async (input) => {
      const given = text(input).replaceAll(/[\0\r\n]/g, " ").trim();
      const cookie = attempt(() => Bun.Cookie.parse(given).serialize());
      const map = attempt(() => [...new Bun.CookieMap(given)].length);
      const form = await attemptLater(() => new Response("--a b\r\n\r\n--a b--", { headers: { "content-type": given } }).formData());
      return [cookie, map, form].join();
    },
  }),
  markdown: () => ({
    seeds: [bytes("# h\n\n- a\n  - b\n\n| a | b |\n|--|:-:|\n| 1 | `2` |\n\n> q\n\n```js\nx\n```\n[a](b \"c\") ![i](u) <b>x</b> **b** _i_ ~~s~~ \\* &amp; http://a.b\n"), bytes("[x]: /u 't'\n[x][]\n***\na  \nb\n1) c\n\n<script>\n</script>\n- [ ] t")],
    parse: (input) => [Bun.markdown.html(text(input)).length, attempt(() => Bun.markdown.ansi(text(input)).length)].join(),
  }),
  configuration: () => ({
    seeds: [
      bytes('[a.b]\nx = 1\ny = """z"""\n[[t]]\nd = 1979-05-27T07:32:00Z\n"q" = [1, {a = 0x1F}]\n'),
      bytes("a: &x\n  - 1\n  - {b: c}\nd: *x\ne: |\n  f\n  g\n? h\n: i\n---\n!!str 1\n...\n"),
      bytes("{a: 'b', /* c */ \"d\": [0x1, +Infinity, .5,], // e\n}"),
      bytes("A=1\nexport B=\"${A} c\\n\"\n# d\nC='e'\nD=`f`"),
    ],
    parse: async (input) => {
      const given = text(input);
      const { parseEnv } = await import("node:util");
      return [Bun.TOML, Bun.YAML, Bun.JSON5, Bun.JSONC, JSON, { parse: parseEnv }].map(({ parse }) => attempt(() => parse(given))).join();
    },
  }),
  transpiler() {
    const transpiler = new Bun.Transpiler({ loader: "tsx" });
    return {
      seeds: [
        bytes("import a, { b as c } from 'd';\nexport default class<T> extends a<T> { @x #y?: number = 1; static { } get z() { return <div a={...b}>{c}</div> } }\nenum E { A = 1 << 2, B }\nnamespace N { export const x = 1 }\n"),
        bytes("const f = async function* <T,>({ a = 1, ...b }: T): AsyncGenerator<T> { for await (const x of y) yield* `a${x}`; label: do { break label } while (0) };\ntype X = { [K in keyof T]?: T[K] extends infer U ? U : never };\nusing z = /a[/]b/giu;"),
      ],
      parse: (input) => [attempt(() => transpiler.transformSync(text(input)).length), attempt(() => transpiler.scan(text(input)).imports.length)].join(),
    };
  },
  html: () => ({
    seeds: [bytes("<!DOCTYPE html><html><head><title>t</title><script>a</script><style>b</style></head><body class=x id='y'><p>z<br/><!-- c --><svg><a xlink:href=q /></svg><textarea>d</textarea></body></html>"), bytes("<table><tr><td>&amp;<![CDATA[x]]><template><b><i></b></i>")],
    parse: (input) => {
      let seen = 0;
      const rewriter = new HTMLRewriter()
        .on("*", { element: (element) => (seen++, element.setAttribute("n", String(seen)), seen % 3 === 0 && element.setInnerContent("<b>", { html: true })), comments: (one) => one.remove(), text: (one) => (seen += one.text.length) })
        .on("p > a[href^=x], body :not(b):nth-child(2)", { element: (element) => element.after("y") })
        .onDocument({ doctype: (one) => (seen += one.name?.length ?? 0), end: (end) => end.append("z") });
      return rewriter.transform(new Response(input)).text().then(() => seen > 10);
    },
  }),
  async archive() {
    const { gzipSync } = await import("node:zlib");
    const tar = Buffer.from(await new Bun.Archive({ "a.txt": "hello", "b/c.txt": "x".repeat(700), ["long/".repeat(40) + "d"]: "e" }).bytes());
    return { seeds: [tar, gzipSync(tar)], parse: (input) => new Bun.Archive(input).files().then((files) => files.size) };
  },
  async compression() {
    const zlib = await import("node:zlib");
    const plain = Buffer.from("compressed ".repeat(50));
    const maxOutputLength = 1 << 22;
    const all = [zlib.gunzipSync, zlib.inflateSync, zlib.inflateRawSync, zlib.brotliDecompressSync, zlib.zstdDecompressSync];
    return {
      seeds: [zlib.gzipSync(plain), zlib.deflateSync(plain), zlib.deflateRawSync(plain), zlib.brotliCompressSync(plain), zlib.zstdCompressSync(plain)],
      parse: (input) => all.map((one) => attempt(() => one(input, { maxOutputLength }).length > 0)).join(),
    };
  },
  async keys() {
    const { X509Certificate, createPrivateKey, createPublicKey, generateKeyPairSync } = await import("node:crypto");
    const folder = fileURLToPath(new URL("../tests/http/support/", import.meta.url));
    const seeds = ["cert.pem", "key.pem"].map((name) => readFileSync(folder + name));
    const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
    seeds.push(pair.privateKey.export({ format: "der", type: "pkcs8" }), pair.publicKey.export({ format: "der", type: "spki" }), pair.privateKey.export({ format: "der", type: "sec1" }));
    seeds.push(new X509Certificate(seeds[0]).raw);
    return {
      seeds,
      parse: (input) =>
        [
          attempt(() => new X509Certificate(input).toLegacyObject() && 1),
          attempt(() => String(new X509Certificate(input).subjectAltName) && 1),
          attempt(() => createPrivateKey(input).type),
          attempt(() => createPrivateKey({ key: input, format: "der", type: "pkcs8" }).type),
          attempt(() => createPublicKey({ key: input, format: "der", type: "spki" }).type),
        ].join(),
    };
  },
  async addresses() {
    const url = await import("node:url");
    const querystring = await import("node:querystring");
    return {
      seeds: [bytes("https://user:p%40ss@xn--nxasmq6b.example:8080/a/../b;c?d=e&f[]=%e2%82%ac#g"), bytes("file:///C:/x|y"), bytes("/a/:b(\\d+)?/*.{js,ts}#:h"), bytes("http://[::ffff:1.2.3.4%25eth0]/")],
      parse: (input) => {
        const given = text(input);
        return [
          attempt(() => new URL(given).href.length > 0),
          attempt(() => url.format(url.parse(given)).length > 0),
          attempt(() => [...new URLSearchParams(given)].length > 0),
          attempt(() => Object.keys(querystring.parse(given)).length > 0),
          attempt(() => new URLPattern(given, "http://a/").test("http://a/b")),
        ].join();
      },
    };
  },
  async patterns() {
    const { matchesGlob } = await import("node:path");
    const { MIMEType } = await import("node:util");
    return {
      seeds: [bytes("**/{a,b[!c-e]}*.?(x|y)\\*"), bytes(">=1.2.3-beta.1 <2 || ~3.x || ^4.5.6+build - 7"), bytes("text/plain; charset=\"a\\\"b\"")],
      parse: (input) => {
        const given = text(input);
        return [
          attempt(() => new Bun.Glob(given).match("a/b/cd.x")),
          attempt(() => matchesGlob("a/b/cd.x", given)),
          attempt(() => Bun.semver.satisfies("1.2.3", given)),
          attempt(() => Bun.semver.order(given, "1.2.3")),
          attempt(() => String(new MIMEType(given)).length > 0),
        ].join();
      },
    };
  },
  terminal: () => ({
    seeds: [bytes("\x1b[31mred\x1b[0m \x1b]8;;http://a\x07link\x1b]8;;\x07 \u{1F469}\u200D\u{1F469} e\u0301 \u65e5\u672c"), bytes("\x9b38;2;1;2;3mx\x1b[?25l\x1bP1$r\x1b\\ zq")],
    parse: (input) => {
      const given = text(input);
      return [Bun.stripANSI(given).length > 0, Bun.stringWidth(given) > 0, attempt(() => Bun.sliceAnsi(given, 1, 5).length > 0), attempt(() => Bun.wrapAnsi(given, 3).length > 0)].join();
    },
  }),
  image: async () => ({
    seeds: await Promise.all(["png", "jpeg", "webp"].map(async (kind) => Buffer.from(await new Bun.Image(pixels())[kind]().bytes()))),
    parse: (input) => new Bun.Image(input).resize(8, 8).png().bytes().then((out) => out.length > 0),
  }),
  async sqlite() {
    const { Database } = await import("bun:sqlite");
    const database = new Database();
    database.run("create table t (a integer primary key, b text, c blob)");
    for (let i = 0; i < 20; i++) database.run("insert into t values (?, ?, ?)", [i, "x".repeat(i * 9), Buffer.alloc(i)]);
    return {
      seeds: [database.serialize()],
      parse: (input) => {
        const copy = Database.deserialize(input);
        try {
          return [attempt(() => copy.query("select * from sqlite_master").all().length), attempt(() => copy.query("select * from t").values().length)].join();
        } finally {
          copy.close();
        }
      },
    };
  },
  async wasm() {
    return {
      seeds: [Buffer.from("0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b", "hex")],
      parse: (input) => [WebAssembly.validate(input), attempt(() => WebAssembly.Module.exports(new WebAssembly.Module(input)).length)].join(),
    };
  },
  async "source map"() {
    const { SourceMap } = await import("node:module");
    return {
      seeds: [bytes('{"version":3,"sources":["a.ts"],"names":["x"],"mappings":"AAAAA,CAAC;EACC,IAAI;;AAEL","sections":[]}')],
      parse: (input) => JSON.stringify(new SourceMap(JSON.parse(text(input))).findEntry(1, 3)) !== "{}",
    };
  },
  async http1() {
    const http = await import("node:http");
    const own = http.createServer((request, response) => (request.resume(), response.end("x")));
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: async (request) => new Response(`${new URL(request.url).pathname}${(await request.text()).length}`), error: () => new Response("e", { status: 500 }) });
    await new Promise((resolve) => own.listen(0, "127.0.0.1", resolve));
    return {
      seeds: [bytes("GET /a?b HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), bytes("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: u\r\n\r\n"), bytes("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")],
      parse: async (input) => [statusOf(await talk(server.port, input)), statusOf(await talk(own.address().port, input))].join(),
    };
  },
  async http2() {
    const http2 = await import("node:http2");
    const own = http2.createServer((request, response) => (request.resume(), response.end("x")));
    own.on("sessionError", () => {});
    await new Promise((resolve) => own.listen(0, "127.0.0.1", resolve));
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", http2: true, fetch: async (request) => new Response(String((await request.arrayBuffer()).byteLength)), error: () => new Response("e", { status: 500 }) });
    const preface = bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    const frame = (type, flags, stream, payload) => {
      const head = Buffer.alloc(9);
      head.writeUIntBE(payload.length, 0, 3);
      head[3] = type;
      head[4] = flags;
      head.writeUInt32BE(stream, 5);
      return Buffer.concat([head, payload]);
    };
    const fields = Buffer.from([0x82, 0x86, 0x84, 0x41, 1, 0x78]);
    const settings = frame(4, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100, 0, 4, 0, 0, 255, 255]));
    return {
      seeds: [
        Buffer.concat([preface, settings, frame(1, 5, 1, fields), frame(6, 0, 0, Buffer.alloc(8)), frame(7, 0, 0, Buffer.alloc(8))]),
        Buffer.concat([preface, settings, frame(1, 0, 1, fields.subarray(0, 3)), frame(9, 4, 1, fields.subarray(3)), frame(8, 0, 1, Buffer.from([0, 0, 1, 0])), frame(0, 9, 1, Buffer.from([1, 65, 66, 0])), frame(3, 0, 1, Buffer.alloc(4)), frame(2, 0, 3, Buffer.from([0, 0, 0, 1, 9]))]),
      ],
      parse: async (input) => [(await talk(own.address().port, input)).length > 60, (await talk(server.port, input)).length > 60].join(),
    };
  },
  async "http client"() {
    const answers = await answering();
    return {
      seeds: [bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nSet-Cookie: a=b; Path=/\r\n\r\nabc"), bytes("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), bytes("HTTP/1.0 302 x\r\nLocation: /y#z\r\nConnection: close\r\n\r\n")],
      parse: async (input) => {
        answers.next = input;
        const signal = AbortSignal.timeout(2000);
        const fetched = await attemptLater(async () => (await fetch(answers.url, { signal, redirect: "manual" })).text());
        const http = await import("node:http");
        const requested = await attemptLater(
          () =>
            new Promise((resolve, reject) => {
              const request = http.get(answers.url, { signal, agent: false }, (response) => response.on("error", reject).on("data", () => {}).on("close", () => resolve(response.statusCode)));
              request.on("error", reject).on("upgrade", (_, socket) => (socket.destroy(), resolve("upgrade")));
            }),
        );
        return [typeof fetched, requested].join();
      },
    };
  },
  async "websocket client"() {
    const { createHash } = await import("node:crypto");
    const answers = await answering((request, input) => {
      const key = /sec-websocket-key: *(.*)\r\n/i.exec(request)?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      const extensions = input.length % 2 === 0 ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "";
      return Buffer.concat([bytes(`HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${extensions}Sec-WebSocket-Accept: ${accept}\r\n\r\n`), input]);
    });
    return {
      seeds: [Buffer.from("810568656c6c6f8900820301020388020 3e8".replaceAll(" ", ""), "hex"), Buffer.from("01026865800200c1c107f248cdc9c90700880203ea".slice(0, 42), "hex"), Buffer.from("827e0100", "hex")],
      parse: (input) =>
        new Promise((resolve) => {
          answers.next = input;
          const socket = new WebSocket(answers.url.replace("http", "ws"));
          let seen = "";
          const limit = setTimeout(() => socket.terminate?.(), 2000);
          socket.onmessage = ({ data }) => (seen = typeof data);
          socket.onerror = () => (seen += "!");
          socket.onclose = ({ code }) => (clearTimeout(limit), resolve(`${seen}${code}`));
        }),
    };
  },
};

const [mode, ...rest] = process.argv.slice(2);
if (mode === "--run") await run(rest);
else if (mode === "--replay") {
  const { parse } = await PARSERS[rest[0]]();
  console.log(await attemptLater(() => parse(readFileSync(rest[1]))));
  process.exit(0);
} else process.exitCode = await drive();

/** Starts processes until the time is over; the exit code. */
async function drive() {
  const { values: options } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      parser: { type: "string", multiple: true },
      jobs: { type: "string", default: "1" },
      keep: { type: "string" },
      stress: { type: "string" },
      batch: { type: "string", default: "20" },
      patience: { type: "string", default: "60" },
    },
  });
  const names = options.parser ?? Object.keys(PARSERS);
  const unknown = names.find((name) => !Object.hasOwn(PARSERS, name));
  if (unknown !== undefined) throw new Error(`no parser "${unknown}": ${Object.keys(PARSERS).join(", ")}`);
  const scratch = mkdtempSync(join(tmpdir(), "bao-fuzz-"));
  let keep = options.keep;
  const end = Date.now() + Number(options.seconds) * 1000;
  /** All have their turn, and more than one if there is time. */
  const batch = Math.max(1, Math.min(Number(options.batch), (Number(options.seconds) * Number(options.jobs)) / names.length));
  const env = { ...process.env, ...(options.stress === undefined ? {} : { BAO_GC_STRESS: options.stress }) };
  const counts = new Map(names.map((name) => [name, 0]));
  let processorSeconds = 0;
  const found = new Set();
  let turn = 0;
  const one = async (lane) => {
    while (Date.now() < end) {
      const name = names[turn++ % names.length];
      const seed = 1 + Math.floor(Math.random() * 0x7ffffffe);
      const file = join(scratch, `input${lane}`);
      writeFileSync(file, "");
      const seconds = Math.max(1, Math.min(batch, (end - Date.now()) / 1000));
      const words = [fileURLToPath(import.meta.url), "--run", name, String(seed), String(seconds), file];
      const { code, signal, output } = await outcome(words, { cwd: scratch, env }, seconds + Number(options.patience), 200_000);
      let isOver = false;
      for (const line of output.split("\n")) {
        const [word, ...more] = line.split(" ");
        if (word === "done") {
          isOver = true;
          counts.set(name, counts.get(name) + Number(more[0]));
          processorSeconds += Number(more[1]);
        } else if (word === "defect") {
          const [what, input] = JSON.parse(more.join(" "));
          tell(name, what, Buffer.from(input, "base64"));
        }
      }
      if (!isOver) tell(name, signal === "SIGKILL" ? "does not end" : `ended with ${signal ?? code}: ${output.slice(-300)}`, lastInput(file));
    }
  };
  const tell = (name, what, input) => {
    const key = `${name} ${what.replaceAll(/\d+/g, "N").slice(0, 120)}`;
    if (found.has(key)) return;
    found.add(key);
    keep ??= mkdtempSync(join(tmpdir(), "bao-fuzz-found-"));
    mkdirSync(keep, { recursive: true });
    const file = join(keep, `${name.replaceAll(/\W/g, "-")}-${found.size}`);
    writeFileSync(file, input);
    console.log(`${name}: ${what}\n  repeat: bao tools/fuzz_parsers.mjs --replay "${name}" ${file}`);
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, (_, lane) => one(lane)));
  rmSync(scratch, { recursive: true, force: true });
  for (const [name, count] of counts) console.error(`${String(count).padStart(12)} ${name}`);
  console.error(`${[...counts.values()].reduce((sum, count) => sum + count, 0)} inputs, ${Math.round(processorSeconds)} s of processor time, ${found.size} defects`);
  return found.size > 0 ? 1 : 0;
}

/** One process: damages inputs and has them read until its seconds are over. */
async function run([name, seed, seconds, file]) {
  const below = generator(Number(seed));
  const { seeds, parse } = await PARSERS[name]();
  const corpus = [...seeds];
  const answers = new Set();
  const told = new Set();
  const out = openSync(file, "r+");
  const head = Buffer.alloc(4);
  const end = Date.now() + Number(seconds) * 1000;
  let count = 0;
  const defect = (what, input) => {
    if (told.has(what)) return;
    told.add(what);
    console.log(`defect ${JSON.stringify([what, input.toString("base64")])}`);
  };
  process.on("uncaughtException", (error) => defect(`thrown past it: ${error?.stack ?? error}`.slice(0, 600), lastInput(file)));
  process.on("unhandledRejection", (error) => defect(`rejected past it: ${error?.stack ?? error}`.slice(0, 600), lastInput(file)));
  while (Date.now() < end) {
    const input = damaged(corpus, below).subarray(0, MOST * 2);
    head.writeUInt32LE(input.length);
    writeSync(out, Buffer.concat([head, input]), 0, input.length + 4, 0);
    const before = process.cpuUsage();
    let answer;
    try {
      answer = parse(input);
      if (answer !== null && typeof answer === "object" && typeof answer.then === "function") answer = await answer;
      answer = String(typeof answer === "object" ? Object.prototype.toString.call(answer) : answer);
    } catch (error) {
      answer = nameOf(error);
    }
    const fault = answer.split(",").find((part) => part.startsWith("own fault"));
    if (fault !== undefined) defect(fault, input);
    const { user, system } = process.cpuUsage(before);
    if (user + system > SLOW * 1e6 && input.length <= MOST && process.env.BAO_GC_STRESS === undefined) defect(`took ${Math.round((user + system) / 1000)} ms for ${input.length} bytes`, input);
    const key = answer.replaceAll(/\d+/g, "N").slice(0, 200);
    if (!answers.has(key) && answers.size < 4000) {
      answers.add(key);
      if (corpus.length < 400) corpus.push(Buffer.from(input));
      else corpus[seeds.length + below(corpus.length - seeds.length)] = Buffer.from(input);
    }
    count++;
  }
  const { user, system } = process.cpuUsage();
  console.log(`done ${count} ${(user + system) / 1e6}`);
  process.exit(0);
}

function lastInput(file) {
  const all = readFileSync(file);
  return all.length < 4 ? all : all.subarray(4, 4 + all.readUInt32LE(0));
}

/** An input of the corpus with some of its bytes changed, left out, repeated, or taken from another. */
function damaged(corpus, below) {
  let list = Buffer.from(corpus[below(corpus.length)]);
  for (let count = 1 + below(6); count > 0; count--) {
    const at = below(list.length + 1);
    const length = 1 + (below(4) === 0 ? below(200) : below(8));
    const some = list.subarray(at, at + length);
    const other = corpus[below(corpus.length)];
    const from = below(other.length + 1);
    switch (below(10)) {
      case 0: if (at < list.length) list[at] ^= 1 << below(8); break;
      case 1: if (at < list.length) list[at] = [0, 1, 0x7f, 0x80, 0xc0, 0xfe, 0xff, 0x0a, 0x20, 0x22, 0x5b, 0x7b][below(12)]; break;
      case 2: if (at < list.length) list[at] = below(256); break;
      case 3: list = Buffer.concat([list.subarray(0, at), list.subarray(at + some.length)]); break;
      case 4: list = Buffer.concat([list.subarray(0, at), ...new Array(1 + below(below(8) === 0 ? 60 : 3)).fill(some), list.subarray(at)]); break;
      case 5: list = Buffer.concat([list.subarray(0, at), Buffer.from(Array.from({ length }, () => below(256))), list.subarray(at)]); break;
      case 6: list = Buffer.concat([list.subarray(0, at), other.subarray(from, from + length), list.subarray(at)]); break;
      case 7: list = Buffer.concat([list.subarray(0, at), other.subarray(from)]); break;
      case 8: list = below(4) === 0 ? list.subarray(0, at) : list; break;
      default: if (at + 4 <= list.length) list[below(2) === 0 ? "writeInt32BE" : "writeInt32LE"]([-1, 0, 1, 4, 0x7fffffff, -0x80000000, 65536, 256][below(8)], at);
    }
    if (list.length > MOST * 2) list = list.subarray(0, MOST);
  }
  return list;
}

/** An error's name and words without what of the input is in them; a fault of bao's own code says so. */
function nameOf(error) {
  if (!(error instanceof Error) && Object.prototype.toString.call(error) !== "[object DOMException]") return `thrown ${typeof error}`;
  const message = String(error.message);
  if ((error instanceof TypeError || error instanceof ReferenceError || error.name === "InternalError") && OWN_FAULT.test(message) && error.code === undefined) {
    return `own fault: ${message} ${String(error.stack).split("\n").slice(0, 3).join(" ")}`.replaceAll(",", ";");
  }
  return `${error.name}: ${message.replaceAll(/[^a-zA-Z ]+/g, "").slice(0, 60)}`;
}

function attempt(action) {
  try {
    const value = action();
    return value !== null && typeof value === "object" ? Object.prototype.toString.call(value) : String(value);
  } catch (error) {
    return nameOf(error);
  }
}

async function attemptLater(action) {
  try {
    return String(await action());
  } catch (error) {
    return nameOf(error);
  }
}

/** Values of all kinds that have a format. */
function values() {
  const circle = { a: 1 };
  circle.self = circle;
  return [
    [1, -1, 1.5, 2 ** 40, 10n ** 30n, "latin \xe9", "wide \u20ac", true, null, undefined, [, 1]],
    { map: new Map([[{}, new Set([1])]]), date: new Date(0), pattern: /a/gi, error: new RangeError("e", { cause: 1 }) },
    [new Uint8Array(5), new Float64Array(2), new DataView(new ArrayBuffer(9), 2, 3), new ArrayBuffer(3, { maxByteLength: 9 })],
    circle,
    [Object(1), Object("s"), Object(2n), Buffer.from("x")],
  ];
}

/** A bitmap of 16 by 16 pixels, as a BMP file. */
function pixels() {
  const size = 16;
  const file = Buffer.alloc(54 + size * size * 3);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(size, 18);
  file.writeInt32LE(size, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let i = 54; i < file.length; i++) file[i] = (i * 7) & 255;
  return file;
}

/** What a server on loopback says to these bytes, after which the client says no more. */
async function talk(port, input) {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let said = "";
    // A server may rightly wait for more: half a second of silence is an answer.
    socket.setTimeout(500, () => socket.destroy());
    socket.on("data", (chunk) => (said = (said + chunk.toString("latin1")).slice(0, 4000)));
    socket.on("error", () => {});
    socket.on("close", () => resolve(said));
    socket.end(input);
  });
}

function statusOf(said) {
  return said.match(/HTTP\/1\.1 \d+/g)?.join(" ") ?? String(said.length > 0);
}

/** A server on loopback that answers each request with `next` (or with what `make` makes of it) and ends the connection. */
async function answering(make = (_, input) => input) {
  const { createServer } = await import("node:net");
  const answers = { next: Buffer.alloc(0), url: "" };
  const server = createServer((socket) => {
    let request = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      request += chunk.toString("latin1");
      if (!request.includes("\r\n\r\n")) return;
      socket.end(make(request, answers.next));
      request = "";
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  answers.url = `http://127.0.0.1:${server.address().port}/`;
  return answers;
}
