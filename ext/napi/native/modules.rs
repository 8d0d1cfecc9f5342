//! Loading: from a file to an addon's exports.
//!
//! The system loads a file once in a process and runs its constructors then; which addon is behind a handle is kept, so
//! that other environments and threads start the same one. An addon says how it is started by a symbol, or from a
//! constructor by `napi_module_register`.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard};

use engine::{JsResult, Local, OpError, Scope, op, ops};
use run_options::NodeOption;
use runtime_core::{RuntimeState, source};

use crate::crash;
use crate::elf;
use crate::env::{EXPERIMENTAL, Env, Handle, NEWEST_VERSION};
use crate::exports;
use crate::files;
use crate::thread::Thread;

type Start = unsafe extern "C" fn(env: *const Env, exports: Handle) -> Handle;

/// `napi_module`
#[repr(C)]
pub struct Module {
    version: c_int,
    flags: c_uint,
    filename: *const c_char,
    register: Option<Start>,
    name: *const c_char,
    private: *mut c_void,
    reserved: [*mut c_void; 4],
}

/// What a constructor has registered while its file is loaded.
#[derive(Clone, Copy)]
enum Registered {
    NodeApi(Start),
    /// Without a function that starts it.
    Nothing,
    /// By `node_module_register`: made for V8's C++ interface.
    V8,
}

thread_local! {
    static REGISTERED: Cell<Option<Registered>> = const { Cell::new(None) };
}

/// An addon that the system has loaded.
#[derive(Clone, Copy)]
struct Loaded {
    start: Start,
    version: i32,
}

/// Handles of the system's, with what is known of them. Held while a file is loaded: constructors of two files do not mix.
static LOADED: Mutex<Option<HashMap<usize, Loaded>>> = Mutex::new(None);

/// Version of the interface of addons that do not say which they were made for.
const DEFAULT_VERSION: i32 = 8;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_module_register(module: *mut Module) {
    // SAFETY: null, or the addon's own static data.
    if let Some(module) = unsafe { module.as_ref() } {
        REGISTERED.set(Some(module.register.map_or(Registered::Nothing, Registered::NodeApi)));
    }
}

/// What addons for V8's C++ interface register by. It is there so that loading one ends with a message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_module_register(_module: *mut c_void) {
    REGISTERED.set(Some(Registered::V8));
}

/// Whether the process has loaded an addon.
pub fn any_loaded() -> bool {
    LOADED.try_lock().map_or(true, |table| table.is_some())
}

fn lock() -> MutexGuard<'static, Option<HashMap<usize, Loaded>>> {
    LOADED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn failed(message: String) -> OpError {
    OpError::error(message).code("ERR_DLOPEN_FAILED")
}

/// What the system says of the last failure.
fn system_message() -> String {
    // SAFETY: a text of this thread's, or null.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

/// The address of a symbol of an open file.
pub(crate) fn symbol(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: an open handle.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// The file of the system's that a path means: those of archives are copied out of them; `None` if it is that path.
fn real_path(path: &str) -> Option<String> {
    let real = match store::find(path.as_bytes(), true) {
        store::Place::Node(node) if !node.is_dir() => store::extract(&node).ok(),
        store::Place::At(path) => String::from_utf8(path).ok().map(Into::into),
        _ => None,
    };
    real.map(|path| path.to_string_lossy().into_owned())
}

/// The handle of a file that this process has loaded as an addon.
pub(crate) fn handle_of(path: &str) -> Option<*mut c_void> {
    let real = real_path(path);
    let path = CString::new(real.as_deref().unwrap_or(path)).ok()?;
    let known = lock();
    // SAFETY: a path; nothing is loaded, so that no code runs. Addons are never unloaded, whatever is counted.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    known.as_ref()?.contains_key(&handle.addr()).then_some(handle)
}

/// Loads a file and finds out how its addon is started.
fn load(path: &str, flags: c_int) -> Result<Loaded, OpError> {
    // The system opens files only.
    let real = real_path(path);
    let path = real.as_deref().unwrap_or(path);
    let c_path = CString::new(path).map_err(|_| failed(format!("{path}: a path with a null character")))?;
    let mut known = lock();
    REGISTERED.set(None);
    // With every symbol at once: one that is missing is a message now instead of the end of the process later.
    // SAFETY: constructors of the file run here, as they do in Node.
    let mut handle = unsafe { libc::dlopen(c_path.as_ptr(), flags & !libc::RTLD_LAZY | libc::RTLD_NOW) };
    if handle.is_null() {
        let message = system_message();
        if let Some(error) = elf::explain(path, &message) {
            return Err(failed(error));
        }
        // SAFETY: as above; a symbol of some other library may never be needed.
        handle = unsafe { libc::dlopen(c_path.as_ptr(), flags & !libc::RTLD_NOW | libc::RTLD_LAZY) };
        if handle.is_null() {
            return Err(failed(message));
        }
    }
    files::show_archives(path);
    crash::give_stack();
    let registered = REGISTERED.take();
    let table = known.get_or_insert_default();
    let loaded = match registered {
        None => match table.get(&handle.addr()) {
            Some(loaded) => return Ok(*loaded),
            None => match symbol(handle, c"napi_register_module_v1") {
                Some(address) => Loaded {
                    // SAFETY: the type that the interface gives this symbol.
                    start: unsafe { std::mem::transmute::<*mut c_void, Start>(address) },
                    version: DEFAULT_VERSION,
                },
                None => return Err(failed(elf::no_registration(path))),
            },
        },
        Some(Registered::NodeApi(start)) => Loaded { start, version: DEFAULT_VERSION },
        Some(Registered::Nothing) => return Err(failed(format!("{path}: Module has no declared entry point."))),
        Some(Registered::V8) => return Err(failed(elf::is_for_v8(path))),
    };
    let loaded = match symbol(handle, c"node_api_module_get_api_version_v1") {
        Some(address) => {
            // SAFETY: the type that the interface gives this symbol.
            let version = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> i32>(address)() };
            Loaded { version, ..loaded }
        }
        None => loaded,
    };
    if table.insert(handle.addr(), loaded).is_none() {
        crash::note(handle);
    }
    Ok(loaded)
}

/// Loads the addon of a file for this thread: what it has put into `exports`, or returned in its place. `flags`: those of
/// dlopen(3), as in `os.constants.dlopen`.
#[op(ts(exports = "object", returns = "unknown"))]
fn load_addon<'s>(scope: &mut Scope<'s>, exports: Local<'s>, path: String, flags: i32) -> Result<Local<'s>, OpError> {
    exports::keep();
    let state = RuntimeState::of(scope);
    let options = &state.options.node_options;
    if options.iter().any(|(name, value)| name == "--no-addons" && matches!(value, NodeOption::Flag(true))) {
        return Err(
            OpError::error("Cannot load native addon because loading addons is disabled.").code("ERR_DLOPEN_DISABLED")
        );
    }
    let loaded = load(&path, flags)?;
    if loaded.version > NEWEST_VERSION && loaded.version != EXPERIMENTAL {
        return Err(failed(format!(
            "{path}: the addon was made for version {} of Node-API; bao has {NEWEST_VERSION}",
            loaded.version
        )));
    }
    Ok(start(scope, exports, &path, loaded)?)
}

fn start<'s>(scope: &mut Scope<'s>, exports: Local<'s>, path: &str, loaded: Loaded) -> JsResult<Local<'s>> {
    let thread = Thread::of(scope);
    scope.on_weak_end(crate::references::object_gone);
    let url = CString::new(&*source::file_url(path)).unwrap_or_default();
    let env = Rc::new(Env::new(scope, thread.clone(), loaded.version, url));
    thread.add(env.clone());
    scope.escape(|scope| {
        let handle = exports.address().as_ptr();
        // SAFETY: the addon's own function, with handles that live through the call.
        let returned = env.enter(scope, |env| unsafe { (loaded.start)(env, handle) })?;
        // SAFETY: a handle of the scope that is open.
        let returned = ptr::NonNull::new(returned).map(|address| unsafe { Local::at(address) });
        Ok(match returned {
            Some(value) if !value.is_undefined() => scope.copy(value),
            _ => scope.copy(exports),
        })
    })
}

ops! {
    pub fn family "napi" {
        load_addon,
        crate::plugins::check_plugin,
        crate::callbacks::use_domains,
    }
}
