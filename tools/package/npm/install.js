// Finds the executable in the package of this platform, and (as postinstall) puts it into the place of the scripts in bin/, so that
// `bao` starts without Node.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const PLATFORMS = "@PLATFORMS@".split(" ");

/** The file that is run. */
function executable() {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new Error(`bao has no executable for ${platform}; there are some for ${PLATFORMS.join(", ")}`);
  }
  const name = `@bao-js/${platform}`;
  try {
    return require.resolve(`${name}/bin/bao`);
  } catch {
    throw new Error(
      `The package ${name} is not installed, which has the executable of bao for this platform. ` +
        "It is an optional dependency: install without --no-optional and --omit=optional.",
    );
  }
}

module.exports = { executable };

if (require.main === module) {
  const source = executable();
  for (const name of ["bao", "baox"]) {
    const target = path.join(__dirname, "bin", name);
    const beside = `${target}.${process.pid}.tmp`;
    try {
      // A link costs nothing; between file systems a copy does.
      try {
        fs.linkSync(source, beside);
      } catch {
        fs.copyFileSync(source, beside);
        fs.chmodSync(beside, 0o755);
      }
      fs.renameSync(beside, target);
    } catch (error) {
      fs.rmSync(beside, { force: true });
      // The script that is there still starts the executable, through Node.
      console.error(`bao: ${target} stays a script: ${error.message}`);
    }
  }
}
