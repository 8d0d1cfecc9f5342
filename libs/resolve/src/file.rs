//! What a resolution yields.

use crate::package_json::{PackageJson, PackageType};
use std::path::Path;
use std::sync::Arc;

/// What a file's extension says about it; the names follow Bun's loaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileClass {
    /// `.js`
    Js,
    /// `.mjs`
    Mjs,
    /// `.cjs`
    Cjs,
    /// `.jsx`
    Jsx,
    /// `.ts`
    Ts,
    /// `.mts`
    Mts,
    /// `.cts`
    Cts,
    /// `.tsx`
    Tsx,
    /// `.json`
    Json,
    /// `.jsonc`
    Jsonc,
    /// `.json5`
    Json5,
    /// `.toml`
    Toml,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.txt`
    Text,
    /// `.html`, `.htm`
    Html,
    /// `.css`
    Css,
    /// `.wasm`
    Wasm,
    /// `.node`: a Node-API addon.
    Addon,
    /// `.sh`
    Shell,
    /// Anything else, and no extension.
    Other,
}

impl FileClass {
    /// Class of a file by its name: that of its extension, but for `bun.lock`, which is JSONC as in Bun.
    pub fn of_name(name: &str) -> FileClass {
        if name == "bun.lock" { FileClass::Jsonc } else { FileClass::from_extension(crate::paths::extension(name)) }
    }

    /// Class of an extension with its dot; the comparison is exact, as in Node and Bun.
    pub fn from_extension(extension: &str) -> FileClass {
        match extension {
            ".js" => FileClass::Js,
            ".mjs" => FileClass::Mjs,
            ".cjs" => FileClass::Cjs,
            ".jsx" => FileClass::Jsx,
            ".ts" => FileClass::Ts,
            ".mts" => FileClass::Mts,
            ".cts" => FileClass::Cts,
            ".tsx" => FileClass::Tsx,
            ".json" => FileClass::Json,
            ".jsonc" => FileClass::Jsonc,
            ".json5" => FileClass::Json5,
            ".toml" => FileClass::Toml,
            ".yaml" | ".yml" => FileClass::Yaml,
            ".txt" => FileClass::Text,
            ".html" | ".htm" => FileClass::Html,
            ".css" => FileClass::Css,
            ".wasm" => FileClass::Wasm,
            ".node" => FileClass::Addon,
            ".sh" => FileClass::Shell,
            _ => FileClass::Other,
        }
    }

    /// JavaScript or TypeScript source.
    pub fn is_script(self) -> bool {
        use FileClass::*;
        matches!(self, Js | Mjs | Cjs | Jsx | Ts | Mts | Cts | Tsx)
    }

    /// Source that has to be transpiled before an engine can read it.
    pub fn is_typescript(self) -> bool {
        matches!(self, FileClass::Ts | FileClass::Mts | FileClass::Cts | FileClass::Tsx)
    }
}

/// Module system of a source file as far as its name and package decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleFormat {
    /// `.mjs`, `.mts`, or a package with `"type": "module"`.
    Module,
    /// `.cjs`, `.cts`, or a package with `"type": "commonjs"`.
    CommonJs,
    /// Only the source can tell.
    Detect,
}

/// A file that specifiers resolve to. The same file always gives the same allocation until the
/// resolver is told that something changed, so callers may compare by pointer or by [`id`].
///
/// [`id`]: ResolvedFile::id
#[derive(Clone, Debug)]
pub struct ResolvedFile {
    /// Dense number of this path within its resolver, from 0; kept across invalidation.
    pub id: u32,
    /// Absolute path, with symbolic links resolved unless they are to be preserved.
    pub path: Arc<str>,
    /// Nearest `package.json`, not looking past a `node_modules` directory.
    pub package: Option<Arc<PackageJson>>,
    pub class: FileClass,
    /// Whether a `node_modules` directory is part of the path.
    pub in_node_modules: bool,
}

impl ResolvedFile {
    pub fn as_path(&self) -> &Path {
        Path::new(&*self.path)
    }

    /// Extension with its dot, or the empty string.
    pub fn extension(&self) -> &str {
        crate::paths::extension(&self.path)
    }

    /// The `type` of the nearest package.
    pub fn package_type(&self) -> PackageType {
        self.package.as_ref().map_or(PackageType::Unset, |p| p.package_type())
    }

    /// Module system by extension and package `type`; of use for [`FileClass::is_script`] files.
    pub fn module_format(&self) -> ModuleFormat {
        match (self.class, self.package_type()) {
            (FileClass::Mjs | FileClass::Mts, _) => ModuleFormat::Module,
            (FileClass::Cjs | FileClass::Cts, _) => ModuleFormat::CommonJs,
            // Node requires files of other names as CommonJS and imports them as modules, so the text tells: yargs has such a file.
            (FileClass::Other, PackageType::Module) => ModuleFormat::Detect,
            (_, PackageType::Module) => ModuleFormat::Module,
            (_, PackageType::CommonJs) => ModuleFormat::CommonJs,
            (_, PackageType::Unset) => ModuleFormat::Detect,
        }
    }
}

/// What a specifier means.
#[derive(Clone, Debug)]
pub enum Target {
    File(Arc<ResolvedFile>),
    /// A built-in module, by the id that the caller's table gave.
    Builtin(&'static str),
    /// An absolute URL that is not a `file:` one (`data:`, `https:`, `blob:`, ...), as written; the
    /// caller decides what it can load.
    Url(Arc<str>),
}

/// A resolved specifier. Cloning takes references and copies nothing.
#[derive(Clone, Debug)]
pub struct Resolution {
    pub target: Target,
    /// Query and hash as written, `?v=1#x`. Only for files.
    pub suffix: Option<Arc<str>>,
    /// Whether a symbolic link was followed from the path that was asked for.
    pub symlinked: bool,
}

impl Resolution {
    pub fn file(&self) -> Option<&Arc<ResolvedFile>> {
        match &self.target {
            Target::File(file) => Some(file),
            _ => None,
        }
    }

    /// Path of the file, id of the built-in module, or the URL; without the suffix.
    pub fn name(&self) -> &str {
        match &self.target {
            Target::File(file) => &file.path,
            Target::Builtin(id) => id,
            Target::Url(url) => url,
        }
    }

    /// [`name`](Self::name) followed by the suffix: what tells module instances apart.
    pub fn key(&self) -> std::borrow::Cow<'_, str> {
        match &self.suffix {
            Some(suffix) => format!("{}{suffix}", self.name()).into(),
            None => self.name().into(),
        }
    }
}
