// Each addon 10,000 times: memory does not grow with the calls. In a process that collects at every 101st native call (BAO_GC_STRESS) fewer
// calls give the same. Loads are the subject of tests/napi/growth.cjs: what an addon keeps for each load is its own business.
const { spawnSync } = require("node:child_process");

const MIB = 1 << 20;
const text = "a text that is neither short nor long, ".repeat(20);
const bytes = Buffer.from(text);

/** For each package something small that makes and frees what it is about. */
const uses = {
  "@napi-rs/canvas"({ createCanvas }) {
    const context = createCanvas(16, 16).getContext("2d");
    return () => {
      context.fillRect(1, 1, 4, 4);
      return context.getImageData(0, 0, 4, 4).data[3];
    };
  },
  "@node-rs/crc32": ({ crc32 }) => () => crc32(bytes),
  "@resvg/resvg-js"({ Resvg }) {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
    return () => new Resvg(svg, { font: { loadSystemFonts: false } }).render().width;
  },
  "better-sqlite3"(Database) {
    const get = new Database(":memory:").prepare("select ? as a, ? as b");
    return () => get.get(text, bytes).b.length;
  },
  bufferutil({ mask }) {
    const key = Buffer.from([1, 2, 3, 4]);
    const output = Buffer.alloc(bytes.length);
    return () => (mask(bytes, key, output, 0, bytes.length), output[0]);
  },
  koffi(koffi) {
    const strlen = koffi.load("libc.so.6").func("size_t strlen(const char *)");
    return () => Number(strlen(text));
  },
  lightningcss({ transform }) {
    const code = Buffer.from(".a { color: red; margin: 0px }");
    return () => transform({ filename: "a.css", code, minify: true }).code.length;
  },
  // By msgpackr-extract.
  msgpackr({ pack, unpack }) {
    const packed = pack(Array.from({ length: 50 }, (_, i) => `${i} ${text.slice(i)}`));
    return () => unpack(packed).length;
  },
  "oxc-parser": ({ parseSync }) => () => parseSync("a.js", "let a = 1; export { a }").program.body.length,
  snappy({ compressSync, uncompressSync }) {
    return () => uncompressSync(compressSync(bytes)).length;
  },
  "sodium-native"(sodium) {
    const output = Buffer.alloc(sodium.crypto_generichash_BYTES);
    return () => (sodium.crypto_generichash(output, bytes), output[0]);
  },
  "@swc/core": ({ parseSync }) => () => parseSync("let a = 1").body.length,
  "utf-8-validate": (isValid) => () => isValid(bytes),
};

let gc = globalThis.Bun && (() => Bun.gc(true));
if (gc === undefined) {
  require("node:v8").setFlagsFromString("--expose-gc");
  gc = require("node:vm").runInNewContext("gc");
}

async function settle() {
  for (let i = 0; i < 3; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage.rss();
}

/** MiB that memory grows by from a fifth of the steps to their end. */
async function growth(steps, step) {
  let before = 0;
  for (let i = 0; i < steps; i++) {
    step();
    if (i === steps / 5) before = await settle();
    if (i % 1000 === 999) await settle();
  }
  return ((await settle()) - before) / MIB;
}

async function main(calls) {
  for (const [name, prepare] of Object.entries(uses)) {
    const use = prepare(require(name));
    const first = use();
    let others = 0;
    const grown = await growth(calls, () => {
      if (use() !== first) others++;
    });
    console.log(name, others, grown < 16 ? "level" : `${grown.toFixed(1)} MiB`);
  }
}

const calls = Number(process.argv[2]);
if (calls) main(calls);
else {
  main(10_000).then(() => {
    const env = { ...process.env, BAO_GC_STRESS: "101" };
    const child = spawnSync(process.execPath, [...process.execArgv, __filename, "100"], { env, encoding: "utf8" });
    console.log(child.stdout.replaceAll(/ 0 level\n/g, " "), child.signal, child.stderr);
  });
}
