//! What a resolver is told once, and what it is told per call.

use crate::file::FileClass;
use std::sync::Arc;
use tsconfig::Paths as TsConfigPaths;

/// How a specifier is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `import`, `import()`, `import.meta.resolve`.
    Import,
    /// `require()`.
    Require,
    /// `require.resolve()`: as `Require`, but an unknown `node:` module is "not found".
    RequireResolve,
    /// A file named on the command line: a path, with or without `./` and extension, taken relative
    /// to the directory passed as importer. Never looks into `node_modules`.
    Entry,
}

impl Kind {
    pub(crate) fn is_require(self) -> bool {
        matches!(self, Kind::Require | Kind::RequireResolve)
    }
}

/// Gives the canonical id of a built-in module (`fs` and `node:fs` both give `node:fs`), or nothing
/// for any other specifier.
pub type BuiltinLookup = Box<dyn Fn(&str) -> Option<&'static str> + Send>;

/// A [`BuiltinLookup`] over pairs of specifier and canonical id, sorted by specifier.
pub fn sorted_builtins(table: &'static [(&'static str, &'static str)]) -> BuiltinLookup {
    debug_assert!(table.is_sorted_by(|a, b| a.0 < b.0));
    Box::new(|specifier| {
        let found = table.binary_search_by(|(name, _)| (*name).cmp(specifier));
        found.ok().map(|at| table[at].1)
    })
}

/// Reads the path mapping of the `tsconfig.json` or `jsconfig.json` at the given absolute path, with
/// everything it extends merged in. Nothing when it cannot be read; parents are not asked then.
pub type TsConfigLoader = Box<dyn FnMut(&str) -> Option<Arc<TsConfigPaths>> + Send>;

/// Where path mapping comes from. It applies to modules outside `node_modules`, and to modules
/// inside only for what cannot be found otherwise.
#[derive(Default)]
pub enum TsConfig {
    /// There is none.
    #[default]
    None,
    /// One for every module (`--tsconfig-override`).
    Fixed(Arc<TsConfigPaths>),
    /// The nearest `tsconfig.json`, else `jsconfig.json`, of the importing module's directory and its
    /// parents.
    Nearest(TsConfigLoader),
}

/// Extensions in the order they are tried when a specifier leaves them out.
#[derive(Clone, Debug)]
pub struct ExtensionOrder {
    /// `import` and command line, outside `node_modules`.
    pub import: Vec<Box<str>>,
    /// `require`, outside `node_modules`.
    pub require: Vec<Box<str>>,
    /// `import` of a path inside `node_modules`.
    pub packages_import: Vec<Box<str>>,
    /// `require` inside `node_modules`, and `main` and `index` files there.
    pub packages_require: Vec<Box<str>>,
}

fn list(words: &str) -> Vec<Box<str>> {
    words.split(' ').map(Into::into).collect()
}

impl Default for ExtensionOrder {
    /// Bun 1.4's orders, as measured, except for the last one, which begins with Node's `.js`,
    /// `.json`, `.node`: what packages were published and tested with.
    fn default() -> Self {
        ExtensionOrder {
            import: list(".tsx .jsx .mts .ts .mjs .js .cts .cjs .json"),
            require: list(".tsx .ts .jsx .cts .cjs .js .mjs .mts .json .node"),
            packages_import: list(".mjs .jsx .mts .js .cjs .tsx .ts .cts .json"),
            packages_require: list(".js .json .node .cjs .jsx .mjs .mts .tsx .ts .cts"),
        }
    }
}

impl ExtensionOrder {
    /// The same order everywhere (`--extension-order`).
    pub fn uniform<S: AsRef<str>>(extensions: &[S]) -> Self {
        let all: Vec<Box<str>> = extensions.iter().map(|e| e.as_ref().into()).collect();
        ExtensionOrder {
            import: all.clone(),
            require: all.clone(),
            packages_import: all.clone(),
            packages_require: all,
        }
    }
}

/// Files that are on no disk: for a specifier and an importer, the path and what the file is. It is asked before anything else; what
/// it does not know is looked for as if it were imported from the current directory, if the importer is such a file itself.
pub type EmbeddedLookup = Box<dyn Fn(&str, &str) -> Option<(String, FileClass)> + Send>;

/// Such files, and the path that they are below.
pub struct Embedded {
    pub root: &'static str,
    pub lookup: EmbeddedLookup,
}

/// Has a package installed: takes its name, the version or tag that the specifier named, and the directory of the importing module. Gives the
/// directory whose `node_modules` has it; nothing where that directory is none to install for; what went wrong.
pub type Installer = Box<dyn FnMut(&str, Option<&str>, &str) -> Result<Option<String>, String> + Send>;

/// Which packages are installed when a program asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallMode {
    /// Those of modules that have no `node_modules` in their directory or above (`auto`).
    IfNone,
    /// Those that are not found (`fallback`).
    IfMissing,
    /// All (`force`).
    Always,
}

/// Packages that are installed when a program asks for them.
pub struct Installs {
    pub mode: InstallMode,
    pub install: Installer,
}

/// What a bundle is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleTarget {
    Bun,
    Node,
    Browser,
}

/// Fixed settings of a [`Resolver`](crate::Resolver).
pub struct Options {
    pub builtins: BuiltinLookup,
    /// Conditions that `exports` and `imports` may name when imported, besides `default`. The order
    /// does not matter: a package's own order decides.
    pub import_conditions: Vec<Box<str>>,
    /// The same when required.
    pub require_conditions: Vec<Box<str>>,
    /// Entry point fields of packages without `exports`, most preferred first. Those up to `main`
    /// come before `index` files, the others after.
    pub main_fields: Vec<Box<str>>,
    pub extensions: ExtensionOrder,
    /// Whether `./x.js` may mean `./x.ts` or `./x.tsx` when it does not exist (and `.jsx`, `.mjs`,
    /// `.cjs` likewise), as TypeScript's module resolution has it.
    pub ts_rewrite: bool,
    /// Whether the path through a symbolic link is the identity of a module.
    pub preserve_symlinks: bool,
    /// The same for [`Kind::Entry`].
    pub preserve_symlinks_main: bool,
    /// Absolute directories searched after every `node_modules` (`NODE_PATH`).
    pub node_path: Vec<Box<str>>,
    pub tsconfig: TsConfig,
    /// Current directory as `getcwd` gives it. Known to hold no links, so that its parts need not be
    /// checked.
    pub cwd: Option<Box<str>>,
    pub embedded: Option<Embedded>,
    pub installs: Option<Installs>,
    /// Whether `package.json` files count; without them packages are folders with `index` files.
    pub packages: bool,
}

fn conditions(system: &str, common: &str) -> Vec<Box<str>> {
    let mut all = list(common);
    all.push(system.into());
    all
}

impl Options {
    /// For running programs: Bun's conditions (`bun`, `node`, `node-addons`) and Node's
    /// `module-sync`, which holds for `require` too as ES modules can be required.
    pub fn runtime(builtins: BuiltinLookup) -> Self {
        let common = "bun node node-addons module-sync";
        Options {
            builtins,
            import_conditions: conditions("import", common),
            require_conditions: conditions("require", common),
            main_fields: list("main module jsnext:main"),
            extensions: ExtensionOrder::default(),
            ts_rewrite: true,
            preserve_symlinks: false,
            preserve_symlinks_main: false,
            node_path: Vec::new(),
            tsconfig: TsConfig::None,
            cwd: None,
            embedded: None,
            installs: None,
            packages: true,
        }
    }

    /// For bundling, with the conditions and main fields of `bun build` 1.4.
    pub fn bundle(builtins: BuiltinLookup, target: BundleTarget, production: bool) -> Self {
        let mode = if production { "production" } else { "development" };
        let (common, fields) = match target {
            BundleTarget::Bun => ("bun node node-addons", "module main jsnext:main"),
            BundleTarget::Node => ("node node-addons", "main module"),
            BundleTarget::Browser => ("browser module node-addons", "browser module jsnext:main main"),
        };
        let common = format!("{common} {mode}");
        Options {
            import_conditions: conditions("import", &common),
            require_conditions: conditions("require", &common),
            main_fields: list(fields),
            ..Options::runtime(builtins)
        }
    }

    /// Adds conditions for both module systems (`--conditions`).
    pub fn add_conditions<S: AsRef<str>>(&mut self, names: impl IntoIterator<Item = S>) {
        for name in names {
            let name = name.as_ref();
            for list in [&mut self.import_conditions, &mut self.require_conditions] {
                if !list.iter().any(|c| **c == *name) {
                    list.push(name.into());
                }
            }
        }
    }

    /// Takes a condition away (`--no-addons` removes `node-addons`).
    pub fn remove_condition(&mut self, name: &str) {
        self.import_conditions.retain(|c| **c != *name);
        self.require_conditions.retain(|c| **c != *name);
    }

    /// Sets [`node_path`](Self::node_path) from the value of `NODE_PATH`; relative entries start
    /// from `cwd`, empty ones are dropped.
    pub fn set_node_path(&mut self, value: &str, cwd: &str) {
        let entries = value.split(':').filter(|entry| !entry.is_empty());
        self.node_path = entries.map(|e| crate::paths::join(cwd, e).into()).collect();
    }
}

/// Settings of one call to [`Resolver::resolve_with`](crate::Resolver::resolve_with).
#[derive(Clone, Copy, Debug, Default)]
pub struct CallOptions<'a> {
    /// The `paths` option of `require.resolve`: absolute directories that take the place of the
    /// importing module's directory.
    pub paths: Option<&'a [&'a str]>,
    /// Conditions to use in place of the resolver's own.
    pub conditions: Option<&'a [&'a str]>,
}
