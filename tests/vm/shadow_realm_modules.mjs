// expected: written by hand
// ShadowRealm.prototype.importValue and import() in a realm: modules of its own, found from the working directory, errors that
// belong to the right realm.
import { fileURLToPath } from "node:url";

const at = (name) => new URL(`fixtures/shadow_modules/${name}`, import.meta.url).href;
globalThis.mark = 1;
const realm = new ShadowRealm();
const next = await realm.importValue(at("counter.mjs"), "next");
console.log(next(), next(), await realm.importValue(at("counter.mjs"), "name"));
console.log((await realm.importValue(at("circle.mjs"), "counted"))(), (await import(at("counter.mjs"))).next());
console.log(await realm.importValue(at("counter.mjs"), "own"), await realm.importValue(at("typed.ts"), "red"));
console.log((await new ShadowRealm().importValue(at("counter.mjs"), "next"))());
process.chdir(fileURLToPath(new URL("fixtures", import.meta.url)));
console.log(await realm.importValue("./shadow_modules/late.mjs", "value"));

const failing = async (...args) => {
  try {
    console.log(await realm.importValue(...args));
  } catch (error) {
    console.log(error instanceof TypeError, error.message.replaceAll(at(""), "").replaceAll(fileURLToPath(at("")), ""));
  }
};
await failing(at("counter.mjs"), "absent");
await failing(at("counter.mjs"), "object");
await failing(at("throws.mjs"), "x");
await failing(at("throws.mjs"), "x");
await failing(at("common.cjs"), "value");
await failing(at("element.jsx"), "value");
await failing("node:fs", "readFileSync");
await failing("fs", "readFileSync");
for (const wrong of [() => realm.importValue("x", 1), () => ShadowRealm.prototype.importValue.call({}, "x", "y")]) {
  try {
    wrong();
  } catch (error) {
    console.log(error.name);
  }
}

// import() within the realm: what it rejects with is the realm's own.
realm.evaluate("globalThis.results = []; globalThis.ours = TypeError;");
realm.evaluate(`
  const told = (promise) => promise.then((ns) => results.push(Object.keys(ns).join()), (error) => results.push(error instanceof ours));
  told(import("./shadow_modules/late.mjs"));
  told(import("./shadow_modules/nowhere.mjs"));
  told(import(${JSON.stringify(at("throws.mjs"))}));
  undefined;
`);
await new Promise((resolve) => setTimeout(resolve, 20));
console.log(realm.evaluate("results.sort().join(' ')"));
