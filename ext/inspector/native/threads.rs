//! Sessions between threads: those of the main thread with its workers (`NodeWorker`), and those of a worker's program with the
//! main thread (`connectToMainThread`).
//!
//! A thread that speaks to another one has a link: a thread of its own that hands over commands one by one, as the server's do.
//! Answers and events come back through the thread's own [`Target`].

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Exc, Global, JsResult, Local, Scope, op};
use runtime_core::{RuntimeState, builtins};

use crate::target::{Event, Incoming, Sink, Target};
use crate::{Inspector, call, target_of};

/// The threads of the process, and who watches workers.
#[derive(Default)]
struct Threads {
    main: Option<Arc<Target>>,
    /// By the number of the thread.
    workers: BTreeMap<u32, Arc<Target>>,
    watchers: Vec<Watcher>,
}

/// A session of the main thread that hears of workers.
struct Watcher {
    client: u32,
    /// Of the program itself.
    is_own: bool,
    /// Workers wait until a session lets them begin.
    waits: bool,
}

static THREADS: Mutex<Threads> = Mutex::new(Threads { main: None, workers: BTreeMap::new(), watchers: Vec::new() });

fn threads() -> MutexGuard<'static, Threads> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What this thread has to do with others.
#[derive(Default)]
pub(crate) struct Links {
    /// What takes the commands for the other thread. Dropping it ends the session.
    links: RefCell<HashMap<u32, Sender<String>>>,
    /// The functions of the program that get the messages of its own links.
    receivers: RefCell<HashMap<u32, Global>>,
    /// A microtask will look for what sessions of the program are to be told.
    is_awaited: Cell<bool>,
}

/// Makes a link to another thread; gives its number, `None` if the thread has ended.
fn link(scope: &mut Scope<'_>, target: &Arc<Target>, is_own: bool) -> JsResult<Option<u32>> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let inspector = Inspector::of(scope);
    let owner = target_of(scope);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (sender, receiver) = channel::<String>();
    let Some(client) = target.admit(Sink::Thread { owner, link: number, is_own }) else { return Ok(None) };
    let reached = target.clone();
    let thread = std::thread::Builder::new().name("inspector".into()).stack_size(128 << 10);
    let spawned = thread.spawn(move || {
        reached.push(Incoming::Connected(client));
        for text in receiver {
            reached.push(Incoming::Message(client, text));
        }
        reached.push(Incoming::Disconnected(client));
    });
    if let Err(error) = spawned {
        // Nobody speaks for the client, and a worker that waits is not to wait for it.
        target.dismiss(client);
        target.skip();
        return Err(scope.throw_error(&format!("A session with another thread could not be started: {error}")));
    }
    inspector.links.links.borrow_mut().insert(number, sender);
    Ok(Some(number))
}

/// The main thread can be reached from here on.
pub(crate) fn register_main(target: Arc<Target>) {
    threads().main = Some(target);
}

/// A worker has begun: tells those that watch. Gives how many of them it has to wait for.
pub(crate) fn register_worker(number: u32, target: Arc<Target>) -> usize {
    let mut threads = threads();
    let waits = threads.watchers.iter().any(|watcher| watcher.waits);
    if let Some(main) = &threads.main {
        for watcher in &threads.watchers {
            let (title, url) = (target.title.clone(), target.url.clone());
            main.post(Event::Started { client: watcher.client, worker: number, waits, title, url }, watcher.is_own);
        }
    }
    threads.workers.insert(number, target);
    if waits { threads.watchers.len() } else { 0 }
}

/// A worker has ended: so have its sessions.
pub(crate) fn leave(scope: &mut Scope<'_>) {
    let number = RuntimeState::of(scope).thread;
    threads().workers.remove(&number);
    let inspector = Inspector::of(scope);
    inspector.links.links.borrow_mut().clear();
    inspector.links.receivers.borrow_mut().clear();
    if let Some(server) = inspector.server.borrow_mut().take() {
        server.stop();
    }
    if let Some(target) = &*inspector.target.borrow() {
        target.end();
    }
}

/// Tells a session of the program the next thing, if there is one.
pub(crate) fn serve_own(scope: &mut Scope<'_>) -> JsResult<()> {
    let inspector = Inspector::of(scope);
    let event = inspector.target.borrow().as_ref().and_then(|target| target.take_own());
    let Some(event) = event else { return Ok(()) };
    let (link, text) = match event {
        Event::Text { link, text } => (link, Some(text)),
        Event::Ended { link } => (link, None),
        Event::Started { .. } => return tell(scope, event),
    };
    let receiver = inspector.links.receivers.borrow().get(&link).cloned();
    let Some(receiver) = receiver else {
        let event = match text {
            Some(text) => Event::Text { link, text },
            None => Event::Ended { link },
        };
        return tell(scope, event);
    };
    let Some(text) = text else {
        inspector.links.receivers.borrow_mut().remove(&link);
        inspector.links.links.borrow_mut().remove(&link);
        return Ok(());
    };
    scope.nested(|scope| {
        let receiver = receiver.get(scope);
        let text = scope.string(&text)?;
        scope.call_function(receiver, &[text]).map(drop)
    })
}

/// Where code was interrupted: a microtask tells the sessions of the program what has come, so that the code is not disturbed.
pub(crate) fn await_own(scope: &mut Scope<'_>) -> JsResult<()> {
    let inspector = Inspector::of(scope);
    let is_there = inspector.target.borrow().as_ref().is_some_and(|target| target.has_own());
    if !is_there || inspector.links.is_awaited.replace(true) {
        return Ok(());
    }
    let function = scope.native_function("serveOwn", 0, OP_serve_own_later.native)?;
    scope.enqueue_microtask(function)
}

/// The microtask of [`await_own`].
#[op]
fn serve_own_later(scope: &mut Scope<'_>) -> Result<(), Exc> {
    Inspector::of(scope).links.is_awaited.set(false);
    serve_own(scope)?;
    await_own(scope)
}

/// Tells the debugger's realm of another thread.
pub(crate) fn tell(scope: &mut Scope<'_>, event: Event) -> JsResult<()> {
    let (name, number, text) = spoken(event);
    scope.nested(|scope| {
        let number = scope.number(f64::from(number));
        let text = scope.string(&text)?;
        call(scope, name, &[number, text]).map(drop)
    })
}

/// What `"internal/inspector/backend/main"` exports for an event, with its number and its text.
pub(crate) fn spoken(event: Event) -> (&'static str, u32, String) {
    match event {
        Event::Started { client, worker, waits, title, url } => {
            ("workerStarted", client, format!("{worker}\n{}\n{url}\n{title}", if waits { "waits" } else { "" }))
        }
        Event::Text { link, text } => ("threadMessage", link, text),
        Event::Ended { link } => ("threadEnded", link, String::new()),
    }
}

// ------------------------------------------------------------------------------------------ for the program's realm

/// A session of this program, a worker's, with the main thread; `receive` gets its messages as JSON. Gives the number of the link.
#[op(ts(receive = "(message: string) => void"))]
pub(crate) fn connect_main<'s>(scope: &mut Scope<'s>, receive: Local<'s>) -> Result<u32, Exc> {
    let main = threads().main.clone();
    let Some(main) = main else { return Err(scope.throw_error("The main thread has not begun")) };
    let Some(number) = link(scope, &main, true)? else { return Err(scope.throw_error("The main thread has ended")) };
    let receiver = scope.global(receive);
    Inspector::of(scope).links.receivers.borrow_mut().insert(number, receiver);
    Ok(number)
}

/// Sends a message of the protocol to the thread of a link. What has ended is not told.
#[op]
pub(crate) fn send_to_thread(scope: &mut Scope<'_>, link: u32, message: String) {
    if let Some(sender) = Inspector::of(scope).links.links.borrow().get(&link) {
        let _ = sender.send(message);
    }
}

/// Ends the session of a link. Nothing comes from it any more.
#[op]
pub(crate) fn disconnect_thread(scope: &mut Scope<'_>, link: u32) {
    let inspector = Inspector::of(scope);
    inspector.links.links.borrow_mut().remove(&link);
    inspector.links.receivers.borrow_mut().remove(&link);
}

// ----------------------------------------------------------------------------------------- for the debugger's realm

/// Has a session of the main thread told of workers from here on (`workerStarted`), which wait for it if `waits` says so; `isOwn`:
/// it is the program's own. Gives the numbers of those that run; undefined on other threads, whose sessions hear of none.
#[op]
pub(crate) fn watch_workers(scope: &mut Scope<'_>, client: u32, is_own: bool, waits: bool) -> Option<Vec<f64>> {
    if RuntimeState::of(scope).is_worker() {
        return None;
    }
    let mut threads = threads();
    threads.watchers.retain(|watcher| watcher.client != client);
    threads.watchers.push(Watcher { client, is_own, waits });
    Some(threads.workers.keys().map(|&number| f64::from(number)).collect())
}

/// Takes back `watchWorkers`.
#[op]
pub(crate) fn unwatch_workers(scope: &mut Scope<'_>, client: u32) {
    // Each thread counts its sessions: there, the number is that of another one.
    if RuntimeState::of(scope).is_worker() {
        return;
    }
    threads().watchers.retain(|watcher| watcher.client != client);
}

/// A session with a worker: `[number of the link, title, URL]`; undefined if the worker has ended. `isOwn`: for a session of the
/// program's own.
#[op(ts(returns = "[number, string, string] | undefined"))]
pub(crate) fn attach_worker(
    scope: &mut Scope<'_>,
    worker: u32,
    is_own: bool,
) -> Result<Option<(u32, String, String)>, Exc> {
    let target = threads().workers.get(&worker).cloned();
    let Some(target) = target else { return Ok(None) };
    let Some(number) = link(scope, &target, is_own)? else { return Ok(None) };
    Ok(Some((number, target.title.clone(), target.url.clone())))
}

/// A worker that waits for a session is not to wait for it.
#[op]
pub(crate) fn skip_worker(worker: u32) {
    if let Some(target) = threads().workers.get(&worker) {
        target.skip();
    }
}

/// The title and the URL of a thread's program.
pub(crate) fn names(scope: &mut Scope<'_>) -> (String, String) {
    let state = RuntimeState::of(scope);
    let path = state.options.argv.get(1).cloned().unwrap_or_default();
    let url =
        if path.starts_with('/') { runtime_core::source::file_url(&path).to_string() } else { "file://".to_string() };
    if state.is_worker() {
        let name = std::thread::current().name().unwrap_or_default().to_string();
        return (format!("[worker {}] {name}", state.thread), url);
    }
    let title = if path.starts_with('/') { path } else { format!("bao[{}]", std::process::id()) };
    (title, url)
}

/// Keeps the borrow of the loader out of interrupts: whether events may be told now.
pub(crate) fn may_tell(scope: &mut Scope<'_>, inspector: &Rc<Inspector>) -> bool {
    if inspector.is_busy.get() || builtins::is_loading(scope) {
        return false;
    }
    let Some(realm) = inspector.realm.get() else { return true };
    let global = realm.global.get(scope);
    !scope.is_in_realm_of(global)
}
