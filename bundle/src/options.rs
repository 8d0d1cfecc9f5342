//! The options of a build, as `Bun.build` has them (https://bun.com/docs/bundler): filled by ext/bundle, which checks what a
//! program passes in. Paths are absolute but where a field says otherwise.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// All options of one build.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BuildOptions {
    /// The working directory: relative entry points start here.
    pub cwd: PathBuf,
    pub entrypoints: Vec<String>,
    /// What `[dir]` of entry points is relative to; the deepest folder that holds all of them if it is not given.
    pub root: Option<PathBuf>,
    /// Where results go, for messages and for entry points that would be overwritten; nothing is written without it.
    pub outdir: Option<PathBuf>,
    /// The name of the only result, instead of `outdir`.
    pub outfile: Option<PathBuf>,
    /// For an executable: the name of the result of the first entry point, in the place of what `naming` says.
    pub executable: Option<String>,
    /// Whether a page is one file: its scripts and sheets stand in it, and so do images and fonts, as `data:` URLs.
    pub standalone: bool,
    pub target: Target,
    pub format: Format,
    pub splitting: bool,
    /// With `splitting`, for Bun: whether an ES module that is required is a chunk of its own, loaded by the call.
    pub split_require: bool,
    /// With `splitting`: chunks without side effects whose sources have fewer bytes are put into others; 0 for none.
    pub min_chunk_size: u64,
    /// With `splitting`, for browsers: whether pages and `import()` ask at once for all that a chunk imports.
    pub module_preload: bool,
    /// Whether sheets of several entry points that have the same parts are one result.
    pub css_chunking: bool,
    /// Whether properties of the namespaces of modules can be assigned to, which changes nothing.
    pub namespace_setters: bool,
    pub sourcemap: Sourcemap,
    /// Whether compiled code will lie beside the results, which say so.
    pub bytecode: bool,
    pub minify: Minify,
    pub naming: Naming,
    /// Prefix of paths to chunks and assets in results.
    pub public_path: String,
    /// Specifiers that stay imports; `*` stands for any text.
    pub external: Vec<String>,
    /// Whether all specifiers of packages stay imports.
    pub packages_external: bool,
    /// Further conditions of `exports` and `imports` in package.json.
    pub conditions: Vec<String>,
    /// Folders in which packages are looked for at last.
    pub node_paths: Vec<PathBuf>,
    pub define: BTreeMap<String, String>,
    /// Calls of these names are dropped, and `debugger` statements if `debugger` is among them.
    pub drop: Vec<String>,
    /// Loaders by file extension, which begins with a dot.
    pub loader: BTreeMap<String, Loader>,
    pub banner: String,
    pub footer: String,
    pub jsx: Jsx,
    pub tsconfig: Option<PathBuf>,
    pub tree_shaking: bool,
    pub ignore_dce_annotations: bool,
    /// Whether `/* @__PURE__ */` and the like stay; if it is not given, unless white space is taken away.
    pub emit_dce_annotations: Option<bool>,
    /// `process.env.NAME` that become text: names with their values.
    pub env: BTreeMap<String, String>,
    /// Sources that stand for files: path and text.
    pub files: BTreeMap<PathBuf, String>,
    /// Shapes of specifiers of `import()` and `require()` that may be unknown, with `*` for any text; all if it is not given.
    pub allow_unresolved: Option<Vec<String>>,
    /// Names of `feature()` of "bun:bundle" that are on.
    pub features: Vec<String>,
    /// Packages whose modules have no side effects, whatever they say: of their index files only what is imported is read.
    pub optimize_imports: Vec<String>,
    /// The oldest language version that results may need, as `es2020` or `chrome100`; empty for the newest.
    pub syntax_target: Vec<String>,
    /// Specifiers that stand for others.
    pub alias: BTreeMap<String, String>,
    /// The global variable that holds the exports of an `iife`.
    pub global_name: Option<String>,
    /// Whether the results come with a metafile.
    pub metafile: bool,
    /// Whether comments of licences stay (`inline`) or go (`none`).
    pub legal_comments: LegalComments,
    /// Modules whose exports stand for free names of their own names, in every module.
    pub inject: Vec<PathBuf>,
    /// Chunks that programs ask for by name, with `splitting`.
    pub manual_chunks: Vec<ManualChunk>,
    /// Whether the entry points' types are written beside the results.
    pub declarations: bool,
    /// Filters of plugins, by which their hooks are called.
    pub resolve_filters: Vec<Filter>,
    pub load_filters: Vec<Filter>,
    /// Those of native plugins, each of which is a function.
    pub before_parse_filters: Vec<Filter>,
    /// The hooks that plugins of Rollup have, by their names; empty if there are no such plugins.
    pub rollup_hooks: Vec<String>,
    /// Whether there are such plugins, whatever hooks they have.
    pub has_rollup: bool,
    /// Whether plugins have Rollup's hooks `transform` and `renderChunk`.
    pub has_transform: bool,
    pub has_render_chunk: bool,
    /// Whether the process ends with this build, so that nothing needs to be freed.
    pub is_last: bool,
    /// For a command line that watches: the paths of files that have changed since its last build; nothing for the first. The other
    /// options are always the same.
    pub changed: Option<Vec<String>>,
    /// Whether these are all: the files of the last build were watched when it began.
    pub changed_is_all: bool,
    /// For a command line that watches: whether texts that the next build goes on with stay here, see [`crate::with_texts`].
    pub keeps_texts: bool,
}

impl BuildOptions {
    /// Whether small chunks are put into others.
    pub(crate) fn folds(&self) -> bool {
        self.splitting && self.min_chunk_size > 0
    }
}

/// A chunk of modules that a program chooses.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManualChunk {
    pub name: String,
    /// Parts of paths: a module belongs to the chunk if its path contains one of them.
    pub contains: Vec<String>,
}

/// Where results run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    Browser,
    Bun,
    Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Esm,
    Cjs,
    Iife,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sourcemap {
    None,
    /// A file beside the result, which names it in a comment.
    Linked,
    Inline,
    /// A file beside the result, which does not name it.
    External,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LegalComments {
    None,
    Inline,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Minify {
    pub whitespace: bool,
    pub syntax: bool,
    pub identifiers: bool,
    pub keep_names: bool,
}

/// Templates of file names: `[dir]`, `[name]`, `[hash]`, `[hashN]` with N digits, `[ext]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Naming {
    pub entry: String,
    pub chunk: String,
    pub asset: String,
}

/// How JSX becomes calls; what is missing comes from tsconfig.json.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Jsx {
    /// `automatic`, `classic` or `preserve`.
    pub runtime: Option<String>,
    pub import_source: Option<String>,
    pub factory: Option<String>,
    pub fragment: Option<String>,
    pub development: Option<bool>,
    /// Whether JSX that nobody uses stays.
    pub side_effects: bool,
    /// Whether components are registered for React Fast Refresh.
    pub refresh: bool,
}

/// What a file's bytes are made into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loader {
    Js,
    Jsx,
    Ts,
    Tsx,
    Json,
    Jsonc,
    Json5,
    Toml,
    Yaml,
    Text,
    File,
    Wasm,
    Napi,
    Css,
    Html,
    Base64,
    Dataurl,
    Binary,
    Empty,
    Sqlite,
    /// A database that is put into the code's surroundings, as a file is.
    SqliteEmbedded,
    Md,
}

impl Loader {
    /// The name that programs know it by.
    pub fn name(self) -> &'static str {
        match self {
            Loader::Js => "js",
            Loader::Jsx => "jsx",
            Loader::Ts => "ts",
            Loader::Tsx => "tsx",
            Loader::Json => "json",
            Loader::Jsonc => "jsonc",
            Loader::Json5 => "json5",
            Loader::Toml => "toml",
            Loader::Yaml => "yaml",
            Loader::Text => "text",
            Loader::File => "file",
            Loader::Wasm => "wasm",
            Loader::Napi => "napi",
            Loader::Css => "css",
            Loader::Html => "html",
            Loader::Base64 => "base64",
            Loader::Dataurl => "dataurl",
            Loader::Binary => "binary",
            Loader::Empty => "empty",
            Loader::Sqlite => "sqlite",
            Loader::SqliteEmbedded => "sqliteembedded",
            Loader::Md => "md",
        }
    }

    /// The loader of a name, as import attributes and plugins give it.
    pub fn of_name(name: &str) -> Option<Loader> {
        serde_json::from_value(serde_json::Value::String(name.to_string())).ok()
    }

    /// What Bun makes of an extension (with its dot).
    pub fn of_extension(extension: &str) -> Loader {
        match extension {
            // As in Bun: only what says that it is a module of one kind has no JSX.
            ".cjs" | ".mjs" => Loader::Js,
            ".js" | ".jsx" => Loader::Jsx,
            ".ts" | ".mts" | ".cts" => Loader::Ts,
            ".tsx" => Loader::Tsx,
            ".json" => Loader::Json,
            ".jsonc" => Loader::Jsonc,
            ".json5" => Loader::Json5,
            ".toml" => Loader::Toml,
            ".yaml" | ".yml" => Loader::Yaml,
            ".txt" => Loader::Text,
            ".css" => Loader::Css,
            ".html" | ".htm" => Loader::Html,
            ".wasm" => Loader::Wasm,
            ".node" => Loader::Napi,
            _ => Loader::File,
        }
    }
}

/// When a hook of a plugin is asked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Source and flags of a regular expression of JavaScript.
    pub source: String,
    pub flags: String,
    /// The namespace of the file; `file` for files.
    pub namespace: Option<String>,
}
