// expected: written by hand
// process.versions.bun can be changed and taken away, as in Bun; what Node has as well stays as it is, as in Node.
console.log(typeof process.versions.bun);
process.versions.bun = "0.0.0";
console.log(process.versions.bun, Object.keys(process.versions).includes("bun"));
delete process.versions.bun;
console.log("bun" in process.versions);
for (const name of ["node", "modules", "napi"]) {
  try {
    process.versions[name] = "0";
    console.log(name, "was changed");
  } catch (error) {
    console.log(name, error.name);
  }
}
