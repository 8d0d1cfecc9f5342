//! Which specifiers stay imports.

use rolldown_utils::js_regex::HybridRegex;

use crate::options::{BuildOptions, Target};

/// Built-in modules that have no prefix in their own documentation.
const NODE_MODULES: &[&str] = &[
    "_http_agent",
    "_http_client",
    "_http_common",
    "_http_incoming",
    "_http_outgoing",
    "_http_server",
    "_stream_duplex",
    "_stream_passthrough",
    "_stream_readable",
    "_stream_transform",
    "_stream_wrap",
    "_stream_writable",
    "_tls_common",
    "_tls_wrap",
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "events",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "inspector/promises",
    "module",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "repl",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "util/types",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Packages that stand in browsers for modules of Node which no package has the name of, where bao's own are not whole.
const BROWSER_PACKAGES: &[(&str, &str)] = &[
    ("constants", "constants-browserify"),
    ("crypto", "crypto-browserify"),
    ("http", "stream-http"),
    ("https", "https-browserify"),
    ("vm", "vm-browserify"),
    ("zlib", "browserify-zlib"),
];

/// The specifiers of what may stand in browsers for a built-in module, in their order: its name, which the field `browser` of a
/// package.json may lead elsewhere; the package of its name, with a slash that keeps it from being the module itself; others.
pub(crate) fn browser_packages(builtin: &str) -> impl Iterator<Item = String> + '_ {
    let name = builtin.strip_prefix("node:").unwrap_or(builtin);
    let others = BROWSER_PACKAGES.iter().filter(move |(module, _)| *module == name);
    [name.to_string(), format!("{name}/")].into_iter().chain(others.map(|(_, package)| (*package).to_string()))
}

/// The rules of one build.
#[derive(Debug)]
pub(crate) struct Externals {
    exact: Vec<String>,
    patterns: Vec<HybridRegex>,
    packages: bool,
    target: Target,
}

impl Externals {
    pub(crate) fn new(options: &BuildOptions) -> Externals {
        let mut exact = Vec::new();
        let mut patterns = Vec::new();
        for name in &options.external {
            if name.contains('*') {
                let text = name.split('*').map(escaped).collect::<Vec<_>>().join(".*");
                patterns.extend(HybridRegex::new(&format!("^{text}$")));
            } else {
                exact.push(name.clone());
            }
        }
        Externals { exact, patterns, packages: options.packages_external, target: options.target }
    }

    /// Whether a specifier stays an import by the options `external` and `packages`, or because it can be nothing else.
    pub(crate) fn is_external(&self, specifier: &str) -> bool {
        let is_path = specifier.starts_with('.') || specifier.starts_with('/');
        let below = |name: &str| {
            specifier.strip_prefix(name).is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !is_path))
        };
        specifier.starts_with("http://")
            || specifier.starts_with("https://")
            || specifier.starts_with("//")
            || self.exact.iter().any(|name| below(name))
            || self.patterns.iter().any(|pattern| pattern.matches(specifier))
            || (self.packages && !is_path && !specifier.starts_with('#') && !specifier.starts_with("data:"))
    }

    /// Whether an import that stays may do something although nothing of it is used: no built-in module of the target does, as Bun and
    /// esbuild have it.
    pub(crate) fn have_effects(&self, specifier: &str) -> bool {
        self.target == Target::Browser || self.builtin(specifier).is_none()
    }

    /// For a built-in module the id of its empty stand-in, which browsers get.
    pub(crate) fn builtin(&self, specifier: &str) -> Option<String> {
        let is_builtin = match self.target {
            Target::Bun => specifier == "bun" || specifier.starts_with("bun:") || specifier.starts_with("node:"),
            Target::Node => specifier.starts_with("node:") || specifier.starts_with("bun:") || specifier == "bun",
            // In browsers nothing would find what Node does not have.
            Target::Browser => specifier.strip_prefix("node:").is_some_and(|name| {
                NODE_MODULES.binary_search(&name).is_ok()
                    || ["test", "test/reporters", "sqlite", "sea", "ffi", "vfs", "quic"].contains(&name)
            }),
        };
        (is_builtin || NODE_MODULES.binary_search(&specifier).is_ok()).then(|| format!("\0bao-empty:{specifier}"))
    }
}

/// A text as a regular expression that matches it.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if !c.is_alphanumeric() && c.is_ascii() {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NODE_MODULES.is_sorted());
    }

    #[test]
    fn modules_of_node_have_packages_in_browsers() {
        let of = |name: &str| browser_packages(name).collect::<Vec<_>>();
        assert_eq!(of("node:buffer"), ["buffer", "buffer/"]);
        assert_eq!(of("zlib"), ["zlib", "zlib/", "browserify-zlib"]);
    }

    #[test]
    fn stars_stand_for_any_text() {
        let externals = Externals {
            exact: vec!["react".into(), "./a.js".into()],
            patterns: vec![HybridRegex::new("^\\@x\\/.*$").unwrap()],
            packages: false,
            target: Target::Bun,
        };
        for name in ["react", "react/jsx-runtime", "./a.js", "@x/y", "https://a.b/c.js"] {
            assert!(externals.is_external(name), "{name}");
        }
        for name in ["react-dom", "./a.jsx", "./b.js", "@y/x"] {
            assert!(!externals.is_external(name), "{name}");
        }
        assert!(
            externals.builtin("fs").is_some()
                && externals.builtin("bun:sqlite").is_some()
                && externals.builtin("fss").is_none()
        );
    }
}
