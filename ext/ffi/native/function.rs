//! Functions of C as functions of JavaScript.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::{CStr, CString, c_void};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, Ordering};

use engine::foreign::{CodeCallee, CodeEntries};
use engine::{Args, JsResult, Local, OpError, Resource, Scope, op};
use ext_napi::ForeignEnv;

use crate::abi::Frame;
use crate::code::Code;
use crate::thread::Thread;
use crate::types::{Kind, Signature};
use crate::values::{self, at, from_word, is_address, to_word};
use crate::{memory, thunk};

/// A C function. Machine code knows its address and reads the first word.
#[repr(C)]
pub(crate) struct Record {
    /// Null once the library is closed.
    pub(crate) target: Cell<*const ()>,
    pub(crate) signature: Signature,
    pub(crate) thread: Rc<Thread>,
    name: String,
    /// Whether it is one of `read`'s, which have messages of their own.
    is_read: bool,
    /// Of functions that take values of Node-API.
    env: Option<Rc<ForeignEnv>>,
}

/// What a function keeps alive: its record, and the code of all functions that were made with it.
struct Owner {
    _record: Rc<Record>,
    _code: Rc<Code>,
}

/// Calls of C functions as the engine's natives.
struct Callee;

impl CodeCallee for Callee {
    fn call<'s>(scope: &mut Scope<'s>, args: &Args<'s>, data: *mut c_void) -> JsResult<Local<'s>> {
        // SAFETY: the address that `link` has put into the code, whose function is running.
        let record = unsafe { &*data.cast::<Record>() };
        if record.target.get().is_null() {
            return Err(scope
                .throw_op_error(&values::invalid(format!("{} cannot be called: its library is closed", record.name))));
        }
        if record.is_read {
            return memory::read_slowly(scope, args, record);
        }
        let kinds = &record.signature.args;
        let mut words = [0; 16];
        let mut more = Vec::new();
        let words = if kinds.len() <= words.len() {
            &mut words[..kinds.len()]
        } else {
            more.resize(kinds.len(), 0);
            &mut more[..]
        };
        let mut kept = Vec::new();
        // What may run JavaScript comes first, so that nothing moves what an address leads to.
        for addresses in [false, true] {
            for (index, &kind) in kinds.iter().enumerate() {
                if is_address(kind) == addresses {
                    let value = args.get(scope, index);
                    words[index] = match (kind, &record.env) {
                        (Kind::NapiEnv, Some(env)) => env.address(),
                        (Kind::NapiValue, Some(_)) => ForeignEnv::value_word(value),
                        _ => to_word(scope, value, kind, &mut kept)?,
                    };
                }
            }
        }
        let target = record.target.get();
        if target.is_null() {
            return Err(scope
                .throw_op_error(&values::invalid(format!("{} cannot be called: its library is closed", record.name))));
        }
        let mut frame = Frame::default();
        for (&kind, &word) in kinds.iter().zip(&*words) {
            frame.push(kind, word);
        }
        let depth = &record.thread.cells.depth;
        depth.set(depth.get() + 1);
        // SAFETY: the program says that the function is of that signature.
        let run = || unsafe { frame.call(target, record.signature.returns) };
        let word = match &record.env {
            None => Ok(run()),
            Some(env) => env.enter(scope, run),
        };
        depth.set(depth.get() - 1);
        let word = word?;
        if record.signature.returns == Kind::NapiValue {
            record.thread.check(scope)?;
            // SAFETY: a handle of this call's, as the program says.
            return Ok(unsafe { ForeignEnv::value_of(scope, word) });
        }
        Self::finish(scope, word, data)
    }

    fn finish<'s>(scope: &mut Scope<'s>, word: u64, data: *mut c_void) -> JsResult<Local<'s>> {
        // SAFETY: as above.
        let record = unsafe { &*data.cast::<Record>() };
        record.thread.check(scope)?;
        from_word(scope, word, record.signature.returns)
    }
}

/// Functions that are closed together, of a library or not.
pub(crate) struct Library {
    /// Null for functions of which only the address is known, and once closed.
    handle: Cell<*mut c_void>,
    records: RefCell<Vec<Weak<Record>>>,
    thread: Rc<Thread>,
    env: OnceCell<Rc<ForeignEnv>>,
}

/// Whether the process has opened a library.
static ANY_OPEN: AtomicBool = AtomicBool::new(false);

/// Writes what C has printed by its standard streams and is still in their buffers; before the process ends.
pub fn flush() {
    if ANY_OPEN.load(Ordering::Relaxed) {
        // SAFETY: null stands for all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
    }
}

fn system_message() -> String {
    // SAFETY: a text of this thread's, or null.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { "unknown error".to_owned() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

/// Loads the library of a file or a name that the system's loader searches for; no library without a name.
///
/// # Errors
/// ERR_DLOPEN_FAILED with the name and the loader's message.
#[op]
pub(crate) fn open(scope: &mut Scope<'_>, path: Option<String>) -> Result<Resource<Library>, OpError> {
    let mut handle = std::ptr::null_mut();
    if let Some(path) = path {
        let failed = |message: String| {
            OpError::error(format!("Failed to open library \"{path}\": {message}"))
                .code("ERR_DLOPEN_FAILED")
                .field("syscall", "dlopen")
        };
        // The system opens files only: one of an archive or of the executable is put beside them.
        let real = match store::find(path.as_bytes(), true) {
            store::Place::Node(node) if !node.is_dir() => store::extract(&node).ok(),
            store::Place::At(path) => String::from_utf8(path).ok().map(Into::into),
            _ => None,
        };
        let real = real.map(|path| path.to_string_lossy().into_owned());
        let name = real.as_deref().unwrap_or(&path);
        let name = CString::new(name).map_err(|_| failed("the name has a null character".to_owned()))?;
        // SAFETY: a text with its end; constructors of the library are the program's business.
        handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        if handle.is_null() {
            let message = system_message();
            // As Bun does it: a bare name is a file of the working directory if the loader knows none.
            let local = std::env::current_dir().ok().map(|here| here.join(&path)).filter(|file| file.is_file());
            let local = local.and_then(|file| CString::new(file.into_os_string().into_encoded_bytes()).ok());
            let Some(local) = local else { return Err(failed(message)) };
            // SAFETY: as above.
            handle = unsafe { libc::dlopen(local.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
            if handle.is_null() {
                return Err(failed(system_message()));
            }
        }
    }
    ANY_OPEN.store(true, Ordering::Relaxed);
    Ok(Resource::new(Library {
        handle: Cell::new(handle),
        records: RefCell::default(),
        thread: Thread::of(scope),
        env: OnceCell::new(),
    }))
}

/// The address of a symbol of a library, 0 where it has none.
#[op]
pub(crate) fn symbol(library: &Resource<Library>, name: String) -> f64 {
    let Ok(name) = CString::new(name) else { return 0.0 };
    if library.handle.get().is_null() {
        return 0.0;
    }
    // SAFETY: an open handle.
    unsafe { libc::dlsym(library.handle.get(), name.as_ptr()) as usize as f64 }
}

/// Makes functions of C functions: for each a name, an address, and in `shapes` the number of its result's type, how many arguments it has, and
/// the numbers of their types.
///
/// # Errors
/// An error of the system where it gives no memory for code.
#[op(ts(returns = "((...args: unknown[]) => unknown)[]"))]
pub(crate) fn link<'s>(
    scope: &mut Scope<'s>,
    library: Resource<Library>,
    names: Vec<String>,
    addresses: Vec<f64>,
    shapes: Vec<u8>,
) -> JsResult<Local<'s>> {
    let mut rest = shapes.as_slice();
    let mut wanted: Vec<Wanted> = Vec::new();
    for (name, address) in names.into_iter().zip(addresses) {
        let shape = rest.split_at_checked(2).and_then(|(head, tail)| {
            let (args, tail) = tail.split_at_checked(usize::from(head[1]))?;
            rest = tail;
            Signature::of(args, head[0])
        });
        let Some(signature) = shape else { return Err(scope.throw_type_error("invalid ABI type")) };
        wanted.push(Wanted { name, target: at(address as u64).cast_const().cast(), signature, is_read: false });
    }
    let env = wanted.iter().any(|function| function.signature.uses_napi()).then(|| {
        // Made once for a library.
        library.env.get_or_init(|| Rc::new(ForeignEnv::new(scope))).clone()
    });
    let (functions, records) = make(scope, &library.thread, env.as_ref(), wanted)?;
    let mut known = library.records.borrow_mut();
    known.retain(|record| record.strong_count() > 0);
    known.extend(records.iter().map(Rc::downgrade));
    drop(known);
    scope.new_array(&functions)
}

/// A function that is to be made.
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) target: *const (),
    pub(crate) signature: Signature,
    pub(crate) is_read: bool,
}

/// Makes functions whose code lies next to each other.
pub(crate) fn make<'s>(
    scope: &mut Scope<'s>,
    thread: &Rc<Thread>,
    env: Option<&Rc<ForeignEnv>>,
    wanted: Vec<Wanted>,
) -> JsResult<(Vec<Local<'s>>, Vec<Rc<Record>>)> {
    let entries = CodeEntries::of::<Callee>();
    let mut code = Vec::new();
    let mut made = Vec::new();
    let takes_views = |kind: &Kind| matches!(kind, Kind::Ptr | Kind::CString | Kind::Buffer);
    // `read` takes numbers only.
    let uses_views = |wanted: &Wanted| !wanted.is_read && wanted.signature.args.iter().any(takes_views);
    let views = if wanted.iter().any(uses_views) { scope.view_layout()? } else { None };
    for Wanted { name, target, signature, is_read } in wanted {
        let record = Rc::new(Record {
            target: Cell::new(target),
            env: env.filter(|_| signature.uses_napi()).cloned(),
            signature,
            thread: thread.clone(),
            name,
            is_read,
        });
        let (address, cells) = (Rc::as_ptr(&record) as u64, &raw const thread.cells as u64);
        let views = views.filter(|_| !is_read);
        let offset = thunk::emit(&mut code, &record.signature, address, cells, entries, views);
        made.push((record, offset));
    }
    let code = match Code::new(&code) {
        Ok(code) => Rc::new(code),
        Err(error) => return Err(scope.throw_op_error(&OpError::io(error, "mprotect"))),
    };
    let mut functions = Vec::new();
    for (record, offset) in &made {
        let owner = scope.new_resource(Owner { _record: record.clone(), _code: code.clone() })?;
        let name = scope.string(&record.name)?;
        let length = record.signature.args.len() as u32;
        // SAFETY: `emit` makes natives, and the owner has the code.
        functions.push(unsafe { scope.code_function(name, length, code.at(*offset), owner)? });
    }
    Ok((functions, made.into_iter().map(|(record, _)| record).collect()))
}

/// Closes a library: its functions throw from then on. The system keeps it loaded while something else has it open, or while the program is in
/// one of its calls.
#[op]
pub(crate) fn close(library: &Resource<Library>) {
    for record in library.records.take() {
        if let Some(record) = record.upgrade() {
            record.target.set(std::ptr::null());
        }
    }
    let handle = library.handle.replace(std::ptr::null_mut());
    if !handle.is_null() && library.thread.cells.depth.get() == 0 {
        // SAFETY: an open handle, and no function of the library is on the stack.
        unsafe { libc::dlclose(handle) };
    }
}
