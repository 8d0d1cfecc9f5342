// Mocked modules: loaded and not, of every kind, and what restoring them gives back.
import { expect, jest, mock, spyOn, test, vi } from "bun:test";
import byDefault, { count, fnDecl, greet, shown, useGreet } from "./a.mjs";
import { renamed } from "./re.mjs";
import * as namespace from "./a.mjs";
import { all } from "./user.mjs";
import commonjs from "./c.cjs";
import os, { platform } from "node:os";
import * as fs from "node:fs";
import * as again from "./re.mjs";
import { who } from "./ns.mjs";

const show = (...values) => console.log(...values.map((value) => typeof value === "string" ? value : JSON.stringify(value)));

test("loaded modules", async () => {
  show(greet("a"), count, fnDecl(), shown, byDefault(), all());
  mock.module("./a.mjs", () => ({ greet: () => "mocked", count: 99, fnDecl: () => "mock fn", shown: "ms", default: () => "mock default" }));
  show(greet("a"), count, fnDecl(), shown, byDefault(), renamed("q"), namespace.greet("z"), useGreet(), all());
  show((await import("./a.mjs")).greet("b"), require("./a.mjs").greet("r"));
  mock.module("./c.cjs", () => ({ f: () => "cjs mocked" }));
  show(all(), require("./c.cjs").f());
  mock.module("node:fs", () => ({ readFileSync: function fakeRead() {}, default: { readFileSync: function fakeDefault() {} } }));
  show(all());
  await mock.module("./a.mjs", async () => ({ greet: () => "later mocked" }));
  show(greet("a"), count);
  mock.restore();
  show(greet("a"), count, fnDecl(), shown, byDefault(), useGreet(), all());
});

test("modules that are not loaded, or do not exist", async () => {
  mock.module("./lazy.mjs", () => ({ l: "lazy mock" }));
  show((await import("./lazy.mjs")).l);
  mock.module("not-a-package", () => ({ v: 5 }));
  show((await import("not-a-package")).v, require("not-a-package").v);
  mock.restore();
  show((await import("./lazy.mjs")).l);
  try { require("not-a-package"); } catch (error) { show(error.code); }
});

test("namespaces", () => {
  const spy = spyOn(namespace, "greet").mockReturnValue("spied");
  show(greet("a"), namespace.greet("b"), spy.mock.calls, all()[0]);
  spy.mockRestore();
  show(greet("a"));
  const read = spyOn(fs, "readFileSync").mockReturnValue("");
  show(who(), read.mock.calls.length);
  read.mockRestore();
  show(who());
  spyOn(again, "renamed").mockReturnValue("spied again");
  spyOn(again, "fnDecl").mockReturnValue("star");
  show(again.renamed("a"), greet("b"), again.fnDecl());
  mock.restore();
  show(greet("c"), again.fnDecl());
});

test("vi and jest", async () => {
  await vi.mock("./a.mjs", async (importOriginal) => ({ ...(await importOriginal()), greet: vi.fn(() => "vi mocked") }));
  vi.mock("node:os", () => ({ platform: () => "beos", default: { platform: () => "beos default" } }));
  show(greet("x"), fnDecl(), vi.isMockFunction(greet), platform(), os.platform());
  show((await vi.importActual("./a.mjs")).greet("real"));
  jest.mock("./c.cjs");
  show(commonjs.f() === undefined, vi.isMockFunction(commonjs.f), jest.requireActual("./c.cjs").f());
  vi.unmock("./a.mjs");
  show(greet("x"));
  mock.restore();
  show(platform() === process.platform, commonjs.f());
});

test("wrong arguments", () => {
  for (const call of [() => mock.module("./a.mjs"), () => mock.module("./a.mjs", 5), () => mock.module("./a.mjs", () => 5)]) {
    try { call(); } catch (error) { show(error.name, error.message); }
  }
  show(greet("still"));
});

test("left for the next file", () => {
  mock.module("./a.mjs", () => ({ greet: () => "leaked" }));
  show(greet("x"));
});
