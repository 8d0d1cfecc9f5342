//! Executables (`compile` of Bun.build): modules are compiled by the engine, and put behind a copy of bao.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use engine::{CompileOptions, Exc, OpError, Scope, op};
use runtime_core::RuntimeState;
use runtime_core::bytecode_order::BytecodeOrder;
use runtime_core::modules::commonjs_stencil_of;
use runtime_core::source::{add_module_scope, file_url};
use standalone::{Autoload, Builder, Failure, Import, Module, ROOT, Template};
use transpile::{Loader, ModuleHint, SourceMap};

/// An executable that is put together.
struct Making {
    builder: Builder,
    /// What runs of earlier builds have written about the functions that they used.
    orders: Vec<BytecodeOrder>,
}

/// Executables that are put together, by number.
static BUILDERS: Mutex<Option<HashMap<u32, Making>>> = Mutex::new(None);

fn with_builders<T>(act: impl FnOnce(&mut HashMap<u32, Making>) -> T) -> T {
    act(BUILDERS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Begins an executable: bao's options that it always runs with, and which of .env, bunfig.toml, tsconfig.json and package.json it
/// reads; how many times longer than usual code stays in the interpreter. Gives its number, which [`executable_write`] takes back.
#[op]
pub(crate) fn executable_new(
    exec_argv: Vec<String>,
    dotenv: bool,
    bunfig: bool,
    tsconfig: bool,
    package_json: bool,
    jit_policy: Option<f64>,
) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let builder = Builder::new(exec_argv, Autoload { dotenv, bunfig, tsconfig, package_json }, jit_policy);
    with_builders(|builders| builders.insert(number, Making { builder, orders: Vec::new() }));
    number
}

/// Takes a file that a run has written about the functions that it used (`BUN_BYTECODE_ORDER_OUT`); the first one that knows a module
/// counts. False if it is no such file.
#[op]
pub(crate) fn executable_order(number: u32, content: Vec<u8>) -> bool {
    let Some(order) = BytecodeOrder::read(content) else { return false };
    with_builders(|builders| builders.get_mut(&number).map(|making| making.orders.push(order)));
    true
}

fn refused(name: &str) -> OpError {
    OpError::error(format!("\"{name}\" cannot be the name of a file in an executable"))
}

/// The compiled code of a module as the first order file that knows it has it, which the engine can read.
fn ordered(scope: &mut Scope<'_>, number: u32, name: &str, text: &str) -> Option<Vec<u8>> {
    let code = with_builders(|builders| {
        let orders = &builders.get(&number)?.orders;
        orders.iter().find_map(|order| order.code(name, text)).map(<[u8]>::to_vec)
    })?;
    // That of another bao is none.
    let is_read = scope.nested(|scope| scope.decode_stencil(&code).map(|stencil| stencil.is_some()));
    is_read.unwrap_or(false).then_some(code)
}

/// Adds a module, the one that runs first. `map` is its source map as JSON. With `all_functions` those of the
/// module are compiled, not only what runs when it is loaded. Gives whether its code is one of an order file.
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
    all_functions: bool,
    map: Option<String>,
) -> Result<bool, Exc> {
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
    if esm {
        add_module_scope(&mut code, output.info.free);
    }
    let known = ordered(scope, number, &name, &code);
    let is_ordered = known.is_some();
    let compiled = match known {
        Some(known) => Some(known),
        None => {
            let stencil = if esm {
                let url = file_url(&path);
                scope.compile_module(&code, &CompileOptions { all_functions, ..CompileOptions::new(&url) })?
            } else {
                commonjs_stencil_of(scope, &path, &code, all_functions)?
            };
            scope.encode_stencil(&stencil)?
        }
    };
    let imports = output.info.imports.into_iter().map(|import| Import {
        specifier: import.specifier,
        names: import.names,
        namespace: import.namespace,
        star: import.star,
        attributes: import.attributes,
    });
    let module = Module { name: name.clone(), esm, imports: imports.collect() };
    let added = with_builders(|builders| {
        let builder = &mut builders.get_mut(&number)?.builder;
        let map = map.as_deref().map(str::as_bytes);
        Some(builder.add_module(module, code.as_bytes(), compiled.as_deref(), map))
    });
    if added == Some(true) { Ok(is_ordered) } else { Err(scope.throw_op_error(&refused(&name))) }
}

/// The compiled code of a module that will have this text at this path, as `runtime_core::bytecode` reads it, with `all_functions` also
/// of what does not run when it is loaded.
///
/// # Errors
/// A SyntaxError about a text that the engine cannot compile.
#[op]
pub(crate) fn bytecode(
    scope: &mut Scope<'_>,
    path: String,
    text: String,
    esm: bool,
    all_functions: bool,
) -> Result<Option<Vec<u8>>, Exc> {
    let state = RuntimeState::of(scope);
    runtime_core::bytecode::make(scope, &state, &path, text, esm, all_functions)
}

/// Adds a file.
///
/// # Errors
/// A name that no file can have.
#[op]
pub(crate) fn executable_file(number: u32, name: String, content: Vec<u8>) -> Result<(), OpError> {
    let added = with_builders(|builders| Some(builders.get_mut(&number)?.builder.add_file(&name, &content)));
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
    let making = with_builders(|builders| builders.remove(&number))
        .ok_or_else(|| OpError::error("this executable was written already"))?;
    let failed = |failure: Failure| match failure {
        Failure::Template(error) => OpError::io(error, "open").path(template.as_str()),
        Failure::Foreign(why) => OpError::error(format!("an executable cannot be made of \"{template}\": {why}")),
        Failure::Output(error) => OpError::io(error, "write").path(path.as_str()),
    };
    let opened = Template::open(Path::new(&template)).map_err(failed)?;
    standalone::write(&opened, making.builder, Path::new(&path)).map(|size| size as f64).map_err(failed)
}
