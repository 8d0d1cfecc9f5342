//! Built-in modules: the table compiled by build.rs, and `require` for the TypeScript of ext/.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{CompileOptions, Exc, Family, Global, JsResult, Local, Scope, op};

use crate::builtin_files;
use crate::state::RuntimeState;

include!(concat!(env!("OUT_DIR"), "/builtins.rs"));

#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

static BLOB: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/builtins.bin")));
static SELF_HOSTED: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/self_hosted.bin")));

/// Public modules that exist under their full name only, not as `sqlite` for `node:sqlite`.
pub const SCHEME_ONLY: &[&str] = &["node:sea", "node:sqlite", "node:test", "node:test/reporters"];

/// Modules of `bun:`; the rest of `bun/` is behind the `Bun` object.
const BUN_MODULES: &[&str] = &["ffi", "jsc", "sqlite", "test"];

/// The engine's library, compiled at build time.
pub fn self_hosted() -> &'static [u8] {
    &SELF_HOSTED.0
}

/// The built-in modules of one thread.
pub struct Builtins {
    loaded: RefCell<HashMap<&'static str, Loaded>>,
    /// The native halves, for `native("NAME")`.
    families: Vec<Family>,
    family_objects: RefCell<HashMap<&'static str, Global>>,
    require: RefCell<Option<Global>>,
    native: RefCell<Option<Global>>,
    /// Files by id to read instead of the compiled table: for work on bao itself (`BAO_LIB`).
    live: Option<&'static LiveFiles>,
}

struct Loaded {
    module: Global,
}

/// The id of a compiled module as the table has it.
pub fn find(id: &str) -> Option<&'static str> {
    TABLE.binary_search_by(|entry| entry.0.cmp(id)).ok().map(|index| TABLE[index].0)
}

/// Whether imports of other test libraries are answered by `bun:test`.
static ANSWERS_TEST_LIBRARIES: AtomicBool = AtomicBool::new(false);

/// Under `bao test` `@jest/globals` and `vitest` are `bun:test`.
pub fn answer_test_libraries(on: bool) {
    ANSWERS_TEST_LIBRARIES.store(on, Ordering::Relaxed);
}

/// Whether this is `bao test`.
pub fn answers_test_libraries() -> bool {
    ANSWERS_TEST_LIBRARIES.load(Ordering::Relaxed)
}

/// The id of a public module for a specifier: `fs` and `node:fs` give `node:fs`, `bun` gives `bun/main`.
pub fn public_id(specifier: &str) -> Option<&'static str> {
    if let Some(rest) = specifier.strip_prefix("node:") {
        // Modules with an underscore or of internal folders exist under their public names only.
        if rest.starts_with("internal/") {
            return None;
        }
        return find(specifier);
    }
    if specifier == "bun" {
        return find("bun/main");
    }
    if let Some(rest) = specifier.strip_prefix("bun:") {
        return if BUN_MODULES.contains(&rest) { find(&format!("bun/{rest}")) } else { None };
    }
    if answers_test_libraries() {
        match specifier {
            "@jest/globals" => return find("bun/test"),
            "vitest" => return find("internal/test/bun_test/vitest"),
            _ => {}
        }
    }
    let id = find(&format!("node:{specifier}"))?;
    (!SCHEME_ONLY.contains(&id)).then_some(id)
}

/// With `--expose-internals`: the id behind the name of one of Node's own modules (`internal/core/util`) where bao has something like
/// it. These exist for programs that test Node's interface from inside, as Node's own tests do.
pub fn exposed_id(specifier: &str) -> Option<&'static str> {
    let id = format!("internal/node_internals/{}", specifier.strip_prefix("internal/")?);
    find(&id).or_else(|| live_id(live_files()?, &id))
}

/// All public module names as `module.builtinModules` lists them.
pub fn public_names() -> Vec<String> {
    let mut names: Vec<String> = TABLE
        .iter()
        .filter_map(|(id, ..)| {
            let bare = id.strip_prefix("node:")?;
            Some(if SCHEME_ONLY.contains(id) { (*id).to_string() } else { bare.to_string() })
        })
        .collect();
    names.sort();
    names
}

impl Builtins {
    pub fn new(families: Vec<Family>) -> Self {
        Builtins {
            loaded: RefCell::default(),
            families,
            family_objects: RefCell::default(),
            require: RefCell::default(),
            native: RefCell::default(),
            live: live_files(),
        }
    }

    /// Whether a module has been loaded in this thread.
    pub fn is_loaded(&self, id: &str) -> bool {
        self.loaded.borrow().contains_key(id)
    }
}

/// The exports of a built-in module by its id; loads it on first use.
pub fn require<'s>(scope: &mut Scope<'s>, state: &RuntimeState, id: &str) -> JsResult<Local<'s>> {
    let builtins = &state.builtins;
    let loaded = builtins.loaded.borrow().get(id).map(|loaded| loaded.module.clone());
    if let Some(module) = loaded {
        let module = module.get(scope);
        return scope.get(module, "exports");
    }
    let Some(known) = find(id).or_else(|| live_id(builtins.live?, id)) else {
        return Err(scope.throw_error(&format!("bao has no built-in module '{id}'")));
    };
    scope.escape(|scope| {
        scope.in_main_realm(|scope| {
            let function = compile(scope, builtins, known)?;
            let module = scope.new_object()?;
            let exports = scope.new_object()?;
            // Not set: a program may have put an accessor on Object.prototype.
            scope.define(module, "exports", exports, engine::PropertyAttributes::ALL)?;
            let kept = scope.global(module);
            builtins.loaded.borrow_mut().insert(known, Loaded { module: kept });
            let require = cached(scope, &builtins.require, "require", OP_require_builtin)?;
            let native = cached(scope, &builtins.native, "native", OP_native_family)?;
            match scope.call_function(function, &[exports, require, module, native]) {
                Ok(_) => scope.get(module, "exports"),
                Err(exc) => {
                    builtins.loaded.borrow_mut().remove(known);
                    Err(exc)
                }
            }
        })
    })
}

/// Files of built-in modules by their ids.
type LiveFiles = HashMap<String, PathBuf>;

/// The files below `BAO_LIB`, found once in a process; `None` where it is not set.
fn live_files() -> Option<&'static LiveFiles> {
    static FILES: OnceLock<Option<LiveFiles>> = OnceLock::new();
    let read = || {
        let folder = std::env::var_os("BAO_LIB").filter(|value| !value.is_empty())?;
        Some(builtin_files::collect(&PathBuf::from(folder), &mut |_| {}).ok()?.into_iter().collect())
    };
    FILES.get_or_init(read).as_ref()
}

fn live_id(files: &'static LiveFiles, id: &str) -> Option<&'static str> {
    files.get_key_value(id).map(|(id, _)| id.as_str())
}

fn cached<'s>(
    scope: &mut Scope<'s>,
    slot: &RefCell<Option<Global>>,
    name: &str,
    op: engine::OpDecl,
) -> JsResult<Local<'s>> {
    if let Some(global) = &*slot.borrow() {
        return Ok(global.get(scope));
    }
    let function = scope.native_function(name, 1, op.native)?;
    *slot.borrow_mut() = Some(scope.global(function));
    Ok(function)
}

fn compile<'s>(scope: &mut Scope<'s>, builtins: &Builtins, id: &'static str) -> JsResult<Local<'s>> {
    if let Some(file) = builtins.live.and_then(|files| files.get(id))
        && let Ok(source) = std::fs::read_to_string(file)
    {
        let body = match transpile::builtin_module(&source, &file.display().to_string()) {
            Ok(body) => body,
            Err(errors) => return Err(crate::source::throw_diagnostics(scope, &errors)),
        };
        let text = format!("(function (exports, require, module, native) {{ \"use strict\";\n{body}\n}})");
        let stencil =
            scope.compile_script(&text, &CompileOptions { line: 0, eager: true, ..CompileOptions::new(id) })?;
        return scope.run_script(&stencil, None);
    }
    let index = TABLE.binary_search_by(|entry| entry.0.cmp(id)).map_err(|_| ());
    let Ok(index) = index else { return Err(scope.throw_error(&format!("bao has no built-in module '{id}'"))) };
    let (_, offset, length) = TABLE[index];
    let bytes = &BLOB.0[offset..offset + length];
    match scope.decode_static_stencil(bytes)? {
        Some(stencil) => scope.run_script(&stencil, None),
        None => Err(scope.throw_error(&format!(
            "internal error in bao: built-in module '{id}' does not fit this engine. This is a bug in bao; please report it."
        ))),
    }
}

/// `require` of built-in modules.
#[op]
fn require_builtin<'s>(scope: &mut Scope<'s>, id: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    require(scope, &state, &id)
}

/// `native` of built-in modules.
#[op]
fn native_family<'s>(scope: &mut Scope<'s>, name: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let existing = state.builtins.family_objects.borrow().get(name.as_str()).cloned();
    if let Some(object) = existing {
        return Ok(object.get(scope));
    }
    let Some(family) = state.builtins.families.iter().find(|family| family.name == name).copied() else {
        return Err(scope.throw_error(&format!("bao has no native family '{name}'")));
    };
    let object = scope.family_object(&family)?;
    if family.name == "loop" {
        crate::ops::loop_ops::define_fields(scope, &state, object)?;
    }
    let kept = scope.global(object);
    state.builtins.family_objects.borrow_mut().insert(family.name, kept);
    Ok(object)
}
