//! What a caller can ask of [`crate::transpile`].

use std::path::Path;
use std::sync::Arc;

use oxc_transformer_plugins::ReplaceGlobalDefinesConfig;
use run_options::Jsx;
pub use run_options::JsxMode;
use tsconfig::{JsxSetting, TsConfig};

/// The language of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loader {
    /// JavaScript. JSX is accepted too, as Bun does for `.js`.
    Js,
    /// JavaScript with JSX.
    Jsx,
    /// TypeScript; `<T>x` is a type assertion.
    Ts,
    /// TypeScript with JSX.
    Tsx,
}

impl Loader {
    /// The name that programs know it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Js => "js",
            Self::Jsx => "jsx",
            Self::Ts => "ts",
            Self::Tsx => "tsx",
        }
    }

    /// The loader of a name that [`Self::name`] gives.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Js, Self::Jsx, Self::Ts, Self::Tsx].into_iter().find(|loader| loader.name() == name)
    }

    /// The loader and module hint of a file name: `.js .jsx .mjs .cjs .ts .tsx .mts .cts`, else `None`.
    #[must_use]
    pub fn from_path(path: &str) -> Option<(Self, ModuleHint)> {
        let extension = Path::new(path).extension()?.to_str()?;
        Some(match extension {
            "js" => (Self::Js, ModuleHint::Unknown),
            "jsx" => (Self::Jsx, ModuleHint::Unknown),
            "mjs" => (Self::Js, ModuleHint::Esm),
            "cjs" => (Self::Js, ModuleHint::Cjs),
            "ts" => (Self::Ts, ModuleHint::Unknown),
            "tsx" => (Self::Tsx, ModuleHint::Unknown),
            "mts" => (Self::Ts, ModuleHint::Esm),
            "cts" => (Self::Ts, ModuleHint::Cjs),
            _ => return None,
        })
    }

    /// Whether TypeScript syntax is accepted.
    #[must_use]
    pub fn is_typescript(self) -> bool {
        matches!(self, Self::Ts | Self::Tsx)
    }
}

/// What is known about the module system before the text is read: by the extension (`.mjs`, `.cts`), or by
/// `"type"` of the package that the file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ModuleHint {
    /// Nothing; the text decides.
    #[default]
    Unknown,
    /// An ES module.
    Esm,
    /// A CommonJS module.
    Cjs,
}

/// JSX settings. Comments `@jsx`, `@jsxFrag`, `@jsxRuntime`, `@jsxImportSource` at the top of a file win.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct JsxOptions {
    pub mode: JsxMode,
    /// Package of the automatic runtime; `None` = `react`.
    pub import_source: Option<String>,
    /// Classic runtime: the call; `None` = `React.createElement`.
    pub factory: Option<String>,
    /// Classic runtime: the type of `<>`; `None` = `React.Fragment`.
    pub fragment: Option<String>,
}

impl JsxOptions {
    /// Puts settings of the command line and bunfig.toml in the place of tsconfig.json's.
    pub fn override_by(&mut self, jsx: &Jsx) {
        self.mode = jsx.mode.unwrap_or(self.mode);
        for (own, other) in [
            (&mut self.import_source, &jsx.import_source),
            (&mut self.factory, &jsx.factory),
            (&mut self.fragment, &jsx.fragment),
        ] {
            if other.is_some() {
                own.clone_from(other);
            }
        }
    }
}

/// Which decorators a file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Decorators {
    /// The TC39 proposal as of 2023-11 (with `Symbol.metadata`), lowered to plain classes.
    #[default]
    Standard,
    /// TypeScript's `experimentalDecorators`. JavaScript files use [`Self::Standard`] all the same.
    Legacy {
        /// tsconfig `emitDecoratorMetadata`: calls `Reflect.metadata("design:type", ...)` if it exists.
        emit_metadata: bool,
        /// tsconfig `strictNullChecks` (or `strict`): the metadata of `T | null` is `Object`, not that of `T`.
        strict_null_checks: bool,
    },
}

/// Replacements of free identifiers and member chains by expressions, as `--define` has them.
#[derive(Debug, Clone)]
pub struct Define {
    pub(crate) config: ReplaceGlobalDefinesConfig,
    /// Last name of each key: a source that contains none of them needs no pass.
    pub(crate) needles: Vec<String>,
    pairs: Vec<(String, String)>,
}

impl Define {
    /// Parses pairs of key and value. A key is an identifier (`DEBUG`), a member chain
    /// (`process.env.NODE_ENV`), `import.meta.X`, `import.meta.env.*` or `typeof X`. A value is a JavaScript
    /// expression, usually JSON or an identifier.
    ///
    /// # Errors
    /// The message of the first key or value that cannot be parsed.
    pub fn new<K: AsRef<str>, V: AsRef<str>>(pairs: &[(K, V)]) -> Result<Self, String> {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(k, v)| (k.as_ref().to_owned(), v.as_ref().to_owned())).collect();
        let config = ReplaceGlobalDefinesConfig::new(&pairs)
            .map_err(|errors| errors.first().map_or_else(String::new, |e| e.message.to_string()))?;
        let needles = pairs
            .iter()
            .map(|(key, _)| {
                let key = key.strip_prefix("typeof ").unwrap_or(key);
                key.rsplit('.').find(|part| *part != "*").unwrap_or(key).to_owned()
            })
            .collect();
        Ok(Self { config, needles, pairs })
    }

    /// The pairs this was made of, in order.
    #[must_use]
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// Whether `source` may contain one of the keys.
    pub(crate) fn may_apply(&self, source: &str) -> bool {
        self.needles.iter().any(|needle| memchr::memmem::find(source.as_bytes(), needle.as_bytes()).is_some())
    }
}

/// Settings of one transpilation. `Default` is what Bun does for a file without tsconfig outside production.
#[derive(Debug, Clone)]
pub struct Options {
    /// `None`: by the extension of the path, else [`Loader::Tsx`] as Bun does for unknown extensions.
    pub loader: Option<Loader>,
    /// `"type"` of the nearest package.json. The extension of the path wins over it.
    pub package_type: ModuleHint,
    pub jsx: JsxOptions,
    pub decorators: Decorators,
    /// tsconfig `useDefineForClassFields`. `false`: fields are assigned in the constructor, fields without
    /// initialiser vanish. TypeScript only.
    pub use_define_for_class_fields: bool,
    /// tsconfig `verbatimModuleSyntax`: imports that no value uses stay, unless they say `type`.
    pub verbatim_module_syntax: bool,
    /// Replacements; `None` = none.
    pub define: Option<Arc<Define>>,
    /// `--drop`: calls whose callee starts at one of these free identifiers become `undefined`; the name
    /// `debugger` removes debugger statements.
    pub drop: Vec<String>,
    /// Rewrite `using` and `await using` to try/finally for engines that lack them (SpiderMonkey 153 has them).
    pub lower_using: bool,
    /// Produce a map when text moves. Off saves time if no positions are needed.
    pub source_map: bool,
    /// Also detect the names that a CommonJS module exports ([`crate::Info::cjs_exports`]); for modules that an
    /// ES module imports.
    pub cjs_exports: bool,
    /// Leave files alone that have no decorators and no `accessor` fields, whatever else an engine could not run.
    pub only_decorators: bool,
    /// Print the program anew even when nothing needs to change (drops comments and formatting).
    pub reprint: bool,
    /// With `reprint`: names that are declared twice or exported and not declared are errors, which are else the engine's.
    pub check_names: bool,
    /// With `reprint`: print without whitespace.
    pub minify_whitespace: bool,
    /// With `reprint`: what is done to the program besides.
    #[cfg(feature = "reshape")]
    pub reshape: Option<Reshape>,
    /// Register components and the signatures of their hooks for React Fast Refresh (`$RefreshReg$`, `$RefreshSig$`).
    pub refresh: bool,
}

/// Changes that `Bun.Transpiler` makes if it is asked to.
#[cfg(feature = "reshape")]
#[derive(Debug, Clone, Default)]
pub struct Reshape {
    /// Shorter code that does the same.
    pub minify_syntax: bool,
    /// Short names for variables; those of a script's top level stay.
    pub minify_identifiers: bool,
    /// Expressions of constants are evaluated.
    pub fold: bool,
    /// Branches that are never taken are left out.
    pub remove_dead_code: bool,
    /// Imported names that nobody uses are left out, in JavaScript too.
    pub trim_imports: bool,
    /// Exports by name, and what stands in their place (`None`: nothing). Imports that only these used are left out.
    pub replace: Vec<(String, Option<Replacement>)>,
}

/// What stands in the place of an export.
#[cfg(feature = "reshape")]
#[derive(Debug, Clone)]
pub struct Replacement {
    /// An identifier or `default`; `None`: the name of the export.
    pub name: Option<String>,
    /// An expression, made from JSON.
    pub value: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            loader: None,
            package_type: ModuleHint::Unknown,
            jsx: JsxOptions::default(),
            decorators: Decorators::default(),
            use_define_for_class_fields: true,
            verbatim_module_syntax: false,
            define: None,
            drop: Vec::new(),
            lower_using: false,
            source_map: true,
            cjs_exports: false,
            only_decorators: false,
            reprint: false,
            check_names: false,
            minify_whitespace: false,
            #[cfg(feature = "reshape")]
            reshape: None,
            refresh: false,
        }
    }
}

impl Options {
    /// Takes over what a tsconfig.json says. `production` = `NODE_ENV=production`; it decides between
    /// [`JsxMode::Automatic`] and [`JsxMode::AutomaticDev`] if the file does not decide. `jsx: preserve`
    /// leaves it open too, because the engine cannot run JSX. `emitDecoratorMetadata` implies
    /// `experimentalDecorators`, as in Bun.
    #[must_use]
    pub fn with_tsconfig(mut self, config: Option<&TsConfig>, production: bool) -> Self {
        let automatic = if production { JsxMode::Automatic } else { JsxMode::AutomaticDev };
        self.jsx.mode = automatic;
        let Some(config) = config else { return self };
        self.jsx.mode = match config.jsx {
            Some(JsxSetting::React) => JsxMode::Classic,
            Some(JsxSetting::ReactJsx) => JsxMode::Automatic,
            // A factory alone does not choose the classic runtime, as in Bun. In production React has no runtime for development,
            // whatever the file says.
            Some(JsxSetting::ReactJsxDev | JsxSetting::Preserve | JsxSetting::ReactNative) | None => automatic,
        };
        self.jsx.import_source.clone_from(&config.jsx_import_source);
        self.jsx.factory.clone_from(&config.jsx_factory);
        self.jsx.fragment.clone_from(&config.jsx_fragment_factory);
        let emit_metadata = config.emit_decorator_metadata.unwrap_or(false);
        if config.experimental_decorators.unwrap_or(emit_metadata) {
            let strict_null_checks = config.strict_null_checks.or(config.strict).unwrap_or(false);
            self.decorators = Decorators::Legacy { emit_metadata, strict_null_checks };
        }
        // As TypeScript and esbuild have it; without a target, fields are the language's own.
        self.use_define_for_class_fields =
            config.use_define_for_class_fields.or(config.target_has_class_fields).unwrap_or(true);
        self.verbatim_module_syntax = config.verbatim_module_syntax.unwrap_or(false);
        self
    }

    /// A hash of everything that influences the output, for keys of a disk cache (together with a hash of
    /// the source, the path's extension and the version of the executable). Stable between runs.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        use std::hash::Hasher;
        let mut hasher = rustc_hash::FxHasher::default();
        let text = format!(
            "{:?}|{:?}|{:?}|{:?}|{}|{}|{:?}|{:?}|{}|{}|{}|{}|{}|{}|{}|{}",
            self.loader,
            self.package_type,
            self.jsx,
            self.decorators,
            self.use_define_for_class_fields,
            self.verbatim_module_syntax,
            self.define.as_ref().map(|d| d.pairs()),
            self.drop,
            self.lower_using,
            self.source_map,
            self.cjs_exports,
            self.only_decorators,
            self.reprint,
            self.check_names,
            self.minify_whitespace,
            self.refresh,
        );
        hasher.write(text.as_bytes());
        #[cfg(feature = "reshape")]
        if let Some(reshape) = &self.reshape {
            hasher.write(format!("{reshape:?}").as_bytes());
        }
        hasher.finish()
    }

    /// The loader for `path`, and the module hint of its extension.
    pub(crate) fn resolve(&self, path: &str) -> (Loader, ModuleHint) {
        let (by_name, hint) = match Loader::from_path(path) {
            Some((loader, hint)) => (Some(loader), hint),
            None => (None, ModuleHint::Unknown),
        };
        (self.loader.or(by_name).unwrap_or(Loader::Tsx), hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tsconfig_decides() {
        let text = r#"{ "compilerOptions": { "jsx": "react-jsx", "strict": true, "experimentalDecorators": true,
            "emitDecoratorMetadata": true, "useDefineForClassFields": false } }"#;
        let config = TsConfig::from_text(text, Path::new("/app/tsconfig.json")).unwrap();
        let options = Options::default().with_tsconfig(Some(&config), false);
        assert_eq!(options.jsx.mode, JsxMode::Automatic);
        assert_eq!(options.decorators, Decorators::Legacy { emit_metadata: true, strict_null_checks: true });
        assert!(!options.use_define_for_class_fields);
    }
}
