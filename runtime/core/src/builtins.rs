//! Built-in modules: the image that the build has made of ext/, and `require` and `native` for the TypeScript in it.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Mutex, OnceLock, PoisonError};

use engine::{CompileOptions, Exc, Family, Global, JsResult, Local, Scope, op};

use crate::diagnostics::throw_diagnostics;

/// The built-in modules of the executable, as its build script has compiled them.
pub struct Image {
    /// Identifies the build: code serialised by another one is not read.
    pub build_id: &'static str,
    /// Id, offset and length in `code`, and length of each module, sorted by id. A module whose lengths differ is compressed.
    pub table: &'static [(&'static str, usize, usize, usize)],
    /// The id of the module that the compressed ones have as their dictionary.
    pub dictionary: &'static str,
    /// Serialised bytecode; its address and the offset of every module that is not compressed are divisible by 16.
    pub code: &'static [u8],
    /// Files by id that are read instead of `code`: for work on bao itself (`BAO_LIB`).
    pub live: Option<HashMap<String, PathBuf>>,
    /// Bare specifiers of packages that a built-in module stands in for, with its id.
    pub stand_ins: &'static [&'static [(&'static str, &'static str)]],
}

static IMAGE: OnceLock<Image> = OnceLock::new();

/// Sets the built-in modules of the process; to be called once, before the first thread is made.
pub fn set_image(image: Image) {
    assert!(IMAGE.set(image).is_ok(), "the built-in modules are set once");
}

fn image() -> &'static Image {
    IMAGE.get().expect("set before the first thread is made")
}

/// See [`Image::build_id`].
pub fn build_id() -> &'static str {
    image().build_id
}

/// Public modules that exist under their full name only, not as `sqlite` for `node:sqlite`.
pub const SCHEME_ONLY: &[&str] = &["node:sea", "node:sqlite", "node:test", "node:test/reporters"];

/// Modules of `bun:`; the rest of `bun/` is behind the `Bun` object.
const BUN_MODULES: &[&str] = &["bundle", "ffi", "jsc", "sqlite", "test"];

/// The native half of a family, what `native("NAME")` gives.
#[derive(Clone, Copy)]
pub struct NativeHalf {
    family: Family,
    /// Adds properties that are no functions to the family's object.
    fields: Option<DefineFields>,
}

/// Adds properties to the object of a family.
pub type DefineFields = fn(&mut Scope<'_>, Local<'_>) -> JsResult<()>;

impl NativeHalf {
    /// A family whose object has more than functions.
    pub fn with_fields(family: Family, fields: DefineFields) -> Self {
        NativeHalf { family, fields: Some(fields) }
    }
}

impl From<Family> for NativeHalf {
    fn from(family: Family) -> Self {
        NativeHalf { family, fields: None }
    }
}

/// The built-in modules of one thread.
pub struct Builtins {
    /// The `module` objects of those that have been loaded, by id.
    loaded: RefCell<HashMap<&'static str, Global>>,
    natives: Vec<NativeHalf>,
    family_objects: RefCell<HashMap<&'static str, Global>>,
    require: RefCell<Option<Global>>,
    native: RefCell<Option<Global>>,
    /// Modules that are being loaded.
    loading: Cell<u32>,
    /// An interrupt has come meanwhile.
    interrupted: Cell<bool>,
}

/// The id of a compiled module as the table has it; `None` if there is no such module.
pub fn find(id: &str) -> Option<&'static str> {
    let table = image().table;
    table.binary_search_by(|entry| entry.0.cmp(id)).ok().map(|index| table[index].0)
}

/// The id of a module that is only among the live files.
fn find_live(id: &str) -> Option<&'static str> {
    image().live.as_ref()?.get_key_value(id).map(|(id, _)| id.as_str())
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
    if specifier == "bao:store" {
        return find("bun/store");
    }
    if specifier == "bun:internal-for-testing" {
        return testing_id();
    }
    if let Some(rest) = specifier.strip_prefix("bun:") {
        if BUN_MODULES.contains(&rest) {
            return find(&format!("bun/{rest}"));
        }
        // What hooks of `node:module` get for names that are no URLs.
        return if rest == "bun" { find("bun/main") } else { stand_in(rest) };
    }
    if let Some(id) = stand_in(specifier) {
        return Some(id);
    }
    let id = find(&format!("node:{specifier}"))?;
    (!SCHEME_ONLY.contains(&id)).then_some(id)
}

/// The id of the module that stands in for a package.
fn stand_in(package: &str) -> Option<&'static str> {
    let (_, id) = image().stand_ins.iter().flat_map(|list| list.iter()).find(|(name, _)| *name == package)?;
    find(id)
}

/// The specifier of a public module by its id, the inverse of `public_id`: `node:fs`, `bun:sqlite`, `bun`, `ws`.
pub fn public_specifier(id: &'static str) -> Cow<'static, str> {
    match id.strip_prefix("bun/") {
        Some("main") => return Cow::Borrowed("bun"),
        Some("store") => return Cow::Borrowed("bao:store"),
        Some(rest) if BUN_MODULES.contains(&rest) => return Cow::Owned(format!("bun:{rest}")),
        _ => {}
    }
    let package = image().stand_ins.iter().flat_map(|list| list.iter()).find(|(_, of)| *of == id);
    Cow::Borrowed(package.map_or(id, |(name, _)| name))
}

/// The id of a public module given by its id or by a specifier.
pub fn id_or_specifier(name: &str) -> Option<&'static str> {
    let id = find(name).filter(|id| public_id(&public_specifier(id)) == Some(id));
    id.or_else(|| public_id(name))
}

/// What Bun's own tests look at inside, which exists as in Bun only if the environment asks for it.
fn testing_id() -> Option<&'static str> {
    let asked = std::env::var_os("BUN_FEATURE_FLAG_INTERNAL_FOR_TESTING").is_some_and(|value| value == "1");
    if asked { find("bun/internal-for-testing") } else { None }
}

/// With `--expose-internals`: the id behind the name of one of Node's own modules (`internal/core/util`) where bao has something like
/// it. These exist for programs that test Node's interface from inside, as Node's own tests do.
pub fn exposed_id(specifier: &str) -> Option<&'static str> {
    let id = format!("internal/node_internals/{}", specifier.strip_prefix("internal/")?);
    find(&id).or_else(|| find_live(&id))
}

/// All public module names as `module.builtinModules` lists them.
pub fn public_names() -> Vec<String> {
    let mut names: Vec<String> = image()
        .table
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
    /// No module is loaded yet; `natives` are the families that `native("NAME")` knows.
    pub fn new(natives: Vec<NativeHalf>) -> Self {
        Builtins {
            loaded: RefCell::default(),
            natives,
            family_objects: RefCell::default(),
            require: RefCell::default(),
            native: RefCell::default(),
            loading: Cell::new(0),
            interrupted: Cell::new(false),
        }
    }

    fn of(scope: &mut Scope<'_>) -> Rc<Builtins> {
        scope.state().get::<Rc<Builtins>>().expect("stored when the realm was prepared").clone()
    }
}

/// Runs what makes a module or a lazy global, which nothing may come in between of: see [`is_loading`].
pub(crate) fn while_loading<'s, R>(scope: &mut Scope<'s>, f: impl FnOnce(&mut Scope<'s>) -> R) -> R {
    let builtins = Builtins::of(scope);
    builtins.loading.set(builtins.loading.get() + 1);
    let result = f(scope);
    builtins.loading.set(builtins.loading.get() - 1);
    if builtins.loading.get() == 0 && builtins.interrupted.take() {
        scope.request_interrupt();
    }
    result
}

/// Whether a module or a lazy global of bao's is half made: an interrupt must not run code that may want it.
pub fn is_loading(scope: &mut Scope<'_>) -> bool {
    Builtins::of(scope).loading.get() > 0
}

/// Whether an interrupt has to wait for what is being loaded. It comes again after that.
pub fn defers_interrupt(scope: &mut Scope<'_>) -> bool {
    let builtins = Builtins::of(scope);
    let is_loading = builtins.loading.get() > 0;
    if is_loading {
        builtins.interrupted.set(true);
    }
    is_loading
}

/// Whether a module has been loaded in this thread.
pub fn is_loaded(scope: &mut Scope<'_>, id: &str) -> bool {
    Builtins::of(scope).loaded.borrow().contains_key(id)
}

/// Ids of the modules that have been loaded in this thread.
pub fn loaded_ids(scope: &mut Scope<'_>) -> Vec<&'static str> {
    let builtins = Builtins::of(scope);
    let mut ids: Vec<_> = builtins.loaded.borrow().keys().copied().collect();
    ids.sort_unstable();
    ids
}

/// The exports of a built-in module by its id; loads it on first use.
///
/// # Errors
/// Throws if there is no such module, and what the module itself throws.
pub fn require<'s>(scope: &mut Scope<'s>, id: &str) -> JsResult<Local<'s>> {
    let builtins = Builtins::of(scope);
    let loaded = builtins.loaded.borrow().get(id).cloned();
    if let Some(module) = loaded {
        let module = module.get(scope);
        return scope.get(module, "exports");
    }
    let Some(known) = find(id).or_else(|| find_live(id)) else {
        return Err(scope.throw_error(&format!("bao has no built-in module '{id}'")));
    };
    scope.escape(|scope| {
        scope.in_main_realm(|scope| {
            let function = compile(scope, known)?;
            let module = scope.new_object()?;
            let exports = scope.new_object()?;
            // Not set: a program may have put an accessor on Object.prototype.
            scope.define(module, "exports", exports, engine::PropertyAttributes::ALL)?;
            let kept = scope.global(module);
            builtins.loaded.borrow_mut().insert(known, kept);
            let require = cached(scope, &builtins.require, "require", OP_require_builtin)?;
            let native = cached(scope, &builtins.native, "native", OP_native_family)?;
            // Programs replace the global one (zone.js, polyfills); what built-ins make stays the engine's.
            let promise = scope.promise_constructor()?;
            match while_loading(scope, |scope| {
                scope.call_function(function, &[exports, require, module, native, promise])
            }) {
                Ok(_) => scope.get(module, "exports"),
                Err(exc) => {
                    builtins.loaded.borrow_mut().remove(known);
                    Err(exc)
                }
            }
        })
    })
}

/// Calls a function that a built-in module exports, with undefined as `this`.
///
/// # Errors
/// What loading the module and the function throw.
pub fn call<'s>(scope: &mut Scope<'s>, id: &str, export: &str, args: &[Local<'s>]) -> JsResult<Local<'s>> {
    let exports = require(scope, id)?;
    let function = scope.get(exports, export)?;
    scope.call_function(function, args)
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

/// The function `(exports, require, module, native, Promise)` of a built-in module, made in the current realm: for a realm that
/// has modules of its own, beside those that [`require`] keeps.
///
/// # Errors
/// Throws if there is no such module.
pub fn instantiate<'s>(scope: &mut Scope<'s>, id: &str) -> JsResult<Local<'s>> {
    match find(id).or_else(|| find_live(id)) {
        Some(id) => compile(scope, id),
        None => Err(scope.throw_error(&format!("bao has no built-in module '{id}'"))),
    }
}

fn compile<'s>(scope: &mut Scope<'s>, id: &'static str) -> JsResult<Local<'s>> {
    let image = image();
    if let Some(file) = image.live.as_ref().and_then(|files| files.get(id))
        && let Ok(source) = std::fs::read_to_string(file)
    {
        let body = match transpile::builtin_module(&source, &file.display().to_string()) {
            Ok(body) => body,
            Err(errors) => return Err(throw_diagnostics(scope, &errors)),
        };
        let text = format!("(function (exports, require, module, native, Promise) {{ \"use strict\";\n{body}\n}})");
        let stencil =
            scope.compile_script(&text, &CompileOptions { line: 0, eager: true, ..CompileOptions::new(id) })?;
        return scope.run_script(&stencil, None);
    }
    let Ok(index) = image.table.binary_search_by(|entry| entry.0.cmp(id)) else {
        return Err(scope.throw_error(&format!("bao has no built-in module '{id}'")));
    };
    let stencil = match code_of(image, index) {
        Some(bytes) => scope.decode_static_stencil(bytes)?,
        None => None,
    };
    match stencil {
        Some(stencil) => scope.run_script(&stencil, None),
        None => Err(scope.throw_error(&format!(
            "internal error in bao: built-in module '{id}' does not fit this engine. This is a bug in bao; please report it."
        ))),
    }
}

/// The code of a module by its place in the table. One that is compressed is unpacked for the whole process; `None` if that fails.
fn code_of(image: &'static Image, index: usize) -> Option<&'static [u8]> {
    static UNPACKED: Mutex<BTreeMap<usize, &'static [u8]>> = Mutex::new(BTreeMap::new());

    let (_, offset, stored, length) = image.table[index];
    let bytes = &image.code[offset..offset + stored];
    if stored == length {
        return Some(bytes);
    }
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = unpacked.get(&index) {
        return Some(bytes);
    }
    let place = image.table.binary_search_by(|entry| entry.0.cmp(image.dictionary)).ok()?;
    let (_, offset, stored, _) = image.table[place];
    let bytes = engine::unpack(bytes, &image.code[offset..offset + stored], length)?;
    unpacked.insert(index, bytes);
    Some(bytes)
}

/// `require` of built-in modules.
#[op]
fn require_builtin<'s>(scope: &mut Scope<'s>, id: String) -> Result<Local<'s>, Exc> {
    require(scope, &id)
}

/// `native` of built-in modules.
#[op]
fn native_family<'s>(scope: &mut Scope<'s>, name: String) -> Result<Local<'s>, Exc> {
    let builtins = Builtins::of(scope);
    let existing = builtins.family_objects.borrow().get(name.as_str()).cloned();
    if let Some(object) = existing {
        return Ok(object.get(scope));
    }
    let Some(native) = builtins.natives.iter().find(|native| native.family.name == name).copied() else {
        return Err(scope.throw_error(&format!("bao has no native family '{name}'")));
    };
    let object = scope.family_object(&native.family)?;
    if let Some(fields) = native.fields {
        fields(scope, object)?;
    }
    crate::permission::restrict(scope, native.family.name, object)?;
    let kept = scope.global(object);
    builtins.family_objects.borrow_mut().insert(native.family.name, kept);
    Ok(object)
}
