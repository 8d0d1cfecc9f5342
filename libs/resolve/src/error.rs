//! Failed resolutions, told in Node's words.

use std::fmt;
use std::path::PathBuf;

use crate::paths;

/// Kind of failure; [`code`](ErrorKind::code) gives Node's error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// `MODULE_NOT_FOUND`: from `require`, and for files named on the command line.
    RequireNotFound,
    /// `ERR_MODULE_NOT_FOUND`: from `import`.
    ImportNotFound,
    PackagePathNotExported,
    PackageImportNotDefined,
    InvalidPackageTarget,
    InvalidModuleSpecifier,
    UnsupportedDirImport,
    InvalidPackageConfig,
    UnknownBuiltinModule,
    InvalidFileUrlHost,
}

impl ErrorKind {
    /// The `code` property of the JavaScript error.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::RequireNotFound => "MODULE_NOT_FOUND",
            ErrorKind::ImportNotFound => "ERR_MODULE_NOT_FOUND",
            ErrorKind::PackagePathNotExported => "ERR_PACKAGE_PATH_NOT_EXPORTED",
            ErrorKind::PackageImportNotDefined => "ERR_PACKAGE_IMPORT_NOT_DEFINED",
            ErrorKind::InvalidPackageTarget => "ERR_INVALID_PACKAGE_TARGET",
            ErrorKind::InvalidModuleSpecifier => "ERR_INVALID_MODULE_SPECIFIER",
            ErrorKind::UnsupportedDirImport => "ERR_UNSUPPORTED_DIR_IMPORT",
            ErrorKind::InvalidPackageConfig => "ERR_INVALID_PACKAGE_CONFIG",
            ErrorKind::UnknownBuiltinModule => "ERR_UNKNOWN_BUILTIN_MODULE",
            ErrorKind::InvalidFileUrlHost => "ERR_INVALID_FILE_URL_HOST",
        }
    }

    /// Whether Node throws a `TypeError` rather than an `Error`.
    pub fn is_type_error(self) -> bool {
        matches!(
            self,
            ErrorKind::InvalidModuleSpecifier | ErrorKind::InvalidFileUrlHost | ErrorKind::PackageImportNotDefined
        )
    }

    /// Whether the module is simply not there, which is what `try { require(..) }` expects.
    pub fn is_not_found(self) -> bool {
        matches!(self, ErrorKind::RequireNotFound | ErrorKind::ImportNotFound)
    }

    /// Whether Node's error of an import has the `url` of what it is about.
    pub fn has_url(self) -> bool {
        self.is_not_found() || self == ErrorKind::UnsupportedDirImport
    }
}

/// Why a specifier could not be resolved.
#[derive(Clone, Debug)]
pub struct ResolveError {
    pub kind: ErrorKind,
    /// Node's message. For `MODULE_NOT_FOUND` Node appends the require stack, which only the runtime
    /// knows: see [`with_require_stack`](ResolveError::with_require_stack).
    pub message: String,
    pub specifier: String,
    /// The importing file, or the directory for a command line entry.
    pub importer: String,
    /// Files that would have been accepted, in the order they were looked for.
    pub tried: Vec<PathBuf>,
    /// What may have been meant, as something to write in place of the specifier.
    pub suggestion: Option<String>,
    /// The file the error is about: the missing file, or the `package.json` at fault.
    pub path: Option<String>,
    /// Why the package was not installed, where it was to be.
    pub installation: Option<String>,
    /// Line and column (from 1) in `path`, for a `package.json` that is not JSON.
    pub position: Option<(u32, u32)>,
}

impl ResolveError {
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The query and the hash of a specifier that is a path or a `file:` URL, with `?` or `#` in front; else empty.
    pub fn query(&self) -> &str {
        let specifier = &self.specifier;
        if paths::is_relative(specifier) || specifier.starts_with('/') || specifier.starts_with("file:") {
            paths::split_suffix(specifier).1
        } else {
            ""
        }
    }

    /// `Did you mean "./foo.js"?`, or why the package was not installed.
    pub fn hint(&self) -> Option<String> {
        let meant = self.suggestion.as_ref().map(|suggestion| format!("Did you mean \"{suggestion}\"?"));
        meant.or_else(|| self.installation.as_ref().map(|reason| format!("It could not be installed: {reason}")))
    }

    /// The message as Node's `require` gives it: with the chain of requiring files, innermost first.
    pub fn with_require_stack(&self, stack: &[&str]) -> String {
        if self.kind != ErrorKind::RequireNotFound || stack.is_empty() {
            return self.message.clone();
        }
        format!("{}\nRequire stack:\n- {}", self.message, stack.join("\n- "))
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ResolveError {}
