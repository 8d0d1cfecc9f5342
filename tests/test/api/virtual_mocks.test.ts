// Mocks of paths without a file are of their folder, and are found by what resolves only.
import { expect, mock, test } from "bun:test";

test("a relative path is one in the folder of the file that mocks it", async () => {
  expect(() => require.resolve("./absent.mjs")).toThrow();
  mock.module("./absent.mjs", () => ({ value: "mocked" }));
  const seen = {};
  for (const name of ["./absent.mjs", "./virtual/same_name.mjs", "./virtual/above.mjs"]) seen[name] = (await import(name)).value;
  console.log(JSON.stringify(seen), require("./absent.mjs").value);
});

test("what resolves finds them", () => {
  mock.module("file:./gone.mjs", () => ({ value: "gone" }));
  const path = `${import.meta.dir}/gone.mjs`;
  console.log(require("./gone.mjs").value, require.resolve("./gone.mjs") === path, import.meta.resolveSync("./gone.mjs") === path);
  expect(() => require.resolve("./virtual/gone.mjs")).toThrow();
  expect(() => import.meta.resolveSync("./virtual/gone.mjs")).toThrow();
});
