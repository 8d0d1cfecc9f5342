//! What a runner of tests adds to the module loader: mocks, counters, code that is kept from one file of tests to the next.

use engine::{JsResult, Local, Scope, Stencil};
use transpile::{Loader, ModuleHint, ModuleKind, SourceMap};

use crate::source::Source;

/// The text of a script file that is about to be prepared.
pub struct ScriptText<'a> {
    pub path: &'a str,
    pub loader: Loader,
    pub hint: ModuleHint,
    pub text: &'a str,
}

/// Code that is prepared in place of a file's text, and how its places map to that text.
pub struct Replacement {
    pub code: String,
    pub map: SourceMap,
}

/// Seams of the loader, filled by ext/test; without them every file is loaded as it is.
pub trait LoaderHooks {
    /// Sees every script before it is prepared; the result takes the place of its text.
    ///
    /// # Errors
    /// A JavaScript exception, which the import or `require` of the file throws.
    fn replace(&self, scope: &mut Scope<'_>, script: &ScriptText<'_>) -> JsResult<Option<Replacement>>;

    /// Whether [`LoaderHooks::prepared`] changes code now: the caches keep such code apart.
    fn changes_code(&self) -> bool;

    /// Code that was kept for a file, if its text is still the same.
    fn kept(&self, path: &str, text: &str) -> Option<Source>;

    /// Changes code that was made of a file's text, before it is compiled.
    fn prepared(&self, path: &str, source: &mut Source);

    /// Is told of compiled code, so that [`LoaderHooks::kept`] has it the next time.
    fn compiled(&self, path: &str, text: &str, kind: ModuleKind, map: Option<&SourceMap>, stencil: &Stencil);

    /// The code of a module that the loader writes around a value, if it is to be changed.
    fn wrapper(&self, code: &str) -> Option<String>;

    /// Is told of a module when its `import.meta` is made.
    ///
    /// # Errors
    /// A JavaScript exception, which the evaluation of the module throws.
    fn module_made(&self, scope: &mut Scope<'_>, path: &str, meta: Local<'_>) -> JsResult<()>;
}
