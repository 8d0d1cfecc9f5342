import winston from "winston";
import { Writable } from "node:stream";
import fs from "node:fs";
const lines = [];
const sink = new Writable({
  write(c, _, done) {
    lines.push(String(c).trimEnd());
    done();
  },
});
const { combine, printf, json, errors, splat, label } = winston.format;
const logger = winston.createLogger({
  level: "debug",
  format: combine(
    label({ label: "L" }),
    errors({ stack: false }),
    splat(),
    printf((i) => `${i.label} ${i.level}: ${i.message} ${i.extra ?? ""}`),
  ),
  transports: [
    new winston.transports.Stream({ stream: sink }),
    new winston.transports.File({ filename: "w.log", format: json() }),
  ],
  defaultMeta: { extra: "e" },
});
logger.info("hello %s %d", "you", 5);
logger.debug({ message: "obj" });
logger.error(new Error("boom"));
logger.silly("no");
logger.child({ extra: "kid" }).warn("w");
const written = new Promise((done) => logger.transports[1].on("finish", done));
logger.end();
await written;
console.log(
  lines,
  fs
    .readFileSync("w.log", "utf8")
    .trim()
    .split("\n")
    .map((l) => JSON.parse(l).message),
);
