/** The adapters by name; each is loaded when a client needs it first. */

import type { Adapter, AdapterName } from "internal/sql/adapter";

export function adapterOf(name: AdapterName): Adapter {
  switch (name) {
    case "postgres":
      return require("internal/sql/postgres/adapter").postgres;
    case "sqlite":
      return require("internal/sql/sqlite/adapter").sqlite;
    case "mysql":
    case "mariadb":
      return require("internal/sql/mysql/adapter").mysql;
  }
}
