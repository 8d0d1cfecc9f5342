//! Family "inspector": the debugger's realm on a thread, and the server that debuggers connect to.
//!
//! The domains of the protocol that look at the program (ext/inspector/backend) run in a realm of their own with
//! SpiderMonkey's `Debugger`; it is made by the first session. It has built-in modules of its own, and sees the program's
//! objects through wrappers only. Threads of the server put messages into the queue of a [`Target`]; the JavaScript thread
//! takes them between turns of its loop, when its code is interrupted, or, stopped at a breakpoint, in a loop that does
//! nothing else.

mod heap_profile;
mod server;
mod target;
mod threads;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use engine::{Exc, Global, JsResult, Local, PropertyAttributes, Scope, op, ops};
use run_options::NodeOption;
use runtime_core::limits::Limit;
use runtime_core::{RuntimeState, builtins, signals, source, versions};

pub use heap_profile::write_last as write_heap_profile;
use server::Server;
use target::{Incoming, Target};
use threads::Links;

/// The inspector of a thread.
#[derive(Default)]
struct Inspector {
    /// The debugger's realm, once there was a session.
    realm: OnceCell<Realm>,
    /// What clients and other threads reach, once the thread has begun.
    target: RefCell<Option<Arc<Target>>>,
    /// The server for clients of this thread, while it runs.
    server: RefCell<Option<Server>>,
    links: Links,
    /// Whether code that runs is to end: asked for by a client.
    ends: Cell<bool>,
    /// Whether it has ended for that reason: the program goes on.
    has_ended: Cell<bool>,
    /// When an evaluation is to end, and what ends the thread that waits for that when it is dropped.
    deadline: RefCell<Option<(Instant, Sender<()>)>>,
    /// Whether the backend is in the middle of something, so that an interrupt must not bring it a message.
    is_busy: Cell<bool>,
    /// The clients whose code runs, the innermost last.
    running: RefCell<Vec<u32>>,
    /// Whether interrupts are served here.
    is_watched: Cell<bool>,
}

/// The debugger's realm.
struct Realm {
    global: Global,
    require: Global,
    native: Global,
    /// The exports of `internal/inspector/backend/main`.
    backend: OnceCell<Global>,
    /// The `module` objects of the modules that it has loaded, by id.
    modules: RefCell<HashMap<String, Global>>,
}

impl Inspector {
    fn of(scope: &mut Scope<'_>) -> Rc<Inspector> {
        scope.state().get_or_default::<Rc<Inspector>>().clone()
    }

    /// Has the interrupts of the thread served.
    fn watch(&self, state: &RuntimeState) {
        if !self.is_watched.replace(true) {
            state.limits.borrow_mut().push(Rc::new(Attention));
        }
    }

    /// The debugger's realm; made where there is none.
    fn realm(&self, scope: &mut Scope<'_>) -> JsResult<&Realm> {
        if self.realm.get().is_none() {
            let realm = scope.nested(|scope| {
                let global = scope.new_debugger_realm()?;
                let kept = scope.global(global);
                scope.in_realm_of(global, |scope| {
                    let require = scope.native_function("require", 1, OP_require.native)?;
                    let native = scope.native_function("native", 1, OP_natives.native)?;
                    Ok(Realm {
                        global: kept,
                        require: scope.global(require),
                        native: scope.global(native),
                        backend: OnceCell::new(),
                        modules: RefCell::default(),
                    })
                })
            })?;
            let state = RuntimeState::of(scope);
            state.on_uncaught.set(Some(uncaught));
            self.watch(&state);
            let _ = self.realm.set(realm);
        }
        Ok(self.realm.get().expect("set above"))
    }
}

/// `require` of the debugger's realm: the same built-in modules, made anew there.
#[op]
fn require<'s>(scope: &mut Scope<'s>, id: String) -> Result<Local<'s>, Exc> {
    let inspector = Inspector::of(scope);
    let realm = inspector.realm(scope)?;
    let loaded = realm.modules.borrow().get(&id).cloned();
    if let Some(module) = loaded {
        let module = module.get(scope);
        return scope.get(module, "exports");
    }
    let function = builtins::instantiate(scope, &id)?;
    let module = scope.new_object()?;
    let exports = scope.new_object()?;
    scope.define(module, "exports", exports, PropertyAttributes::ALL)?;
    let kept = scope.global(module);
    realm.modules.borrow_mut().insert(id, kept);
    let require = realm.require.get(scope);
    let native = realm.native.get(scope);
    let promise = scope.promise_constructor()?;
    scope.call_function(function, &[exports, require, module, native, promise])?;
    scope.get(module, "exports")
}

/// `native` of the debugger's realm, which has this family only.
#[op]
fn natives<'s>(scope: &mut Scope<'s>, _name: String) -> Result<Local<'s>, Exc> {
    scope.family_object(&family())
}

/// Calls a function that the backend exports, in its realm. Objects go there as wrappers; what comes back is a value that is
/// no object.
fn call<'s>(scope: &mut Scope<'s>, export: &str, args: &[Local<'_>]) -> JsResult<Local<'s>> {
    let inspector = Inspector::of(scope);
    let realm = inspector.realm(scope)?;
    let global = realm.global.get(scope);
    let was_busy = inspector.is_busy.replace(true);
    let result = scope.in_realm_of(global, |scope| {
        scope.escape(|scope| {
            if realm.backend.get().is_none() {
                let id = scope.string("internal/inspector/backend/main")?;
                let require = realm.require.get(scope);
                let exports = scope.call_function(require, &[id])?;
                let _ = realm.backend.set(scope.global(exports));
            }
            let exports = realm.backend.get().expect("set above").get(scope);
            let function = scope.get(exports, export)?;
            let args = args.iter().map(|arg| scope.in_this_compartment(*arg)).collect::<JsResult<Vec<_>>>()?;
            scope.call_function(function, &args)
        })
    });
    inspector.is_busy.set(was_busy);
    match result {
        Ok(value) => scope.in_this_compartment(value),
        // An exception of the other realm's becomes one of this.
        Err(exc) => match scope.take_exception(exc) {
            Some(error) => {
                let error = scope.in_this_compartment(error)?;
                Err(scope.throw(error))
            }
            None => Err(exc),
        },
    }
}

/// Takes what has come, between jobs of the program.
fn serve(scope: &mut Scope<'_>) -> JsResult<()> {
    // Between jobs nobody's code runs, also if it was ended without a word.
    Inspector::of(scope).running.borrow_mut().clear();
    serve_clients(scope)?;
    threads::serve_own(scope)
}

/// Takes what has come from clients; not where the debugger's own code runs, which does it itself.
fn serve_clients(scope: &mut Scope<'_>) -> JsResult<()> {
    let inspector = Inspector::of(scope);
    let target = inspector.target.borrow().clone();
    let Some(target) = target else { return Ok(()) };
    if !threads::may_tell(scope, &inspector) {
        return Ok(());
    }
    loop {
        let taken = target.take(&inspector.running.borrow());
        let Some(incoming) = taken else { return Ok(()) };
        let depth = inspector.running.borrow().len();
        let delivered = scope.nested(|scope| deliver(scope, incoming));
        inspector.running.borrow_mut().truncate(depth);
        delivered?;
    }
}

fn deliver(scope: &mut Scope<'_>, incoming: Incoming) -> JsResult<()> {
    let (export, number, text) = spoken(incoming);
    let number = scope.number(f64::from(number));
    let text = scope.string(&text)?;
    call(scope, export, &[number, text]).map(drop)
}

/// What the debugger's realm calls something that has come, with its number and its text.
fn spoken(incoming: Incoming) -> (&'static str, u32, String) {
    match incoming {
        Incoming::Connected(number) => ("connected", number, String::new()),
        Incoming::Message(number, text) => ("message", number, text),
        Incoming::Disconnected(number) => ("disconnected", number, String::new()),
        Incoming::Skipped => ("skipped", 0, String::new()),
        Incoming::Event(event) => threads::spoken(event),
    }
}

/// Serves clients where the thread's code is interrupted, and ends it if one of them asks for that.
struct Attention;

impl Limit for Attention {
    fn is_reached(&self, scope: &mut Scope<'_>) -> bool {
        // A module of bao's that is half made would stay so.
        if builtins::defers_interrupt(scope) {
            return false;
        }
        let inspector = Inspector::of(scope);
        scope.nested(|scope| {
            let mut served = serve_clients(scope);
            if served.is_ok() && threads::may_tell(scope, &inspector) {
                served = threads::await_own(scope);
            }
            if let Err(exc) = served {
                scope.take_exception(exc);
            }
        });
        if !RuntimeState::of(scope).is_worker() && signals::was_asked_by_user() {
            open_by_signal(scope);
        }
        // Once: what the backend does after it is not to end, too.
        let is_late = inspector.deadline.borrow_mut().take_if(|(at, _)| Instant::now() >= *at).is_some();
        let is_over = inspector.ends.take() || is_late;
        inspector.has_ended.set(is_over);
        is_over
    }

    fn recover(&self, scope: &mut Scope<'_>) -> bool {
        let has_ended = Inspector::of(scope).has_ended.take();
        if has_ended {
            scope.clear_terminated();
        }
        has_ended
    }
}

/// SIGUSR1: starts the server, as in Node.
fn open_by_signal(scope: &mut Scope<'_>) {
    if Inspector::of(scope).server.borrow().is_some() {
        return;
    }
    let port = port_to_take(scope);
    scope.nested(|scope| open_at(scope, "127.0.0.1", port));
}

/// What others reach this thread by; made at the first call.
fn target_of(scope: &mut Scope<'_>) -> Arc<Target> {
    let inspector = Inspector::of(scope);
    if let Some(target) = &*inspector.target.borrow() {
        return target.clone();
    }
    let state = RuntimeState::of(scope);
    let (interrupt, inbox) = (scope.interrupt_handle(), state.event_loop.inbox.clone());
    let target = Arc::new(Target::new(threads::names(scope), interrupt, inbox, serve));
    *inspector.target.borrow_mut() = Some(target.clone());
    inspector.watch(&state);
    target
}

/// Starts the server for this thread.
fn start(scope: &mut Scope<'_>, host: &str, port: u16) -> Result<(), String> {
    let failed = |error: std::io::Error| {
        let reason = match error.kind() {
            std::io::ErrorKind::AddrInUse => "address already in use".to_string(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
            _ => error.to_string(),
        };
        format!("Starting inspector on {host}:{port} failed: {reason}")
    };
    let state = RuntimeState::of(scope);
    let inspector = Inspector::of(scope);
    let target = target_of(scope);
    state.on_exit.set(Some(finish));
    let product = format!("node.js/v{}", versions::NODE_VERSION);
    let started = Server::start(host, port, target, product).map_err(failed)?;
    *inspector.server.borrow_mut() = Some(started);
    let url = url_of(&inspector).unwrap_or_default();
    base::stderr::say(&format!("Debugger listening on {url}\nFor help, see: https://nodejs.org/en/docs/inspector\n"));
    Ok(())
}

fn url_of(inspector: &Inspector) -> Option<String> {
    let target = inspector.target.borrow();
    let server = inspector.server.borrow();
    Some(format!("ws://{}/{}", server.as_ref()?.authority(), target.as_ref()?.id()))
}

/// Host and port of `[HOST:]PORT` or `HOST`.
fn address(text: &str) -> Option<(String, u16)> {
    if let Ok(port) = text.parse() {
        return Some(("127.0.0.1".to_string(), port));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.starts_with('[') => (host, port.parse().ok()?),
        _ => (text, DEFAULT_PORT),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some((if host.is_empty() { "127.0.0.1" } else { host }.to_string(), port))
}

/// What `process.debugPort` was set to; -1 if it was not.
static PORT: AtomicI32 = AtomicI32::new(-1);

/// The port of Node's inspector.
const DEFAULT_PORT: u16 = 9229;

/// Why a program does not begin: the message, and the exit code.
pub struct Refusal {
    pub message: String,
    pub code: i32,
}

/// The exit code where the address cannot be had, as Node's.
const NO_ADDRESS: i32 = 12;

/// Starts the server if the command line says so, and waits for a client if it does, or for a session that watches workers.
///
/// # Errors
/// Where the address cannot be had, or the program has no permission for the inspector.
pub fn begin(scope: &mut Scope<'_>) -> Result<(), Refusal> {
    let state = RuntimeState::of(scope);
    let target = target_of(scope);
    if let Err(exc) = heap_profile::start_by_options(scope) {
        scope.take_exception(exc);
        return Err(Refusal { message: "error: --heap-prof: the profile could not be started".into(), code: 1 });
    }
    let given = |name: &str| state.options.node_option(name).cloned();
    let mut awaited = 0;
    if state.is_worker() {
        state.on_exit.set(Some(finish));
        awaited = threads::register_worker(state.thread, target);
    } else {
        threads::register_main(target);
        // Where that fails, SIGUSR1 ends the process.
        let _ = if given("--disable-sigusr1").is_some() || base::permission::is_on() {
            signals::disable_user_action()
        } else {
            signals::set_user_action(scope, open_by_signal)
        };
    }
    let (plain, stops, waits) = (given("--inspect"), given("--inspect-brk"), given("--inspect-wait"));
    if let Some(option) = stops.clone().or_else(|| waits.clone()).or(plain) {
        if let Err(denied) = base::permission::check(base::permission::Area::Inspector, b"") {
            return Err(Refusal { message: format!("Error: {}", denied.message()), code: 1 });
        }
        let refused = |message: String| Refusal { message, code: NO_ADDRESS };
        let text = match (option, given("--inspect-port")) {
            (NodeOption::Text(text), _) | (_, Some(NodeOption::Text(text))) => text,
            _ => String::new(),
        };
        let place = if text.is_empty() { Some(("127.0.0.1".to_string(), DEFAULT_PORT)) } else { address(&text) };
        let Some((host, port)) = place else {
            return Err(refused(format!("--inspect: `{text}` is not [HOST:]PORT")));
        };
        start(scope, &host, port).map_err(refused)?;
        watch_console(scope);
    }
    if stops.is_some() || waits.is_some() {
        wait_for_debugger(scope, stops.is_some(), 0);
    } else if awaited > 0 {
        wait_for_debugger(scope, true, awaited);
    }
    Ok(())
}

/// Waits for a client that lets the program begin. `stops`: at its first statement; `awaited`: so many sessions of other threads
/// are to come, and once they have all gone nobody is waited for; 0 if it waits for anybody.
fn wait_for_debugger(scope: &mut Scope<'_>, stops: bool, awaited: usize) {
    scope.nested(|scope| {
        let (stops, awaited) = (scope.boolean(stops), scope.number(awaited as f64));
        if let Err(exc) = call(scope, "waitForDebugger", &[stops, awaited]) {
            scope.take_exception(exc);
        }
    });
}

/// The thread of a worker ends: whoever looks at it is told, and its server stops.
pub fn leave(scope: &mut Scope<'_>) {
    threads::leave(scope);
}

/// Keeps what the console is called with for clients to come.
fn watch_console(scope: &mut Scope<'_>) {
    let inspector = Inspector::of(scope);
    let was_busy = inspector.is_busy.replace(true);
    scope.nested(|scope| {
        let yes = scope.boolean(true);
        if let Err(exc) = builtins::call(scope, "internal/inspector/remote", "watchConsole", &[yes]) {
            scope.take_exception(exc);
        }
    });
    inspector.is_busy.set(was_busy);
}

/// At the end of the program: the profile of the heap is written, and clients are told, and waited for.
fn finish(scope: &mut Scope<'_>) {
    heap_profile::write_last(scope);
    let Some(inspector) = scope.state().get::<Rc<Inspector>>().cloned() else { return };
    let Some(target) = inspector.target.borrow().clone() else { return };
    if !target.has_sessions() {
        return;
    }
    if target.has_clients() {
        base::stderr::say("Waiting for the debugger to disconnect...\n");
    }
    scope.clear_terminated();
    scope.nested(|scope| {
        if let Err(exc) = call(scope, "ended", &[]) {
            scope.take_exception(exc);
        }
    });
}

/// Tells sessions of an error that nothing has caught.
fn uncaught(scope: &mut Scope<'_>, error: Local<'_>) {
    let Some(inspector) = scope.state().get::<Rc<Inspector>>().cloned() else { return };
    if inspector.realm.get().is_none() {
        return;
    }
    scope.nested(|scope| {
        if let Err(exc) = call(scope, "uncaught", &[error]) {
            scope.take_exception(exc);
        }
    });
}

// ------------------------------------------------------------------------------------------- for the program's realm

/// Starts the server. As in Node, an address that cannot be had is told on standard error, and no more.
#[op]
fn open(scope: &mut Scope<'_>, host: String, port: u16) {
    open_at(scope, &host, port);
}

fn open_at(scope: &mut Scope<'_>, host: &str, port: u16) {
    if let Err(message) = start(scope, host, port) {
        base::stderr::say(&format!("{message}\n"));
        return;
    }
    watch_console(scope);
}

/// Stops the server and hangs up on its clients.
#[op]
fn close(scope: &mut Scope<'_>) {
    let inspector = Inspector::of(scope);
    let Some(url) = url_of(&inspector) else { return };
    let Some(running) = inspector.server.borrow_mut().take() else { return };
    running.stop();
    if let Some(target) = &*inspector.target.borrow() {
        target.close();
    }
    base::stderr::say(&format!("Debugger ending on {url}\nFor help, see: https://nodejs.org/en/docs/inspector\n"));
    scope.nested(|scope| {
        if let Err(exc) = call(scope, "closed", &[]) {
            scope.take_exception(exc);
        }
    });
}

/// The port of the server; if it does not run, the one that it would take.
#[op]
fn debug_port(scope: &mut Scope<'_>) -> u16 {
    if let Some(server) = &*Inspector::of(scope).server.borrow() {
        return server.port;
    }
    port_to_take(scope)
}

/// The port of a server that is started without one.
fn port_to_take(scope: &mut Scope<'_>) -> u16 {
    let state = RuntimeState::of(scope);
    match PORT.load(Ordering::Relaxed) {
        -1 => match state.options.node_option("--inspect-port") {
            Some(NodeOption::Text(text)) => address(text).map_or(DEFAULT_PORT, |(_, port)| port),
            _ => DEFAULT_PORT,
        },
        port => port as u16,
    }
}

/// Sets the port that the server takes if it is started without one.
#[op]
fn set_debug_port(port: u16) {
    PORT.store(i32::from(port), Ordering::Relaxed);
}

/// The URL of this thread, if the server runs.
#[op]
fn url(scope: &mut Scope<'_>) -> Option<String> {
    url_of(&Inspector::of(scope))
}

/// Calls a function of `internal/inspector/backend/main` in the debugger's realm.
#[op(ts(returns = "unknown"))]
fn backend<'s>(
    scope: &mut Scope<'s>,
    name: String,
    first: Local<'s>,
    second: Local<'s>,
    third: Local<'s>,
) -> Result<Local<'s>, Exc> {
    call(scope, &name, &[first, second, third])
}

// ------------------------------------------------------------------------------------------ for the debugger's realm

/// The next thing that has come, as the name of what `internal/inspector/backend/main` exports for it, a number and a text; waits for
/// it. Undefined if the thread is to end.
#[op(ts(returns = "[string, number, string] | undefined"))]
fn wait(scope: &mut Scope<'_>) -> Option<(&'static str, u32, String)> {
    let target = Inspector::of(scope).target.borrow().clone()?;
    Some(spoken(target.wait()?))
}

/// Sends a message to a client.
#[op]
fn send(scope: &mut Scope<'_>, client: u32, text: String) {
    if let Some(target) = &*Inspector::of(scope).target.borrow() {
        target.send(client, text);
    }
}

/// Whether the backend is in the middle of something from here on; what it was before.
#[op]
fn set_busy(scope: &mut Scope<'_>, is_busy: bool) -> bool {
    Inspector::of(scope).is_busy.replace(is_busy)
}

/// Code of a client's runs from here on, until `endCode` gets what this gives: other clients are served meanwhile, and of this one what
/// is about the code.
#[op]
fn begin_code(scope: &mut Scope<'_>, client: u32) -> bool {
    let inspector = Inspector::of(scope);
    inspector.running.borrow_mut().push(client);
    inspector.is_busy.replace(false)
}

/// The code of a client has ended.
#[op]
fn end_code(scope: &mut Scope<'_>, was_busy: bool) {
    let inspector = Inspector::of(scope);
    inspector.running.borrow_mut().pop();
    inspector.is_busy.set(was_busy);
}

/// Whether a module or a lazy global of bao's is being made: no program can tell.
#[op]
fn is_loading(scope: &mut Scope<'_>) -> bool {
    builtins::is_loading(scope)
}

/// Whether the engine keeps the stacks of asynchronous calls, in realms whose debugger wants them.
#[op]
fn set_async_stacks(scope: &mut Scope<'_>, are_kept: bool) {
    scope.set_async_stacks(are_kept);
}

/// The global object of the program, behind a wrapper.
#[op(ts(returns = "unknown"))]
fn program<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let global = scope.main_global();
    scope.in_this_compartment(global)
}

/// The exports of a built-in module in the program's realm, behind a wrapper.
#[op(ts(returns = "unknown"))]
fn program_module<'s>(scope: &mut Scope<'s>, id: String) -> Result<Local<'s>, Exc> {
    let exports = builtins::require(scope, &id)?;
    scope.in_this_compartment(exports)
}

/// The map of a transpiled file by its name in stacks: line and column, original line and column of each token, from 0. Of text
/// that comes from nowhere the original line is -1.
#[op]
fn positions(scope: &mut Scope<'_>, name: String) -> Option<Vec<f64>> {
    let state = RuntimeState::of(scope);
    let map = state.modules.borrow_mut().map_for(&name)?;
    let mut numbers = Vec::new();
    for token in map.tokens() {
        let (line, column) =
            token.original.map_or((-1.0, 0.0), |original| (f64::from(original.line), f64::from(original.column)));
        numbers.extend([f64::from(token.generated_line), f64::from(token.generated_column), line, column]);
    }
    Some(numbers)
}

/// The text of a file as it was written, for files whose code is made of it; undefined if it cannot be read.
#[op]
fn original_text(scope: &mut Scope<'_>, name: String) -> Option<String> {
    let state = RuntimeState::of(scope);
    let embedded = state.modules.borrow().original_text(&name);
    let bytes = match embedded {
        Some(bytes) => bytes,
        None => {
            let path = name.strip_prefix("file://").unwrap_or(&name);
            let path = path.split(['?', '#']).next().unwrap_or_default();
            std::fs::read(&*resolve::paths::percent_decode(path)).ok()?
        }
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The URL of a path.
#[op]
fn file_url(path: String) -> String {
    source::file_url(&path).to_string()
}

/// The number of this process.
#[op]
fn process_id() -> u32 {
    std::process::id()
}

/// Whether the server has clients.
#[op]
fn has_clients(scope: &mut Scope<'_>) -> bool {
    Inspector::of(scope).target.borrow().as_ref().is_some_and(|target| target.has_clients())
}

/// Ends the code that runs, as soon as it can be interrupted.
#[op]
fn terminate(scope: &mut Scope<'_>) {
    Inspector::of(scope).ends.set(true);
    scope.interrupt_handle().request();
}

/// Has code that runs from here on end after `milliseconds`, until `endDeadline`.
#[op]
fn begin_deadline(scope: &mut Scope<'_>, milliseconds: f64) {
    let wait = Duration::from_secs_f64((milliseconds / 1e3).clamp(0.0, 1e6));
    let (ended, ends) = channel();
    Inspector::of(scope).deadline.replace(Some((Instant::now() + wait, ended)));
    let interrupt = scope.interrupt_handle();
    let _ = std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
        if ends.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            interrupt.request();
        }
    });
}

/// Takes back `beginDeadline`, and lets the thread go on after code was ended.
#[op]
fn end_deadline(scope: &mut Scope<'_>) {
    Inspector::of(scope).deadline.replace(None);
    go_on(scope);
}

/// Lets the thread go on after the code of a client was ended; not if the program ends.
#[op]
fn go_on(scope: &mut Scope<'_>) {
    if RuntimeState::of(scope).exit.get().is_none() {
        Inspector::of(scope).has_ended.set(false);
        scope.clear_terminated();
    }
}

ops!(pub fn family "inspector" {
    open, close, url, backend, debug_port, set_debug_port,
    wait, send, set_busy, begin_code, end_code, is_loading, set_async_stacks, program, program_module, positions, original_text, file_url, process_id, has_clients,
    terminate, begin_deadline, end_deadline, go_on,
    threads::connect_main, threads::send_to_thread, threads::disconnect_thread, threads::watch_workers, threads::unwatch_workers,
    threads::attach_worker, threads::skip_worker,
});
