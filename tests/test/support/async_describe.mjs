// node:test: a suite whose function is asynchronous runs its tests once, after the function has ended, in the order of suites.
import { after, describe, it } from "node:test";

const log = [];
describe("outer", async () => {
  log.push("outer begins");
  await null;
  it("first", () => void log.push("first"));
  describe("inner", async () => {
    log.push("inner begins");
    await new Promise((resolve) => setTimeout(resolve, 5));
    it("second", async () => {
      await null;
      log.push("second");
    });
    log.push("inner ends");
  });
  it("third", () => void log.push("third"));
  log.push("outer ends");
});
describe("sync", () => {
  it("fourth", () => void log.push("fourth"));
});
after(() => console.error(log.join("\n")));
