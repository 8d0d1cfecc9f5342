//! Executables (`compile` of Bun.build): modules are compiled by the engine, and put behind a copy of bao.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use engine::{CompileOptions, Exc, OpError, Scope, op};
use runtime_core::RuntimeState;
use runtime_core::modules::commonjs_stencil;
use runtime_core::source::{add_module_scope, file_url};
use standalone::{Autoload, Builder, Failure, Import, Module, ROOT, Template};
use transpile::{Loader, ModuleHint, SourceMap};

/// Executables that are put together, by number.
static BUILDERS: Mutex<Option<HashMap<u32, Builder>>> = Mutex::new(None);

fn with_builders<T>(act: impl FnOnce(&mut HashMap<u32, Builder>) -> T) -> T {
    act(BUILDERS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Begins an executable: bao's options that it always runs with, and which of .env, bunfig.toml, tsconfig.json and package.json it
/// reads. Gives its number, which [`executable_write`] takes back.
#[op]
pub(crate) fn executable_new(
    exec_argv: Vec<String>,
    dotenv: bool,
    bunfig: bool,
    tsconfig: bool,
    package_json: bool,
) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let builder = Builder::new(exec_argv, Autoload { dotenv, bunfig, tsconfig, package_json });
    with_builders(|builders| builders.insert(number, builder));
    number
}

fn refused(name: &str) -> OpError {
    OpError::error(format!("\"{name}\" cannot be the name of a file in an executable"))
}

/// Adds a module, the one that runs first. `map` is its source map as JSON.
///
/// # Errors
/// A SyntaxError about a text that the engine cannot compile; a name that no file can have.
#[op]
pub(crate) fn executable_module(
    scope: &mut Scope<'_>,
    number: u32,
    name: String,
    text: String,
    esm: bool,
    map: Option<String>,
) -> Result<(), Exc> {
    let path = format!("{ROOT}/{name}");
    let hint = if esm { ModuleHint::Esm } else { ModuleHint::Cjs };
    let options = transpile::Options { loader: Some(Loader::Js), package_type: hint, ..Default::default() };
    let output = match transpile::transpile(&text, &path, &options) {
        Ok(output) => output,
        Err(errors) => return Err(runtime_core::diagnostics::throw_diagnostics(scope, &errors)),
    };
    // The bundler leaves what only bao's transpiler rewrites (decorators); then the map leads through both.
    let map = match (output.map, map) {
        (Some(outer), Some(inner)) => match SourceMap::from_json(&inner) {
            Ok(inner) => Some(outer.compose(&inner).to_json(None)),
            Err(_) => Some(inner),
        },
        (_, map) => map,
    };
    let mut code = output.code.unwrap_or(text);
    let stencil = if esm {
        add_module_scope(&mut code, output.info.free);
        scope.compile_module(&code, &CompileOptions::new(&file_url(&path)))?
    } else {
        commonjs_stencil(scope, &path, &code)?
    };
    let compiled = scope.encode_stencil(&stencil)?;
    let imports = output.info.imports.into_iter().map(|import| Import {
        specifier: import.specifier,
        names: import.names,
        namespace: import.namespace,
        star: import.star,
        attributes: import.attributes,
    });
    let module = Module { name: name.clone(), esm, imports: imports.collect() };
    let added = with_builders(|builders| {
        let builder = builders.get_mut(&number)?;
        let map = map.as_deref().map(str::as_bytes);
        Some(builder.add_module(module, code.as_bytes(), compiled.as_deref(), map))
    });
    if added == Some(true) { Ok(()) } else { Err(scope.throw_op_error(&refused(&name))) }
}

/// The compiled code of a module that will have this text at this path, as `runtime_core::bytecode` reads it.
///
/// # Errors
/// A SyntaxError about a text that the engine cannot compile.
#[op]
pub(crate) fn bytecode(scope: &mut Scope<'_>, path: String, text: String, esm: bool) -> Result<Option<Vec<u8>>, Exc> {
    let state = RuntimeState::of(scope);
    runtime_core::bytecode::make(scope, &state, &path, text, esm)
}

/// Adds a file.
///
/// # Errors
/// A name that no file can have.
#[op]
pub(crate) fn executable_file(number: u32, name: String, content: Vec<u8>) -> Result<(), OpError> {
    let added = with_builders(|builders| Some(builders.get_mut(&number)?.add_file(&name, &content)));
    if added == Some(true) { Ok(()) } else { Err(refused(&name)) }
}

/// Forgets an executable that is not written.
#[op]
pub(crate) fn executable_drop(number: u32) {
    with_builders(|builders| builders.remove(&number));
}

/// Writes the executable to `path`, as a copy of the bao at `template`; gives its size in bytes.
///
/// # Errors
/// A template that cannot be read or is none, and those of the system about `path`.
#[op(blocking)]
pub(crate) fn executable_write(number: u32, template: String, path: String) -> Result<f64, OpError> {
    let builder = with_builders(|builders| builders.remove(&number))
        .ok_or_else(|| OpError::error("this executable was written already"))?;
    let failed = |failure: Failure| match failure {
        Failure::Template(error) => OpError::io(error, "open").path(template.as_str()),
        Failure::Foreign(why) => OpError::error(format!("an executable cannot be made of \"{template}\": {why}")),
        Failure::Output(error) => OpError::io(error, "write").path(path.as_str()),
    };
    let opened = Template::open(Path::new(&template)).map_err(failed)?;
    standalone::write(&opened, builder, Path::new(&path)).map(|size| size as f64).map_err(failed)
}
