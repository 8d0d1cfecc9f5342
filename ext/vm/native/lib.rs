//! Family "vm": realms and scripts for node:vm.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use engine::{
    CompileOptions, Exc, Local, ModuleStatus, OpError, PromiseState, RealmOptions, Referrer, Scope, Stencil, op, ops,
};
use runtime_core::coverage::{self, Coverage, Unit};
use runtime_core::limits::Limit;
use runtime_core::signals::SigintBreak;
use runtime_core::{RuntimeState, errors, modules};

/// Compiled scripts of a thread by number.
#[derive(Default)]
struct Scripts {
    next: u32,
    compiled: HashMap<u32, Rc<Compiled>>,
}

struct Compiled {
    stencil: Stencil,
    /// Names of the counters in the code, see [`coverage`].
    counted: Vec<String>,
    /// Number towards the loader, for `import()`.
    referrer: u32,
}

/// Makes a realm with the language's globals. With an object as `sandbox` it is contextified and what `globalThis` is there
/// comes back, else its global object. `strings` and `wasm`: whether code may be made of strings and of WebAssembly;
/// `own_microtasks`: see [`engine::RealmOptions`]; `holder` answers `import()` in code that has no referrer; `own_names` is an
/// object with names that a contextified realm has besides the language's.
#[op(ts(returns = "object"))]
#[allow(clippy::too_many_arguments, reason = "the fields of one call")]
fn create_realm<'s>(
    scope: &mut Scope<'s>,
    strings: bool,
    wasm: bool,
    own_microtasks: bool,
    sandbox: Local<'s>,
    holder: Local<'s>,
    own_names: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let contextified = sandbox.is_object();
    let options = RealmOptions { no_eval: !strings, no_wasm: !wasm, own_microtasks, contextified, hidden: false };
    let mut global = scope.new_realm_with(options)?;
    scope.in_realm_of(global, errors::install)?;
    scope.set_import_holder(global, holder);
    if contextified {
        global = scope.contextify(global, sandbox, own_names)?;
    }
    Ok(global)
}

/// Compiles a script: its number.
///
/// - `line`, `column`: of the first character, from 1.
/// - `environment`: whether it is for [`run_with`].
/// - `default_loader`: whether `import()` without a holder loads as the program's modules do; else it is refused.
/// - `cached`: bytes of [`cached_data`], used where they fit.
///
/// Gives `[number, whether the bytes were refused]`.
#[op]
#[allow(clippy::too_many_arguments, reason = "the fields of one call")]
fn compile(
    scope: &mut Scope<'_>,
    source: String,
    filename: String,
    line: f64,
    column: f64,
    environment: bool,
    default_loader: bool,
    cached: Option<Vec<u8>>,
) -> Result<(u32, bool), Exc> {
    let state = RuntimeState::of(scope);
    let kind = if environment { Kind::Environment } else { Kind::Script };
    let (code, counted) = counted(scope, &source, &filename, line, column, kind)?;
    let cached = cached.filter(|_| counted.is_empty());
    let (stencil, rejected) = stencil(scope, &code, &filename, line, column, kind, cached)?;
    let referrer = modules::vm_referrer(&state, &filename, default_loader);
    let scripts = scope.state().get_or_default::<Scripts>();
    scripts.next += 1;
    let number = scripts.next;
    scripts.compiled.insert(number, Rc::new(Compiled { stencil, referrer, counted }));
    Ok((number, rejected))
}

/// What source text is compiled as; part of cached data.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Script,
    Environment,
    Module,
}

/// The text to compile, with counters if texts are counted, and the names of the counters in it.
fn counted<'t>(
    scope: &mut Scope<'_>,
    source: &'t str,
    filename: &str,
    line: f64,
    column: f64,
    kind: Kind,
) -> Result<(Cow<'t, str>, Vec<String>), Exc> {
    if !Coverage::of(scope).is_on() {
        return Ok((Cow::Borrowed(source), Vec::new()));
    }
    let is_module = kind == Kind::Module;
    let unit = if is_module { Unit::Body } else { Unit::Script };
    let Some(counted) = coverage::count_code(scope, filename, source, is_module, unit)? else {
        // The body of a function may have been counted before the function was put around it.
        return Ok((Cow::Borrowed(source), coverage::names_in(source)));
    };
    if line <= 1.0 && column <= 1.0 {
        let state = RuntimeState::of(scope);
        modules::add_map(&state, filename, counted.map.clone());
    }
    Ok((Cow::Owned(counted.code.clone()), coverage::names_in(&counted.code)))
}

/// The body of a function with counters, if texts are counted: for `vm.compileFunction`.
#[op]
fn counted_body(scope: &mut Scope<'_>, code: String, filename: String) -> Result<Option<String>, Exc> {
    let state = RuntimeState::of(scope);
    coverage::count_mapped(scope, &state, &filename, &code, Unit::Body)
}

/// Code from cached data where that fits, else compiled; and whether the data was refused.
fn stencil(
    scope: &mut Scope<'_>,
    source: &str,
    filename: &str,
    line: f64,
    column: f64,
    kind: Kind,
    cached: Option<Vec<u8>>,
) -> Result<(Stencil, bool), Exc> {
    let mut rejected = false;
    if let Some(bytes) = cached {
        if let Some(code) = split_cached(&bytes, source, kind)
            && let Some(stencil) = scope.decode_stencil(code)?
        {
            return Ok((stencil, false));
        }
        rejected = true;
    }
    let options = CompileOptions {
        line: line.max(0.0) as u32,
        column: column.max(1.0) as u32,
        environment: kind == Kind::Environment,
        ..CompileOptions::new(filename)
    };
    let stencil = match kind {
        Kind::Module => scope.compile_module(source, &options)?,
        _ => scope.compile_script(source, &options)?,
    };
    Ok((stencil, rejected))
}

/// Cached data: a hash of the source and of the kind of script, then the engine's bytes.
fn split_cached<'b>(bytes: &'b [u8], source: &str, kind: Kind) -> Option<&'b [u8]> {
    let (head, code) = bytes.split_at_checked(9)?;
    let expected = xxhash_rust::xxh3::xxh3_64(source.as_bytes()).to_le_bytes();
    (head[..8] == expected && head[8] == kind as u8).then_some(code)
}

fn compiled(scope: &mut Scope<'_>, script: u32) -> Result<Rc<Compiled>, Exc> {
    match scope.state().get_or_default::<Scripts>().compiled.get(&script).cloned() {
        Some(compiled) => Ok(compiled),
        None => Err(scope.throw_error("the compiled script is gone")),
    }
}

fn encode(scope: &mut Scope<'_>, stencil: &Stencil, source: &str, kind: Kind) -> Result<Option<Vec<u8>>, Exc> {
    let Some(code) = scope.encode_stencil(stencil)? else { return Ok(None) };
    let mut bytes = xxhash_rust::xxh3::xxh3_64(source.as_bytes()).to_le_bytes().to_vec();
    bytes.push(kind as u8);
    bytes.extend_from_slice(&code);
    Ok(Some(bytes))
}

/// Serialised form of a script, or undefined where it has none.
#[op]
fn cached_data(scope: &mut Scope<'_>, script: u32, source: String, environment: bool) -> Result<Option<Vec<u8>>, Exc> {
    let compiled = compiled(scope, script)?;
    let kind = if environment { Kind::Environment } else { Kind::Script };
    if !compiled.counted.is_empty() {
        // Without counters, whose names are of this run.
        let (stencil, _) = stencil(scope, &source, "", 1.0, 1.0, kind, None)?;
        return encode(scope, &stencil, &source, kind);
    }
    encode(scope, &compiled.stencil, &source, kind)
}

/// Forgets a script.
#[op]
fn release(scope: &mut Scope<'_>, script: u32) {
    scope.state().get_or_default::<Scripts>().compiled.remove(&script);
}

/// Who asks in the `import()` calls of a script: its holder, or what it was compiled with.
fn referrer<'s>(compiled: &Compiled, holder: Local<'s>) -> Referrer<'s> {
    if holder.is_object() { Referrer::Holder(holder) } else { Referrer::Number(compiled.referrer) }
}

/// Runs a script in the main realm.
///
/// - `timeout`: in milliseconds, 0 for none.
/// - `sigint`: whether SIGINT ends it.
/// - `holder`: answers its `import()` calls, see [`Referrer::Holder`]; may be undefined.
#[op(ts(returns = "unknown"))]
fn run<'s>(
    scope: &mut Scope<'s>,
    script: u32,
    timeout: f64,
    sigint: bool,
    holder: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let compiled = compiled(scope, script)?;
    let referrer = referrer(&compiled, holder);
    limited(scope, timeout, sigint, |scope| scope.in_main_realm(|scope| scope.run_script(&compiled.stencil, referrer)))
}

/// Runs a script in the realm of `global`, its free names looked up first in the objects of the array `environments`, from the
/// last to the first; the rest as in [`run`].
#[op(ts(global = "object", environments = "readonly object[]", returns = "unknown"))]
fn run_with<'s>(
    scope: &mut Scope<'s>,
    script: u32,
    global: Local<'s>,
    environments: Local<'s>,
    holder: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let compiled = compiled(scope, script)?;
    let referrer = referrer(&compiled, holder);
    let mut objects = Vec::new();
    for index in 0..scope.array_length(environments)? {
        objects.push(scope.get_index(environments, index)?);
    }
    scope.in_realm_of(global, |scope| {
        coverage::provide(scope, &compiled.counted)?;
        scope.run_script_with(&compiled.stencil, &objects, referrer)
    })
}

/// Runs a script in the realm of `global`, which may be the view of a contextified one; the rest as in [`run`].
#[op(ts(global = "object", returns = "unknown"))]
fn run_in<'s>(
    scope: &mut Scope<'s>,
    script: u32,
    global: Local<'s>,
    timeout: f64,
    sigint: bool,
    holder: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let compiled = compiled(scope, script)?;
    let referrer = referrer(&compiled, holder);
    limited(scope, timeout, sigint, |scope| {
        contextified(scope, global, |scope| {
            let result = scope.in_realm_of(global, |scope| {
                coverage::provide(scope, &compiled.counted)?;
                scope.run_script(&compiled.stencil, referrer)
            })?;
            after_evaluate(scope, global)?;
            Ok(result)
        })
    })
}

/// Runs code of a realm that may be contextified: its names are those of the program's object, before and after.
fn contextified<'s, R>(
    scope: &mut Scope<'s>,
    global: Local<'s>,
    f: impl FnOnce(&mut Scope<'s>) -> Result<R, Exc>,
) -> Result<R, Exc> {
    scope.enter_contextified(global)?;
    match f(scope) {
        Ok(result) => {
            scope.leave_contextified(global)?;
            Ok(result)
        }
        Err(exc) if scope.is_terminated() => Err(exc),
        Err(exc) => {
            let Some(error) = scope.take_exception(exc) else { return Err(exc) };
            scope.leave_contextified(global)?;
            Err(scope.throw(error))
        }
    }
}

/// Microtasks of a realm that keeps its own.
fn after_evaluate(scope: &mut Scope<'_>, global: Local<'_>) -> Result<(), Exc> {
    if !scope.has_own_microtasks(global) {
        return Ok(());
    }
    let state = RuntimeState::of(scope);
    scope.run_realm_microtasks(global, &mut |scope, error| errors::trigger_uncaught(scope, &state, error, false))
}

/// What ends the script that runs: a deadline, a flag that SIGINT sets.
#[derive(Default)]
struct ScriptLimit {
    deadline: Cell<Option<Instant>>,
    interrupted: RefCell<Option<Arc<AtomicBool>>>,
}

impl ScriptLimit {
    /// That of this thread, made by the first script that needs it.
    fn of(scope: &mut Scope<'_>) -> Rc<ScriptLimit> {
        if let Some(known) = scope.state().get::<Rc<ScriptLimit>>() {
            return known.clone();
        }
        let limit = Rc::new(ScriptLimit::default());
        RuntimeState::of(scope).limits.borrow_mut().push(limit.clone());
        scope.state().put(limit.clone());
        limit
    }
}

impl Limit for ScriptLimit {
    fn is_reached(&self, _: &mut Scope<'_>) -> bool {
        self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline)
            || self.interrupted.borrow().as_ref().is_some_and(|flag| flag.load(Ordering::SeqCst))
    }
}

/// Runs `f` for at most `timeout` milliseconds, and with `sigint` no longer than until SIGINT.
fn limited<'s, R>(
    scope: &mut Scope<'s>,
    timeout: f64,
    sigint: bool,
    f: impl FnOnce(&mut Scope<'s>) -> Result<R, Exc>,
) -> Result<R, Exc> {
    if !sigint {
        return timed(scope, timeout, f);
    }
    let state = RuntimeState::of(scope);
    let flag = Arc::new(AtomicBool::new(false));
    let watch = SigintBreak::start(&state.event_loop.inbox, flag.clone(), scope.interrupt_handle());
    let watch = watch.map_err(|error| scope.throw_op_error(&OpError::io(error, "sigaction")))?;
    let limit = ScriptLimit::of(scope);
    let outer = limit.interrupted.replace(Some(flag.clone()));
    let result = timed(scope, timeout, f);
    drop(watch);
    limit.interrupted.replace(outer);
    if flag.load(Ordering::SeqCst) && state.exit.get().is_none() {
        if let Err(exc) = result {
            scope.take_exception(exc);
        }
        scope.clear_terminated();
        return Err(scope.throw_op_error(
            &OpError::error("Script execution was interrupted by `SIGINT`").code("ERR_SCRIPT_EXECUTION_INTERRUPTED"),
        ));
    }
    result
}

fn timed<'s, R>(
    scope: &mut Scope<'s>,
    timeout: f64,
    f: impl FnOnce(&mut Scope<'s>) -> Result<R, Exc>,
) -> Result<R, Exc> {
    if timeout <= 0.0 {
        return f(scope);
    }
    let state = RuntimeState::of(scope);
    let deadline = Instant::now() + Duration::from_millis(timeout as u64);
    let limit = ScriptLimit::of(scope);
    let outer = limit.deadline.replace(Some(deadline));
    let done = Arc::new((Mutex::new(false), Condvar::new()));
    let watcher = {
        let done = done.clone();
        let interrupt = scope.interrupt_handle();
        std::thread::spawn(move || {
            let (finished, changed) = &*done;
            let finished = finished.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let wait = deadline.saturating_duration_since(Instant::now());
            let (finished, _) = changed
                .wait_timeout_while(finished, wait, |finished| !*finished)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            if !*finished {
                interrupt.request();
            }
        })
    };
    let result = f(scope);
    *done.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
    done.1.notify_all();
    let _ = watcher.join();
    limit.deadline.set(outer);
    let timed_out = Instant::now() >= deadline && scope.is_terminated() && state.exit.get().is_none();
    // The evaluation of a module ends with a rejected promise even then.
    if timed_out && outer.is_none_or(|outer| Instant::now() < outer) {
        scope.clear_terminated();
        return Err(scope.throw_op_error(
            &OpError::error(format!("Script execution timed out after {timeout}ms"))
                .code("ERR_SCRIPT_EXECUTION_TIMEOUT"),
        ));
    }
    result
}

/// Compiles a module in the realm of `global`: `[module record, whether the cached data was refused]`. `holder` answers its
/// requests, see [`Referrer::Holder`]; its `module` is set here. `line`, `column` and `cached` as in [`compile`].
#[op(ts(global = "object", holder = "object", returns = "[module: Native.ModuleRecord, rejected: boolean]"))]
#[allow(clippy::too_many_arguments, reason = "the fields of one call")]
fn compile_module<'s>(
    scope: &mut Scope<'s>,
    source: String,
    identifier: String,
    line: f64,
    column: f64,
    global: Local<'s>,
    holder: Local<'s>,
    cached: Option<Vec<u8>>,
) -> Result<Local<'s>, Exc> {
    let (module, rejected) = scope.in_realm_of(global, |scope| -> Result<_, Exc> {
        let (code, counted) = counted(scope, &source, &identifier, line, column, Kind::Module)?;
        let cached = cached.filter(|_| counted.is_empty());
        let (stencil, rejected) = stencil(scope, &code, &identifier, line, column, Kind::Module, cached)?;
        coverage::provide(scope, &counted)?;
        Ok((scope.instantiate_module(&stencil, Referrer::Holder(holder))?, rejected))
    })?;
    scope.set(holder, "module", module)?;
    let rejected = scope.boolean(rejected);
    scope.new_array(&[module, rejected])
}

/// Serialised form of a module's code, or undefined where it has none.
#[op]
fn module_cached_data(
    scope: &mut Scope<'_>,
    source: String,
    identifier: String,
    line: f64,
    column: f64,
) -> Result<Option<Vec<u8>>, Exc> {
    // Compiled anew: this is rare, and running modules then need not keep what can be serialised.
    let (stencil, _) = stencil(scope, &source, &identifier, line, column, Kind::Module, None)?;
    encode(scope, &stencil, &source, Kind::Module)
}

/// What a module imports: arrays of specifier, `type` attribute or undefined, and whether it is `import source`.
#[op(ts(
    module = "Native.ModuleRecord",
    returns = "[specifier: string, type: string | undefined, isSource: boolean][]"
))]
fn module_requests<'s>(scope: &mut Scope<'s>, module: Local<'s>) -> Result<Local<'s>, Exc> {
    let requests = scope.module_requests(module)?;
    let list = scope.new_array(&[])?;
    for (index, request) in requests.iter().enumerate() {
        let specifier = scope.string(&request.specifier)?;
        let kind = match request.kind.name() {
            Some(name) => scope.string(name)?,
            None => scope.undefined(),
        };
        let source = scope.boolean(request.source_phase);
        let item = scope.new_array(&[specifier, kind, source])?;
        scope.set_index(list, index as u32, item)?;
    }
    Ok(list)
}

/// Status of a module in Node's words.
#[op]
fn module_status(scope: &mut Scope<'_>, module: Local<'_>) -> Result<&'static str, Exc> {
    Ok(match scope.module_status(module)? {
        ModuleStatus::New | ModuleStatus::Unlinked => "unlinked",
        ModuleStatus::Linking => "linking",
        ModuleStatus::Linked => "linked",
        ModuleStatus::Evaluating => "evaluating",
        ModuleStatus::EvaluatingAsync | ModuleStatus::Evaluated => "evaluated",
        ModuleStatus::Errored => "errored",
    })
}

/// Whether a module's own code awaits at its top level.
#[op]
fn module_has_await(scope: &mut Scope<'_>, module: Local<'_>) -> Result<bool, Exc> {
    scope.module_has_await(module)
}

/// Asks the holders of a graph for its modules, which have to answer at once, and links it.
#[op]
fn link_module(scope: &mut Scope<'_>, module: Local<'_>) -> Result<(), Exc> {
    scope.in_realm_of(module, |scope| {
        if scope.load_graph(module)?.is_some() {
            return Err(scope.throw_error("a module of the graph is still being loaded"));
        }
        scope.link_module(module)
    })
}

/// Evaluates a linked module: `[state, value, promise]` of its evaluation, the state 0 while it is under way, 1 where it is
/// done, 2 where it failed with the value. `timeout` and `sigint` as in [`run`].
#[op(ts(
    module = "Native.ModuleRecord",
    global = "object",
    returns = "[state: 0 | 1 | 2, value: unknown, promise: Promise<unknown>]"
))]
fn evaluate_module<'s>(
    scope: &mut Scope<'s>,
    module: Local<'s>,
    global: Local<'s>,
    timeout: f64,
    sigint: bool,
) -> Result<Local<'s>, Exc> {
    let promise = limited(scope, timeout, sigint, |scope| {
        contextified(scope, global, |scope| {
            let promise = scope.in_realm_of(module, |scope| scope.evaluate_module(module))?;
            // What it is settled with is handed on to a promise of the caller's.
            scope.mark_handled(promise)?;
            // Ended from outside: what it has left behind does not run either.
            if scope.is_terminated() {
                return Err(scope.throw_error("the evaluation was ended"));
            }
            after_evaluate(scope, global)?;
            Ok(promise)
        })
    })?;
    let Some((state, value)) = scope.promise_state(promise) else {
        return Err(scope.throw_error("a module's evaluation gave no promise"));
    };
    let state = scope.int(match state {
        PromiseState::Pending => 0,
        PromiseState::Fulfilled => 1,
        PromiseState::Rejected => 2,
    });
    scope.new_array(&[state, value, promise])
}

/// The namespace object of a linked module.
#[op(ts(module = "Native.ModuleRecord", returns = "Record<string, unknown>"))]
fn module_namespace<'s>(scope: &mut Scope<'s>, module: Local<'s>) -> Result<Local<'s>, Exc> {
    scope.in_realm_of(module, |scope| scope.module_namespace(module))
}

/// The module of a namespace object; undefined for every other value.
#[op(ts(returns = "Native.ModuleRecord | undefined"))]
fn module_of_namespace<'s>(scope: &mut Scope<'s>, value: Local<'s>) -> Result<Local<'s>, Exc> {
    match scope.module_of_namespace(value)? {
        Some(module) => Ok(module),
        None => Ok(scope.undefined()),
    }
}

/// Runs a full collection and counts: bytes of the heap, of the main realm's objects, and of those of each context.
#[op]
fn measure(scope: &mut Scope<'_>) -> (f64, f64, Vec<f64>) {
    let heap = scope.in_main_realm(|scope| scope.heap_by_realm());
    (heap.total as f64, heap.current as f64, heap.further.iter().map(|&bytes| bytes as f64).collect())
}

ops!(pub fn family "vm" {
    create_realm, compile, counted_body, cached_data, release, run, run_with, run_in, compile_module, module_cached_data, module_requests,
    module_status, module_has_await, link_module, evaluate_module, module_namespace, module_of_namespace, measure,
});
