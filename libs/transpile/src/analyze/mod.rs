//! What a source text is: which module system it is written for, what it imports and exports.

mod collect;
mod encode;
mod scan;
mod types;

pub(crate) use collect::{Requests, collect_requests, is_type_only, is_type_only_namespace};
pub(crate) use scan::{Facts, is_generated, scan};
pub(crate) use types::TypeNames;

use crate::cjs::CjsExports;
use crate::options::ModuleHint;

/// The two module systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModuleKind {
    /// ES module: strict, asynchronous, live bindings.
    Esm,
    /// CommonJS module: a function body with `exports, require, module, __filename, __dirname`.
    Cjs,
}

/// Identifiers of the CommonJS wrapper that a text uses without declaring them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FreeNames(pub(crate) u8);

impl FreeNames {
    pub(crate) const NAMES: [&'static str; 5] = ["module", "exports", "require", "__dirname", "__filename"];
    pub const MODULE: Self = Self(1);
    pub const EXPORTS: Self = Self(2);
    pub const REQUIRE: Self = Self(4);
    pub const DIRNAME: Self = Self(8);
    pub const FILENAME: Self = Self(16);

    /// Whether all names of `other` are in this set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether no name is used.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// `module` or `exports` is used: the mark of a CommonJS module, since ES modules written for Bun may use
    /// `require`, `__dirname` and `__filename` too.
    #[must_use]
    pub fn exports_cjs(self) -> bool {
        self.0 & (Self::MODULE.0 | Self::EXPORTS.0) != 0
    }
}

impl std::ops::BitOr for FreeNames {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Evaluation phase of an import (`import defer`, `import source`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ImportPhase {
    #[default]
    Evaluation,
    Defer,
    Source,
}

/// One static `import` or `export ... from`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportRequest {
    /// The specifier as written.
    pub specifier: String,
    /// Import attributes, in order (`with { type: "json" }`; the old keyword `assert` counts too).
    pub attributes: Vec<(String, String)>,
    /// Names of the other module that this statement binds or re-exports, `default` among them. This is what
    /// a CommonJS module must be given as named exports for linking to succeed.
    pub names: Vec<String>,
    /// `import * as ns`, or `export * as ns from`.
    pub namespace: bool,
    /// `export * from`.
    pub star: bool,
    pub phase: ImportPhase,
    /// Byte offset of the specifier in the source; 0 for requests that the transform added (JSX runtime).
    pub offset: u32,
}

/// A literal argument of `require()` or `import()`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiteralRequest {
    pub specifier: String,
    /// Byte offset of the literal in the source.
    pub offset: u32,
}

/// The analysis of one text, after types and unused TypeScript imports are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// The module system to run the text in, see [`decide_kind`].
    pub kind: ModuleKind,
    /// Has `import` or `export` declarations, `import.meta`, or top-level `await`.
    pub esm_syntax: bool,
    /// Has `import.meta`.
    pub import_meta: bool,
    /// Has `await`, `for await` or `await using` outside functions.
    pub top_level_await: bool,
    /// CommonJS names that are used and not declared. With [`ModuleKind::Esm`] the loader should provide
    /// `require`, `__dirname` and `__filename`, as Bun does.
    pub free: FreeNames,
    /// Starts with a `#!` line. The engine accepts it in both module kinds.
    pub hashbang: bool,
    /// Starts with the directive "use strict".
    pub use_strict: bool,
    /// Static imports and re-exports in source order, those that JSX needs last.
    pub imports: Vec<ImportRequest>,
    /// Exported names in source order, without those of `export * from`.
    pub exports: Vec<String>,
    /// `import("literal")` in source order.
    pub dynamic_imports: Vec<LiteralRequest>,
    /// `require("literal")` of a free `require`, in source order.
    pub requires: Vec<LiteralRequest>,
    /// Names that the module exports when it is CommonJS; only with [`crate::Options::cjs_exports`].
    pub cjs_exports: Option<CjsExports>,
}

/// Decides between the module systems, as Node and Bun do where they agree.
///
/// ES module syntax decides for [`ModuleKind::Esm`], even in a `.cjs` file (Bun; Node throws). Otherwise the
/// extension decides, then `"type"` of the package; but a file of a `"type": "module"` package that uses
/// `module` or `exports` is CommonJS (Bun; in Node such a file can only fail). The rest is CommonJS.
#[must_use]
pub fn decide_kind(esm_syntax: bool, free: FreeNames, extension: ModuleHint, package: ModuleHint) -> ModuleKind {
    if esm_syntax {
        return ModuleKind::Esm;
    }
    match (extension, package) {
        (ModuleHint::Esm, _) => ModuleKind::Esm,
        (ModuleHint::Unknown, ModuleHint::Esm) if !free.exports_cjs() => ModuleKind::Esm,
        _ => ModuleKind::Cjs,
    }
}

/// A cheap look at a text: `false` means that it certainly has no ES module syntax, so that a `.js` file
/// without JSX can be run as CommonJS without being analysed. `true` means nothing.
#[must_use]
pub fn may_be_esm(source: &[u8]) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'));
    [b"import".as_slice(), b"export", b"await"].iter().any(|word| {
        memchr::memmem::find_iter(source, word).any(|at| {
            let after = &source[at + word.len()..];
            let before = at.checked_sub(1).map(|at| &source[at]);
            // `import(x)` is allowed everywhere.
            let call = *word == b"import" && after.trim_ascii_start().first() == Some(&b'(');
            !is_word(before) && !is_word(after.first()) && !call
        })
    })
}
