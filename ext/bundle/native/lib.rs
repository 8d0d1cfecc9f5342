//! Native half of `Bun.build`: a build runs on the bundler's threads, and what it asks of plugins goes to the thread of the
//! program and back.

mod dev;
mod executable;
mod native_plugins;
mod rollup;

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bundle::{
    Answer, BuildOptions, Built, Changed, Deferral, Expanded, Fetch, Graph, Hooks, Loaded, Loader, Message, Position,
    Prepared, Resolved,
};
use engine::{Global, JsResult, Local, OpError, Scope, op, ops};
use ext_napi::PluginFunction;
use runtime_core::RuntimeState;
use runtime_core::event_loop::{Arrival, Inbox};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Bytes by which the first arena of the allocator grows, and with which each heap of another begins, which is all that one has: each
/// further step is a system call that holds up all threads, and a large build takes hundreds of megabytes.
const ARENA_STEP: i32 = 64 << 20;
/// Blocks from this size on are mappings of their own, which the system fills with zeros each time; the allocator takes no more.
const MAPPED_FROM: i32 = 32 << 20;
/// Bytes that are free at the end of an arena before they are given back to the system.
const KEPT: i32 = 256 << 20;

/// Sets the allocator up for builds: an arena for each core, of which it has eight otherwise, so that what one step of a build has
/// freed, the next, whose work is divided in another way, finds again; with fewer, threads wait for each other.
fn set_up_allocator() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arenas = i32::try_from(cores).unwrap_or(i32::MAX);
    // SAFETY: parameters of the allocator, which are set at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas);
        libc::mallopt(libc::M_TOP_PAD, ARENA_STEP);
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Gives what is free in all arenas back to the system.
fn release_memory() {
    // SAFETY: takes the locks of the allocator, as any call of it does.
    unsafe { libc::malloc_trim(0) };
}

/// The bundler's threads, made for the first build of the process.
fn threads() -> Result<&'static tokio::runtime::Runtime, OpError> {
    static THREADS: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    if let Some(threads) = THREADS.get() {
        return Ok(threads);
    }
    set_up_allocator();
    bundle::on_release(release_memory);
    // Syntax trees are walked recursively. An error is that a worker has made the pool at the same time: only builds use it.
    let pool = rayon::ThreadPoolBuilder::new().thread_name(|_| "bao-bundle".to_string()).stack_size(bundle::STACK_SIZE);
    pool.build_global().ok();
    let made = tokio::runtime::Builder::new_multi_thread()
        .thread_name("bao-bundle")
        .thread_stack_size(bundle::STACK_SIZE)
        .enable_all()
        .build()
        .map_err(|error| OpError::io(error, "pthread_create"))?;
    Ok(THREADS.get_or_init(|| made))
}

/// The functions of a build that is under way in this thread.
struct Listener {
    ask: Global,
    done: Global,
}

#[derive(Default)]
struct Builds {
    next: u32,
    open: HashMap<u32, Listener>,
}

/// What a plugin has answered, as JSON and bytes; the error is its text.
type Reply = Result<Option<(Value, Vec<u8>)>, String>;

/// A question that waits for its answer.
struct Question {
    sender: oneshot::Sender<Reply>,
    /// What a plugin that loads a module can wait for, with its build and the inbox of its thread.
    deferral: Option<(Deferral, u32, Inbox)>,
}

/// Questions that wait for their answer, by number.
static QUESTIONS: Mutex<Option<HashMap<u32, Question>>> = Mutex::new(None);

fn with_questions<T>(act: impl FnOnce(&mut HashMap<u32, Question>) -> T) -> T {
    act(QUESTIONS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// The plugins of one build, seen from the bundler's threads.
struct Plugins {
    build: u32,
    inbox: Inbox,
    /// Functions of native plugins, one for each filter.
    native: Vec<PluginFunction>,
}

impl std::fmt::Debug for Plugins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugins").field("build", &self.build).finish_non_exhaustive()
    }
}

impl Plugins {
    /// Calls `ask(question, kind, ...texts)` in the program's thread; `answer` settles what comes back.
    fn ask(
        &self,
        kind: &'static str,
        texts: Vec<String>,
        deferral: Option<Deferral>,
    ) -> impl Future<Output = Reply> + Send + use<> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let question = NEXT.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let deferral = deferral.map(|deferral| (deferral, self.build, self.inbox.clone()));
        with_questions(|questions| questions.insert(question, Question { sender, deferral }));
        call(&self.inbox, self.build, question, kind, texts);
        async move { receiver.await.unwrap_or_else(|_| Err("the thread of the plugin has ended".into())) }
    }
}

/// Calls `ask(question, kind, ...texts)` of a build in its program's thread.
fn call(inbox: &Inbox, build: u32, question: u32, kind: &'static str, texts: Vec<String>) {
    inbox.send(Arrival::Call(Box::new(move |scope| {
        let Some(listener) = scope.state().get_or_default::<Builds>().open.get(&build) else { return Ok(()) };
        let ask = listener.ask.clone().get(scope);
        let mut arguments = vec![scope.number(question.into()), scope.string(kind)?];
        for text in &texts {
            arguments.push(scope.string(text)?);
        }
        scope.call_function(ask, &arguments).map(drop)
    })));
}

impl Hooks for Plugins {
    fn resolve(
        &self,
        specifier: &str,
        importer: &str,
        namespace: &str,
        kind: &'static str,
    ) -> Answer<Option<Resolved>> {
        let texts = vec![specifier.into(), importer.into(), namespace.into(), kind.into()];
        let reply = self.ask("resolve", texts, None);
        Box::pin(async move {
            let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_string();
            Ok(reply.await?.map(|(value, _)| Resolved {
                path: text(&value, "path"),
                namespace: text(&value, "namespace"),
                external: value["external"].as_bool().unwrap_or(false),
                side_effects: value["sideEffects"].as_bool(),
            }))
        })
    }

    fn load(&self, path: &str, namespace: &str, loader: Loader, deferral: Deferral) -> Answer<Option<Loaded>> {
        let reply = self.ask("load", vec![path.into(), namespace.into(), loader.name().into()], Some(deferral));
        Box::pin(async move {
            Ok(reply.await?.map(|(value, contents)| Loaded {
                contents,
                loader: value["loader"].as_str().and_then(Loader::of_name),
                side_effects: value["sideEffects"].as_bool(),
            }))
        })
    }

    fn before_parse(
        &self,
        which: &[usize],
        path: &str,
        namespace: &str,
        loader: Loader,
        fetch: &mut Fetch<'_>,
    ) -> Prepared {
        let plugins = which.iter().filter_map(|place| self.native.get(*place));
        native_plugins::before_parse(plugins, path, namespace, loader, fetch)
    }

    fn transform(&self, path: &str, namespace: &str, code: String, loader: Loader) -> Answer<Option<Changed>> {
        let texts = vec![path.into(), namespace.into(), code, loader.name().into()];
        let reply = self.ask("transform", texts, None);
        Box::pin(async move { changed(reply.await?) })
    }

    fn render_chunk(&self, code: String, chunk: String) -> Answer<Option<Changed>> {
        let reply = self.ask("render", vec![code, chunk], None);
        Box::pin(async move { changed(reply.await?) })
    }

    fn begin(&self, graph: Graph) {
        rollup::begin(self.build, graph);
    }

    fn call(&self, hook: &'static str, about: Value) -> Answer<Option<Value>> {
        let reply = self.ask("rollup", vec![hook.into(), about.to_string()], None);
        Box::pin(async move { Ok(reply.await?.map(|(value, _)| value)) })
    }

    fn expand_macros(&self, path: &str, text: &str, loader: Loader) -> Answer<Expanded> {
        let reply = self.ask("macros", vec![path.into(), text.into(), loader.name().into()], None);
        let path = path.to_string();
        Box::pin(async move {
            let Some((value, contents)) = reply.await? else { return Ok(Expanded::None) };
            let Some(text) = value["error"].as_str() else {
                return Ok(Expanded::Text(String::from_utf8_lossy(&contents).into_owned()));
            };
            let number = |name: &str| value[name].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            let position = Position {
                file: path,
                namespace: "file".to_string(),
                line: number("line"),
                column: number("column"),
                length: 0,
                offset: 0,
                line_text: value["lineText"].as_str().unwrap_or_default().to_string(),
            };
            Ok(Expanded::Failed(Message { position: Some(position), ..Message::error(text) }))
        })
    }
}

/// The code that a plugin has changed.
fn changed(reply: Option<(Value, Vec<u8>)>) -> Result<Option<Changed>, String> {
    let Some((value, code)) = reply else { return Ok(None) };
    let code = String::from_utf8(code).map_err(|_| "a plugin's code is no text".to_string())?;
    Ok(Some(Changed {
        code,
        maps: value["maps"].as_array().into_iter().flatten().filter_map(|map| map.as_str().map(String::from)).collect(),
        loader: value["loader"].as_str().and_then(Loader::of_name),
        side_effects: value["sideEffects"].as_bool(),
    }))
}

/// Begins a build. `options` is JSON, see `bundle::BuildOptions`.
///
/// `ask(question, "resolve", specifier, importer, namespace, kind)`, `ask(question, "load", path, namespace, loader)`,
/// `ask(question, "transform", path, namespace, code, loader)` and `ask(question, "render", code, chunk)` are called for plugins if
/// their filters match, `ask(question, "rollup", hook, about)` for hooks of Rollup with what they are about as JSON, and
/// `ask(question, "macros", path, text, loader)` for macros; [`answer`] takes what they say, [`defer`] lets a plugin wait. `done(artifacts, messages, metafile, inputs, kept)` is
/// called once: each artifact is `[path, kind, loader, hash, bytes, sourcemap, source, isEntry, description]`, the messages are JSON,
/// the metafile is JSON or null, the inputs are JSON, or null if they are those of the build before, `kept` has the bytes of the code
/// and of its map if [`write_texts`] writes these, whose artifacts are empty, else null. `natives` has `[file, symbol, external]` for
/// each filter of native plugins; the caller keeps it until `done` is called.
///
/// # Errors
/// Options that are not of this form, native plugins that are none, and threads that cannot be made.
#[op]
fn build<'s>(
    scope: &mut Scope<'s>,
    options: String,
    ask: Local<'s>,
    done: Local<'s>,
    natives: Local<'s>,
) -> Result<u32, OpError> {
    let options: BuildOptions = serde_json::from_str(&options)
        .map_err(|error| OpError::type_error(format!("options of the bundler: {error}")))?;
    let threads = threads()?;
    let native = native_functions(scope, natives)?;
    let listener = Listener { ask: scope.global(ask), done: scope.global(done) };
    let state = RuntimeState::of(scope);
    let inbox = state.event_loop.inbox.clone();
    let builds = scope.state().get_or_default::<Builds>();
    builds.next += 1;
    let id = builds.next;
    builds.open.insert(id, listener);
    state.event_loop.pending.set(state.event_loop.pending.get() + 1);
    let hooks: Arc<dyn Hooks> = Arc::new(Plugins { build: id, inbox: inbox.clone(), native });
    threads.spawn(async move {
        let built = bundle::build(options, Some(hooks)).await;
        inbox.send(Arrival::Call(Box::new(move |scope| deliver(scope, id, built))));
    });
    Ok(id)
}

/// Functions of native plugins, by an array of `[file, symbol, external]`.
fn native_functions<'s>(scope: &mut Scope<'s>, natives: Local<'s>) -> Result<Vec<PluginFunction>, OpError> {
    (0..scope.array_length(natives)?)
        .map(|index| {
            let parts = scope.get_index(natives, index)?;
            let (file, symbol) = (scope.get_index(parts, 0)?, scope.get_index(parts, 1)?);
            let (file, symbol) = (scope.to_string(file)?, scope.to_string(symbol)?);
            let external = scope.get_index(parts, 2)?;
            PluginFunction::find(scope, &file, &symbol, external)
        })
        .collect()
}

/// Calls `done` of a build.
fn deliver(scope: &mut Scope<'_>, id: u32, built: Built) -> JsResult<()> {
    let state = RuntimeState::of(scope);
    let Some(listener) = scope.state().get_or_default::<Builds>().open.remove(&id) else { return Ok(()) };
    state.event_loop.pending.set(state.event_loop.pending.get() - 1);
    let mut artifacts = Vec::with_capacity(built.artifacts.len());
    for artifact in built.artifacts {
        let sourcemap = match artifact.sourcemap {
            Some(text) => scope.string(&text)?,
            None => scope.null(),
        };
        let source = match artifact.source {
            Some(text) => scope.string(&text)?,
            None => scope.null(),
        };
        let is_entry = scope.boolean(artifact.is_entry);
        let description = match artifact.description {
            Some(text) => scope.string(&text)?,
            None => scope.null(),
        };
        let parts = [
            scope.string(&artifact.path)?,
            scope.string(artifact.kind.name())?,
            scope.string(artifact.loader.name())?,
            scope.string(&artifact.hash)?,
            scope.uint8_array(artifact.bytes)?,
            sourcemap,
            source,
            is_entry,
            description,
        ];
        artifacts.push(scope.new_array(&parts)?);
    }
    let artifacts = scope.new_array(&artifacts)?;
    let messages: Vec<Value> = built.messages.iter().map(message_json).collect();
    let messages = scope.string(&Value::Array(messages).to_string())?;
    let metafile = match built.metafile {
        Some(text) => scope.string(&text)?,
        None => scope.null(),
    };
    let inputs = if built.has_same_inputs {
        scope.null()
    } else {
        scope.string(&serde_json::to_string(&built.inputs).unwrap_or_default())?
    };
    let kept = match built.kept_bytes {
        Some((code, map)) => {
            let sizes = [scope.number(code as f64), scope.number(map as f64)];
            scope.new_array(&sizes)?
        }
        None => scope.null(),
    };
    let done = listener.done.get(scope);
    scope.call_function(done, &[artifacts, messages, metafile, inputs, kept]).map(drop)
}

/// Writes the code and the map of the last build, which are kept for the next one, to new files, both at once. `map` is null if there
/// is none. Blocks are reserved first, as a file that is renamed to another's name is given its blocks then, which takes longer.
///
/// # Errors
/// The system's error about the first that cannot be written.
#[op]
fn write_texts(code: i32, map: Option<i32>) -> Result<(), OpError> {
    let written = bundle::with_texts(|code_text, map_text| {
        let (of_code, of_map) = rayon::join(
            || write_text(code, code_text),
            || map.zip(map_text).map_or(Ok(()), |(file, text)| write_text(file, text)),
        );
        of_code.and(of_map)
    });
    written
        .unwrap_or_else(|| Err(std::io::Error::other("no result is kept")))
        .map_err(|error| OpError::io(error, "write"))
}

/// Writes a text to a file descriptor that the caller keeps open.
fn write_text(file: i32, text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    // SAFETY: takes numbers only; a descriptor that is none is an error.
    if unsafe { libc::fallocate(file, 0, 0, text.len() as i64) } == -1 {
        let error = std::io::Error::last_os_error();
        // Not every file system can reserve.
        if matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG)) {
            return Err(error);
        }
    }
    // SAFETY: the caller keeps the descriptor open, and it is not closed here.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(file) });
    file.write_all(text.as_bytes())
}

fn message_json(message: &Message) -> Value {
    let position = message.position.as_ref().map(|position| {
        json!({
            "file": position.file, "namespace": position.namespace, "line": position.line, "column": position.column,
            "length": position.length, "offset": position.offset, "lineText": position.line_text,
        })
    });
    let unresolved = message.unresolved.as_ref();
    json!({
        "level": message.level.name(),
        "text": message.text,
        "position": position,
        "notes": message.notes,
        "unresolved": unresolved.map(|it| json!({ "specifier": it.specifier, "referrer": it.referrer, "kind": it.kind })),
    })
}

/// Answers a question of a build: `value` is JSON (of `onResolve` the object, of `onLoad` `{ loader }`) or null if no plugin
/// knew; `bytes` is the text of a module; `error` the text of what a plugin has thrown.
#[op]
fn answer(question: u32, value: Option<String>, bytes: Option<Vec<u8>>, error: Option<String>) {
    let Some(Question { sender, .. }) = with_questions(|questions| questions.remove(&question)) else { return };
    let reply = match (error, value) {
        (Some(error), _) => Err(error),
        (None, None) => Ok(None),
        (None, Some(value)) => match serde_json::from_str(&value) {
            Ok(value) => Ok(Some((value, bytes.unwrap_or_default()))),
            Err(error) => Err(format!("a plugin's answer cannot be read: {error}")),
        },
    };
    // A build that has failed meanwhile waits for nothing.
    let _ = sender.send(reply);
}

/// Gives a module of the development server to native plugins: `natives` has `[file, symbol, external]` of those whose filters
/// match, `loader` is the name of its loader. Gives `[bytes, loader]`, or null if the module stays.
///
/// # Errors
/// Native plugins that are none, and the first error that one tells.
#[op(ts(returns = "[bytes: Uint8Array, loader: string] | null"))]
fn before_parse<'s>(
    scope: &mut Scope<'s>,
    natives: Local<'s>,
    path: String,
    namespace: String,
    loader: String,
    bytes: Vec<u8>,
) -> Result<Local<'s>, OpError> {
    let native = native_functions(scope, natives)?;
    let loader = Loader::of_name(&loader).unwrap_or(Loader::File);
    let mut fetch = || Ok(bytes.clone());
    let prepared = native_plugins::before_parse(native.iter(), &path, &namespace, loader, &mut fetch);
    if let Some(message) = prepared.messages.iter().find(|message| message.is_error()) {
        return Err(OpError::error(message.text.clone()));
    }
    let Some(loaded) = prepared.loaded else { return Ok(scope.null()) };
    let parts = [scope.uint8_array(loaded.contents)?, scope.string(loaded.loader.unwrap_or(loader).name())?];
    Ok(scope.new_array(&parts)?)
}

/// Lets a plugin wait for all other modules of its build, but those that wait too: `ask(question, "deferred")` is called then.
/// `question` is that of a module's text which has no answer yet; after its answer nothing happens.
#[op]
fn defer(question: u32) -> Result<(), OpError> {
    let found = with_questions(|questions| questions.get(&question).and_then(|question| question.deferral.clone()));
    let Some((deferral, build, inbox)) = found else { return Ok(()) };
    let _threads = threads()?.enter();
    deferral.wait(move || call(&inbox, build, question, "deferred", Vec::new()));
    Ok(())
}

ops!(pub fn family "bundle" {
    build, write_texts, before_parse, answer, defer, rollup::module_info, rollup::module_code, rollup::module_ids, rollup::emit_chunk,
    rollup::emit_asset, rollup::emitted_name, rollup::load_module, rollup::resolve_module, rollup::release_modules, rollup::parse_module,
    executable::executable_new, executable::executable_order, executable::executable_module, executable::bytecode, executable::executable_file,
    executable::executable_drop, executable::executable_write,
    dev::dev_resolver, dev::dev_close, dev::dev_resolve, dev::dev_forget, dev::dev_polyfill, dev::dev_loader, dev::dev_module, dev::dev_sheet, dev::dev_client, dev::dev_server_modules, dev::react_refresh,
    dev::serve_settings, dev::page_references, dev::page_with,
});
