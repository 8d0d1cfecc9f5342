/** The adapters by name; each is loaded when a client needs it first. */

import type { Adapter, AdapterName } from "internal/sql/adapter";

export function adapterOf(name: AdapterName): Adapter {
  switch (name) {
    case "postgres":
      return require("internal/sql/postgres/adapter").postgres;
    case "sqlite":
      return require("internal/sql/sqlite/adapter").sqlite;
    default: {
      const { codes } = require("internal/core/errors");
      throw new codes.ERR_NOT_IMPLEMENTED(`The ${name} adapter of SQL`);
    }
  }
}
