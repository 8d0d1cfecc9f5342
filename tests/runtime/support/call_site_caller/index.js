"use strict";

const sites = require("./sites.js");

function named() {
  return sites();
}

/** The file of the first frame that has a receiver: the one that called this module from its top. */
module.exports = () => {
  for (const site of sites()) {
    if (site.getTypeName() !== null) return site.getFileName();
  }
  return undefined;
};

module.exports.ofPlainCalls = () => named().slice(0, 1).map((site) => site.getTypeName());
