const semver = require("semver");
const list = ["1.2.3", "1.10.0", "1.2.3-beta.2", "1.2.3-beta.11", "v2.0.0+build", "0.0.1", "nope"];
console.log(
  list.filter(semver.valid).sort(semver.compare),
  semver.clean("  =v1.2.3 "),
  semver.coerce("v42.6.7.9.3-alpha").version,
);
for (const range of ["^1.2.3", "~0.2", ">=1 <2 || 3.x", "1.2 - 2.3.4", "*", "^0.0.1", "x.y", ">1.2.3-beta"])
  console.log(
    range,
    semver.validRange(range),
    list.filter((v) => semver.valid(v) && semver.satisfies(v, range)),
    semver.validRange(range) && semver.minVersion(range)?.version,
  );
console.log(
  semver.inc("1.2.3", "prerelease", "rc"),
  semver.diff("1.2.3", "1.3.0-a"),
  semver.maxSatisfying(["1.2.3", "1.4.0", "2.0.0"], "1"),
  semver.gtr("2.0.0", "^1"),
  semver.intersects("^1", ">=1.5"),
  semver.subset("^1.2", "^1"),
);
try {
  new semver.SemVer("1.x");
} catch (e) {
  console.log(e.name, e.message);
}
console.log(new semver.SemVer("1.2.3-a.1+b"), String(new semver.Range("^1 || ~2.1")));
