//! The helpers of results, as a module whose unused parts go.

use crate::{Declined, Format, Options, Source};

/// For results that have `import.meta.url`.
const REQUIRE_NODE: &str = r#"
import { createRequire } from "node:module";
export var __require = /* @__PURE__ */ createRequire(import.meta.url);
"#;

const REQUIRE_ELSEWHERE: &str = r#"
export var __require = /* @__PURE__ */ (() => {
  const missing = function (specifier) {
    if (typeof require !== "undefined") return require.apply(this, arguments);
    throw Error("Calling `require` for \"" + specifier + "\", but there is no `require` here");
  };
  if (typeof require !== "undefined") return require;
  return typeof Proxy === "undefined" ? missing : new Proxy(missing, {
    get: (target, key) => (typeof require === "undefined" ? target : require)[key],
  });
})();
"#;

const COMMON: &str = r#"
export var __commonJS = (run, module) => () => {
  if (run) {
    const first = run;
    run = 0;
    module = { exports: {} };
    first(module.exports, module);
  }
  return module.exports;
};
export var __esm = (run, result, failure) => () => {
  if (failure) throw failure[0];
  if (run) {
    const first = run;
    run = 0;
    try {
      result = first();
    } catch (error) {
      failure = [error];
      throw error;
    }
  }
  return result;
};
export var __exportAll = (getters) => {
  const namespace = {};
  for (const name in getters) Object.defineProperty(namespace, name, { get: getters[name], enumerable: true });
  return Object.defineProperty(namespace, Symbol.toStringTag, { value: "Module" });
};
export var __copyProps = (to, from, except) => {
  if (typeof from === "function" || (typeof from === "object" && from)) {
    for (const key of Object.getOwnPropertyNames(from)) {
      if (key === except || Object.prototype.hasOwnProperty.call(to, key)) continue;
      const enumerable = Object.getOwnPropertyDescriptor(from, key)?.enumerable ?? true;
      Object.defineProperty(to, key, { get: () => from[key], enumerable });
    }
  }
  return to;
};
export var __toESM = (value, isNode) => {
  const namespace = value == null ? {} : Object.create(Object.getPrototypeOf(value));
  if (isNode || !value || !value.__esModule || !Object.prototype.hasOwnProperty.call(value, "default"))
    Object.defineProperty(namespace, "default", { value, enumerable: true });
  return __copyProps(namespace, value);
};
export var __toCommonJS = (namespace) =>
  Object.prototype.hasOwnProperty.call(namespace, "module.exports")
    ? namespace["module.exports"]
    : __copyProps(Object.defineProperty({}, "__esModule", { value: true }), namespace);
"#;

/// The module.
///
/// # Errors
/// That it cannot be parsed.
pub(crate) fn source(options: &Options) -> Result<Source, Declined> {
    let has_create_require = options.is_node && options.format == Format::Esm;
    crate::print::parse(&format!("{}{COMMON}", if has_create_require { REQUIRE_NODE } else { REQUIRE_ELSEWHERE }))
}
