//! Family "process", the part that needs the runtime.

mod sys;
pub mod trace;

use base::stdio::write_all;
use engine::{Exc, F64Array, Local, OpError, Scope, op, ops};
use run_options::NodeOption;
use runtime_core::event_loop::Arrival;
use runtime_core::versions::{BUN_VERSION, NODE_VERSION};
use runtime_core::{RuntimeState, builtins, bytecode_order, coverage, cpu_profile, pool, signals};

/// What a thread keeps for this family.
#[derive(Default)]
struct ProcessState {
    /// `process.title`, if it was set.
    title: Option<String>,
    /// Path of the test file that runs, the second item of `process.argv` (`bao test`).
    script: Option<String>,
}

#[op]
fn argv(scope: &mut Scope<'_>) -> Vec<String> {
    let state = RuntimeState::of(scope);
    let mut argv = state.options.argv.clone();
    if let Some(script) = &scope.state().get_or_default::<ProcessState>().script {
        argv.truncate(1);
        argv.push(script.clone());
        argv.extend(state.options.argv.iter().skip(2).cloned());
    }
    argv
}

/// Makes `path` the second item of [`argv`], for a `process.argv` that is made later.
#[op]
fn set_script(scope: &mut Scope<'_>, path: String) {
    scope.state().get_or_default::<ProcessState>().script = Some(path);
}

/// The text that `-e`, `-p`, standard input or a worker's `eval` gave; undefined for a file.
#[op]
fn program_text(scope: &mut Scope<'_>) -> Option<String> {
    RuntimeState::of(scope).program_text.borrow().as_ref().map(|(_, text)| text.clone())
}

#[op]
fn exec_argv(scope: &mut Scope<'_>) -> Vec<String> {
    RuntimeState::of(scope).options.exec_argv.clone()
}

/// Whether stacks go by the source maps of all files: `--enable-source-maps`, or what [`enable_source_maps`] was given last.
#[op]
fn source_maps_enabled(scope: &mut Scope<'_>) -> bool {
    let state = RuntimeState::of(scope);
    state.program_maps.are_enabled(&state.options)
}

/// Has stacks go by the source maps that files name, or only by those of bundles for Bun.
#[op]
fn enable_source_maps(scope: &mut Scope<'_>, enabled: bool) {
    RuntimeState::of(scope).program_maps.enable(enabled);
}

#[op]
fn exec_path(scope: &mut Scope<'_>) -> String {
    RuntimeState::of(scope).options.exec_path.clone()
}

#[op]
fn argv0(scope: &mut Scope<'_>) -> String {
    RuntimeState::of(scope).options.argv0.clone()
}

#[op]
fn version() -> String {
    format!("v{NODE_VERSION}")
}

#[op]
fn versions() -> Vec<&'static str> {
    vec![
        "node",
        NODE_VERSION,
        "bun",
        BUN_VERSION,
        "bao",
        env!("CARGO_PKG_VERSION"),
        "spidermonkey",
        "153.6.0",
        "modules",
        "141",
        "napi",
        "10",
        "sqlite",
        "3.54.1",
        // Whose behaviour node:crypto has; the library beneath is aws-lc.
        "openssl",
        "3.5.5",
        "zlib",
        "1.3.1",
        "brotli",
        "1.2.0",
        "zstd",
        "1.5.7",
    ]
}

#[op]
fn release() -> Vec<&'static str> {
    vec!["name", "node"]
}

#[op]
fn revision() -> &'static str {
    option_env!("BAO_REVISION").unwrap_or("unknown")
}

/// A Node-style option by its long name; undefined where it was not given.
#[op(ts(returns = "boolean | string | string[] | undefined"))]
fn cli_option<'s>(scope: &mut Scope<'s>, name: String) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    if name == "--require" {
        let items = state.options.preload.iter().map(|item| scope.string(item)).collect::<Result<Vec<_>, _>>()?;
        return scope.new_array(&items);
    }
    let Some(value) = state.options.node_option(&name) else {
        return Ok(scope.undefined());
    };
    match value {
        NodeOption::Flag(flag) => Ok(scope.boolean(*flag)),
        NodeOption::Text(text) => scope.string(text),
        NodeOption::List(items) => {
            let items = items.iter().map(|item| scope.string(item)).collect::<Result<Vec<_>, _>>()?;
            scope.new_array(&items)
        }
    }
}

/// Ids of the built-in modules that have been loaded.
#[op]
fn loaded_builtins(scope: &mut Scope<'_>) -> Vec<&'static str> {
    builtins::loaded_ids(scope)
}

/// Whether the permission model is on.
#[op]
fn permission_on() -> bool {
    base::permission::is_on()
}

/// Whether it gives what a scope of `process.permission.has` names; `reference` is a path for the file system.
#[op]
fn permission_has(name: String, reference: Option<String>) -> bool {
    use base::permission::{Area, has, has_all};
    let files = |area: Area| match &reference {
        Some(path) => has(area, path.as_bytes()),
        None => has_all(area),
    };
    match name.as_str() {
        "fs" => files(Area::Read) && files(Area::Write),
        "fs.read" => files(Area::Read),
        "fs.write" => files(Area::Write),
        "child" => has_all(Area::Child),
        "worker" => has_all(Area::Worker),
        "addon" => has_all(Area::Addon),
        "wasi" => has_all(Area::Wasi),
        "net" => has_all(Area::Net),
        "inspector" => has_all(Area::Inspector),
        _ => false,
    }
}

/// The id of a public built-in module.
#[op(ts(returns = "BuiltinId | undefined"))]
fn builtin_id(specifier: String) -> Option<&'static str> {
    builtins::public_id(&specifier).filter(|id| id.starts_with("node:"))
}

#[op]
fn is_main_thread(scope: &mut Scope<'_>) -> bool {
    !RuntimeState::of(scope).is_worker()
}

/// 0 for the main thread.
#[op]
fn thread_id(scope: &mut Scope<'_>) -> u32 {
    RuntimeState::of(scope).thread
}

/// Ends the process, or the worker.
#[op]
fn really_exit(scope: &mut Scope<'_>, code: i32) -> Result<(), Exc> {
    let state = RuntimeState::of(scope);
    if state.is_worker() {
        // What runs now does not come back.
        state.exit.set(Some(code));
        return Err(scope.terminate());
    }
    coverage::write_last(scope);
    bytecode_order::write_last(scope);
    cpu_profile::write_last(scope);
    if let Some(finish) = state.on_exit.get() {
        finish(scope);
    }
    trace::finish();
    state.compile_cache.persist();
    store::record::finish();
    pool::finish_changes();
    // Standard output is written unbuffered. Destructors of the engine are not worth the time.
    base::stderr::write();
    base::descendants::end_all();
    ext_tty::restore();
    // SAFETY: ends the process.
    unsafe { libc::_exit(code & 0xff) }
}

/// Monotonic milliseconds since the process started.
#[op]
fn now_ms(scope: &mut Scope<'_>) -> f64 {
    RuntimeState::of(scope).start.elapsed().as_secs_f64() * 1000.0
}

/// Unix milliseconds of `now_ms() == 0`.
#[op]
fn time_origin(scope: &mut Scope<'_>) -> f64 {
    RuntimeState::of(scope).time_origin
}

/// Milliseconds after the process start: engine started, realm made, program about to run, loop entered, loop left.
#[op]
fn milestones(scope: &mut Scope<'_>) -> F64Array {
    let state = RuntimeState::of(scope);
    let [engine, environment, bootstrap] = state.milestones.get();
    let (_, started) = state.event_loop.inbox.times();
    F64Array(vec![0.0, engine, environment, bootstrap, started, -1.0])
}

/// `[rss, heap total, heap used, external, array buffers]`
#[op]
fn memory_usage(scope: &mut Scope<'_>) -> F64Array {
    let heap = scope.heap_bytes() as f64;
    let external = scope.external_bytes() as f64;
    F64Array(vec![sys::resident_bytes(), heap, heap, external, external])
}

/// Starts to watch a signal.
#[op]
fn start_signal(scope: &mut Scope<'_>, number: i32) -> Result<(), OpError> {
    let state = RuntimeState::of(scope);
    signals::start(&state.event_loop.inbox, number).map_err(|error| OpError::io(error, "uv_signal_start"))
}

/// Stops watching a signal.
#[op]
fn stop_signal(number: i32) -> Result<(), OpError> {
    signals::stop(number).map_err(|error| OpError::io(error, "uv_signal_stop"))
}

/// Writes a string (as UTF-8) or bytes, waiting as long as it takes.
#[op]
fn stdio_write<'s>(scope: &mut Scope<'s>, fd: i32, data: Local<'s>) -> Result<(), OpError> {
    let result = if let Some(bytes) = scope.bytes(data) {
        write_all(fd, bytes)
    } else {
        let text = scope.to_string(data).map_err(|_| OpError::type_error("data must be a string or bytes"))?;
        write_all(fd, text.as_bytes())
    };
    result.map_err(|error| OpError::io(error, "write"))
}

#[op]
fn get_title(scope: &mut Scope<'_>) -> String {
    let state = RuntimeState::of(scope);
    let title = scope.state().get_or_default::<ProcessState>().title.clone();
    title.unwrap_or_else(|| state.options.argv0.clone())
}

/// Sets the title, and the name of the thread, which the kernel cuts to 15 bytes.
pub fn name_process(scope: &mut Scope<'_>, title: String) {
    sys::name_thread(&title);
    scope.state().get_or_default::<ProcessState>().title = Some(title);
}

#[op]
fn set_title(scope: &mut Scope<'_>, title: String) {
    name_process(scope, title);
}

#[op]
fn glibc_version() -> Option<String> {
    // SAFETY: a static string of libc.
    let text = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    Some(text.to_string_lossy().into_owned())
}

/// State of the readers of standard input.
#[derive(Default)]
struct Readers {
    next: u32,
    open: std::collections::HashMap<u32, Reader>,
}

struct Reader {
    fd: i32,
    callback: engine::Global,
    started: bool,
    refed: bool,
    /// A read is under way on the pool.
    busy: bool,
    /// Counted as pending.
    counted: bool,
}

/// Opens a reader: `callback(error, chunk)`, chunk undefined at the end.
#[op]
fn fd_reader_open<'s>(scope: &mut Scope<'s>, fd: i32, callback: Local<'s>) -> u32 {
    let callback = scope.global(callback);
    let readers = scope.state().get_or_default::<Readers>();
    readers.next += 1;
    let id = readers.next;
    readers.open.insert(id, Reader { fd, callback, started: false, refed: true, busy: false, counted: false });
    id
}

fn account(scope: &mut Scope<'_>, id: u32) {
    let state = RuntimeState::of(scope);
    let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) else { return };
    let wanted = reader.started && reader.refed;
    let pending = &state.event_loop.pending;
    if wanted && !reader.counted {
        pending.set(pending.get() + 1);
    } else if !wanted && reader.counted {
        pending.set(pending.get() - 1);
    }
    reader.counted = wanted;
}

fn read_next(scope: &mut Scope<'_>, id: u32) {
    let state = RuntimeState::of(scope);
    let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) else { return };
    if !reader.started || reader.busy {
        return;
    }
    reader.busy = true;
    let fd = reader.fd;
    let inbox = state.event_loop.inbox.clone();
    // A read of standard input can wait for ever, so it has a thread of its own and does not block the pool.
    let spawned = std::thread::Builder::new().name("bao-stdin".into()).stack_size(128 << 10).spawn(move || {
        let mut buffer = vec![0u8; 64 << 10];
        let result = loop {
            let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            // SAFETY: valid pollfd and buffer.
            let read = unsafe {
                libc::poll(&mut poll, 1, -1);
                libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len())
            };
            if read >= 0 {
                buffer.truncate(read as usize);
                break Ok(buffer);
            }
            let error = std::io::Error::last_os_error();
            if !matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) {
                break Err(error);
            }
        };
        inbox.send(Arrival::Call(Box::new(move |scope| {
            let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) else { return Ok(()) };
            reader.busy = false;
            let callback = reader.callback.clone().get(scope);
            let none = scope.undefined();
            match result {
                Ok(bytes) if bytes.is_empty() => {
                    if let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) {
                        reader.started = false;
                    }
                    account(scope, id);
                    scope.call_function(callback, &[none, none])?;
                }
                Ok(bytes) => {
                    let chunk = scope.uint8_array(bytes)?;
                    scope.call_function(callback, &[none, chunk])?;
                }
                Err(error) => {
                    let error = OpError::io(error, "read").to_js(scope)?;
                    scope.call_function(callback, &[error])?;
                }
            }
            read_next(scope, id);
            Ok(())
        })));
    });
    if spawned.is_err()
        && let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id)
    {
        reader.busy = false;
    }
}

#[op]
fn fd_reader_start(scope: &mut Scope<'_>, id: u32) {
    if let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) {
        reader.started = true;
    }
    account(scope, id);
    read_next(scope, id);
}

#[op]
fn fd_reader_stop(scope: &mut Scope<'_>, id: u32) {
    if let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) {
        reader.started = false;
    }
    account(scope, id);
}

#[op]
fn fd_reader_ref(scope: &mut Scope<'_>, id: u32, refed: bool) {
    if let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) {
        reader.refed = refed;
    }
    account(scope, id);
}

#[op]
fn fd_reader_close(scope: &mut Scope<'_>, id: u32) {
    if let Some(reader) = scope.state().get_or_default::<Readers>().open.get_mut(&id) {
        reader.started = false;
    }
    account(scope, id);
    scope.state().get_or_default::<Readers>().open.remove(&id);
}

ops!(pub fn family "process" {
    argv, program_text, exec_argv, source_maps_enabled, enable_source_maps, exec_path, argv0, version, versions, release, revision, cli_option, loaded_builtins, permission_on, permission_has, builtin_id, is_main_thread,
    thread_id, really_exit, now_ms, time_origin, milestones, memory_usage, start_signal, stop_signal, stdio_write,
    get_title, glibc_version, fd_reader_open, fd_reader_start, fd_reader_stop, fd_reader_ref,
    fd_reader_close, sys::pid, sys::ppid, sys::arch, sys::platform, sys::getenv, sys::setenv, sys::unsetenv,
    sys::env_entries, sys::cwd, sys::chdir, sys::umask, sys::kill, sys::abort, sys::hrtime, sys::rss, sys::cpu_usage,
    sys::thread_cpu_usage, sys::resource_usage, sys::constrained_memory, sys::available_memory, sys::getuid,
    sys::geteuid, sys::getgid, sys::getegid, sys::setuid, sys::seteuid, sys::setgid, sys::setegid, sys::getgroups,
    sys::setgroups, sys::initgroups, sys::lookup_user, sys::lookup_group, sys::user_name, set_title, set_script, sys::guess_handle_type,
    sys::window_size, sys::execve, trace::open_trace, trace::write_trace, trace::system_thread_id
});
