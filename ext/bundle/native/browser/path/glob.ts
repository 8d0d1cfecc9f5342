// path.matchesGlob for browsers: the matcher is native code.

export function matchesGlob(): never {
  const { codes } = require("internal/core/errors");
  throw new codes.ERR_NOT_IMPLEMENTED("path.matchesGlob");
}
