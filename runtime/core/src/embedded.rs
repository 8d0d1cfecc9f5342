//! Modules that are a part of the executable (`bao build --compile`): found without the disk, and compiled already.

use engine::{JsResult, Scope};
use resolve::{Embedded, FileClass};
use standalone::{Program, ROOT};
use transpile::{ImportRequest, ModuleKind, SourceMap};

use crate::bytecode_order;
use crate::source::Source;
use crate::state::RuntimeState;

/// The resolver's way to such files.
pub(crate) fn lookup(program: &'static Program) -> Embedded {
    Embedded {
        root: ROOT,
        lookup: Box::new(|specifier, importer| {
            let path = program.resolve(specifier, importer)?;
            let class = match program.module(&path) {
                Some(_) => FileClass::Js,
                None => FileClass::from_extension(resolve::paths::extension(&path)),
            };
            Some((path, class))
        }),
    }
}

/// The module at a path, ready to run; `None` if it is none of the executable's. `as_text`: to be compiled anew.
///
/// # Errors
/// The engine's, if there is no memory for the code.
pub(crate) fn source(scope: &mut Scope<'_>, path: &str, as_text: bool) -> JsResult<Option<Source>> {
    let Some(program) = standalone::current() else { return Ok(None) };
    let Some(module) = program.module(path) else { return Ok(None) };
    let kind = if module.esm { ModuleKind::Esm } else { ModuleKind::Cjs };
    let is_noted = bytecode_order::is_wanted() && !RuntimeState::of(scope).is_worker();
    let stencil = match program.code(module) {
        Some(_) if !as_text && is_noted => {
            let text = program.text(module).unwrap_or_default();
            Some(bytecode_order::compile(scope, path, module, text)?)
        }
        Some(code) if !as_text => scope.decode_static_stencil(code)?,
        _ => None,
    };
    let text = || program.text(module).unwrap_or_default().to_string();
    let mut source = match stencil {
        // What the loader asks of the text of an ES module is known.
        Some(stencil) if module.esm => Source::compiled(String::new(), kind, None, stencil),
        Some(stencil) => Source::compiled(text(), kind, None, stencil),
        None => Source::plain(text(), kind),
    };
    let imports = module.imports.iter().map(|import| ImportRequest {
        specifier: import.specifier.clone(),
        attributes: import.attributes.clone(),
        names: import.names.clone(),
        namespace: import.namespace,
        star: import.star,
        ..ImportRequest::default()
    });
    source.imports = Some(imports.collect());
    Ok(Some(source))
}

/// How many times longer than usual code of the executable's program stays in the interpreter, if that is not 1.
pub fn jit_policy() -> Option<f64> {
    standalone::current()?.jit_policy()
}

/// The source map of a module by its name in stack traces.
pub(crate) fn map(name: &str) -> Option<SourceMap> {
    let program = standalone::current()?;
    SourceMap::from_json(program.map(name.strip_prefix("file://").unwrap_or(name))?).ok()
}

/// Names and sizes of the files in the executable that are no modules; `None` if it has no program.
pub fn files() -> Option<Vec<(String, u64)>> {
    Some(standalone::current()?.files())
}

/// The path of the module in the executable that a worker's specifier means: a path, or relative to the program's first module.
pub fn worker(specifier: &str) -> Option<String> {
    let program = standalone::current()?;
    let path = program.resolve(specifier, "")?;
    program.module(&path).map(|_| path)
}
