//! The JavaScript runtime: a thread's loop, its module loader, its globals.

mod builtin_files;
mod builtins;
mod cache;
mod compile_cache;
mod coverage;
mod errors;
mod event_loop;
mod globals;
mod hooks;
mod host;
mod locks;
mod modules;
mod ops;
mod pool;
mod ports;
mod signals;
mod source;
mod state;
mod type_exports;
mod worker;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use engine::{Context, ContextOptions, Global, JsResult, PromiseState, Scope};
use resolve::{FileClass, Kind, ModuleFormat};
use transpile::ModuleKind;

pub use ops::process_ops::{BUN_VERSION, NODE_VERSION};
use state::RuntimeState;
pub use state::{JsxOverride, NodeOption, RunOptions};

/// What a program is.
#[derive(Debug, Clone)]
pub enum Program {
    /// A file, as given on the command line.
    File(String),
    /// Text: of `-e` (with `print`, its completion value is printed), or of standard input.
    Text { text: String, name: String, print: bool },
    /// What is typed: Node's REPL, after some text (and whether its value is printed).
    Interactive { eval: Option<(String, bool)> },
    /// What is typed: `bao repl`.
    Repl,
    /// `bao test`: the run as JSON, see ext/test/bun_test/main.ts.
    Tests { run: String },
}

/// Runs a program on this thread. Ends the process when the program does; comes back only with the exit code of a
/// program that could not be started.
pub fn run(program: Program, options: RunOptions) -> i32 {
    let start = Instant::now();
    if let Program::Tests { .. } = &program {
        builtins::answer_test_libraries(true);
    }
    globals::declare();
    prepare_heap();
    if !engine::initialize(builtins::BUILD_ID, builtins::self_hosted()) {
        eprintln!(
            "error: the JavaScript engine could not get its address space (2 GiB): raise `ulimit -v` or the memory limit"
        );
        return 1;
    }
    let (state, mut context) = match make_thread(options, start, None) {
        Ok(made) => made,
        Err(message) => {
            eprintln!("error: {message}");
            return 1;
        }
    };
    let code = context.with(|scope| enter(scope, &state, |scope| run_program(scope, &state, &program)));
    state.compile_cache.persist();
    // The process ends here: freeing the heap object by object would only take time, and the engine's exit handlers
    // want all its threads gone first. Nothing of bao's waits to be flushed.
    std::mem::forget(context);
    base::stderr::write();
    ext_tty::restore();
    // SAFETY: ends the process.
    unsafe { libc::_exit(code & 0xff) }
}

/// The state and the context of a JavaScript thread. `worker` is what a worker knows of itself.
///
/// # Errors
/// A message where the options do not fit this machine.
fn make_thread(options: RunOptions, start: Instant, worker: Option<worker::Own>) -> Result<worker::Made, String> {
    let families = vec![
        ops::loop_ops::family(),
        ops::console_ops::family(),
        ops::inspect_ops::family(),
        ops::loader_ops::family(),
        ops::process_ops::family(),
        ops::source_map_ops::family(),
        ops::test_ops::family(),
        ops::v8_ops::family(),
        ops::vm_ops::family(),
        ports::family(),
        locks::family(),
        worker::family(),
        ops::bun_ops::family(),
        ext_bun::family(),
        ext_child_process::family(),
        ext_crypto::family(),
        ext_buffer::family(),
        ext_fs::family(),
        ext_net::family(),
        ext_os::family(),
        ext_path::family(),
        ext_repl::family(),
        ext_tty::family(),
        ext_url::family(),
        ext_util::family(),
        ext_zlib::family(),
    ];
    let modules = modules::ModuleMap::new(&options)?;
    let context_options = ContextOptions {
        stack_quota: options.stack_size,
        small: options.smol,
        // Of a test file next to nothing is left when it is over.
        frugal: builtins::answers_test_libraries(),
        gc_stress: std::env::var("BAO_GC_STRESS").ok().and_then(|v| v.parse().ok()).unwrap_or(0),
        max_heap_mib: heap_limit_mib(&options),
    };
    let state = Rc::new(RuntimeState {
        options,
        builtins: builtins::Builtins::new(families),
        event_loop: event_loop::LoopState::new(),
        modules: RefCell::new(modules),
        cache: cache::DiskCache::from_env(),
        compile_cache: compile_cache::CompileCache::from_env(),
        start,
        milestones: Cell::default(),
        time_origin: ops::process_ops::unix_ms(),
        rejections: RefCell::default(),
        process_used: Cell::new(false),
        main_module: RefCell::default(),
        hooks_active: Cell::new(false),
        assignable: Cell::new(false),
        mocks_expected: Cell::new(false),
        failed_import: RefCell::default(),
        program_text: RefCell::default(),
        title: RefCell::default(),
        vm_deadline: Cell::new(None),
        vm_interrupted: RefCell::default(),
        watchdog: RefCell::default(),
        kept_code: RefCell::default(),
        counted: RefCell::default(),
        test_cells: engine::SharedCells::new(2),
        script: Default::default(),
        thrown: RefCell::default(),
        exit: Cell::new(None),
        worker,
    });
    let host = Rc::new(host::RuntimeHost { state: Rc::downgrade(&state), inbox: state.event_loop.inbox.clone() });
    let since = || start.elapsed().as_secs_f64() * 1000.0;
    let engine_started = since();
    let context = Context::new(&context_options, host);
    state.milestones.set([engine_started, since(), 0.0]);
    Ok((state, context))
}

/// Prepares the realm, then calls `run`; the exit code.
fn enter(scope: &mut Scope<'_>, state: &Rc<RuntimeState>, run: impl FnOnce(&mut Scope<'_>) -> i32) -> i32 {
    scope.state().put(state.clone());
    scope.state().put(state.event_loop.poller.clone());
    if let Err(exc) = errors::install(scope).and_then(|()| apply_options(scope, state)) {
        errors::report_pending(scope, state, exc);
        return 1;
    }
    let [engine_started, realm_made, _] = state.milestones.get();
    state.milestones.set([engine_started, realm_made, state.start.elapsed().as_secs_f64() * 1000.0]);
    run(scope)
}

/// Sets up the allocator of the process, before another thread exists. (Populating the first pages of the heap in one call
/// instead of by page faults was tried: 115 faults fewer, and no time saved.)
fn prepare_heap() {
    // SAFETY: parameters of the allocator. Large buffers come from the heap and stay there: mapping and unmapping each of
    // them costs a page fault for every page of every buffer.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
    }
}

/// Options that change the realm before any program runs.
fn apply_options(scope: &mut Scope<'_>, state: &RuntimeState) -> JsResult<()> {
    for (name, value) in &state.options.node_options {
        match (name.as_str(), value) {
            ("--expose-gc", NodeOption::Flag(true)) => {
                let function = scope.native_function("gc", 0, ops::loop_ops::OP_gc.native)?;
                let global = scope.global_object();
                scope.define(global, "gc", function, engine::PropertyAttributes::HIDDEN)?;
            }
            ("--title", NodeOption::Text(title)) => {
                ops::process_sys::name_thread(title);
                *state.title.borrow_mut() = Some(title.clone());
            }
            ("--stack-trace-limit", NodeOption::Text(text)) => {
                if let Ok(limit) = text.parse::<f64>() {
                    let global = scope.global_object();
                    let constructor = scope.get(global, "Error")?;
                    let limit = scope.number(limit);
                    scope.set(constructor, "stackTraceLimit", limit)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// `--max-old-space-size`. Where the address space is limited (`ulimit -v`), the heap gets a limit of its own below it: reaching that is an
/// exception that a program or the error report can handle, while an allocation refused by the system in the middle of a
/// collection ends the process.
fn heap_limit_mib(options: &RunOptions) -> u32 {
    for (name, value) in &options.node_options {
        if let ("--max-old-space-size", NodeOption::Text(text)) = (name.as_str(), value)
            && let Ok(limit) = text.parse::<u32>()
        {
            return limit.clamp(16, 4095);
        }
    }
    // SAFETY: a valid out pointer.
    let limit = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_AS, &mut limit);
        limit.rlim_cur
    };
    if limit == libc::RLIM_INFINITY {
        return 0;
    }
    // SAFETY: one arena for all threads: each further one would reserve 64 MiB.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    // First number of statm: pages of address space in use, those that the engine reserves for compiled code included.
    let used = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
        .map_or(0, |pages| pages * 4096);
    // Half of what is left: the rest is for stacks, and memory of buffers, arrays and strings outside the heap.
    ((limit.saturating_sub(used) >> 20) / 2).clamp(32, 4095) as u32
}

fn run_program(scope: &mut Scope<'_>, state: &Rc<RuntimeState>, program: &Program) -> i32 {
    let mut promise: Option<Global> = None;
    let started = scope.nested(|scope| start_program(scope, state, program, &mut promise));
    if let Err(exc) = started {
        errors::uncaught(scope, state, exc);
    }
    event_loop::drain(scope, state);
    let mut watch = promise;
    if state.options.hot.is_some()
        && let Program::File(path) = program
        && state.exit.get().is_none()
    {
        start_hot(scope, state, path);
    }
    check_main(scope, state, &mut watch);
    if state.exit.get().is_none() {
        event_loop::run(scope, state, &mut |scope| {
            check_main(scope, state, &mut watch);
            state.exit.get().is_some()
        });
    }
    if let Some(code) = state.exit.get() {
        return code;
    }
    if matches!(program, Program::Tests { .. }) {
        // The runner itself was broken by what it ran: that must not look like success.
        base::stderr::write();
        eprintln!("error: the run of tests ended before its end");
        return 1;
    }
    let mut code = None;
    if watch.is_some() {
        // Only a top-level await that nothing will ever settle leaves the promise pending here.
        eprintln!("Warning: Detected unsettled top-level await in {}", name_of(program));
        code = Some(13);
    }
    if state.process_used.get() {
        let result = scope.escape(|scope| {
            let execution = builtins::require(scope, state, "internal/process/execution")?;
            let emit = scope.get(execution, "emitExit")?;
            match code {
                Some(code) => {
                    let number = scope.int(code);
                    scope.call_function(emit, &[number])
                }
                None => scope.call_function(emit, &[]),
            }
        });
        match result {
            Ok(value) => code = value.as_number().map(|n| n as i32),
            Err(exc) => errors::uncaught(scope, state, exc),
        }
    }
    state.exit.get().or(code).unwrap_or(0)
}

fn start_hot(scope: &mut Scope<'_>, state: &RuntimeState, path: &str) {
    let started = scope.nested(|scope| {
        let hot = builtins::require(scope, state, "internal/module/hot")?;
        let start = scope.get(hot, "start")?;
        let main = state.modules.borrow().main_path();
        let path = scope.string(main.as_deref().unwrap_or(path))?;
        scope.call_function(start, &[path]).map(drop)
    });
    if let Err(exc) = started {
        errors::uncaught(scope, state, exc);
    }
}

fn name_of(program: &Program) -> &str {
    match program {
        Program::File(path) => path,
        Program::Text { name, .. } => name,
        Program::Interactive { .. } | Program::Repl => "[repl]",
        Program::Tests { .. } => "[test]",
    }
}

/// Looks whether the main module's evaluation has ended; a rejection is an uncaught error.
fn check_main(scope: &mut Scope<'_>, state: &RuntimeState, watch: &mut Option<Global>) {
    let Some(promise) = &*watch else { return };
    let outcome = scope.nested(|scope| {
        let promise = promise.get(scope);
        match scope.promise_state(promise) {
            Some((PromiseState::Pending, _)) => None,
            Some((PromiseState::Rejected, reason)) => Some(Some(scope.global(reason))),
            _ => Some(None),
        }
    });
    match outcome {
        None => {}
        Some(rejection) => {
            *watch = None;
            let module = state.main_module.take();
            if let Some(reason) = rejection {
                scope.nested(|scope| {
                    let reason = reason.get(scope);
                    errors::trigger_uncaught(scope, state, reason, true);
                });
            } else if let Some(module) = module
                && let Err(exc) = scope.nested(|scope| serve_default(scope, state, &module))
            {
                errors::uncaught(scope, state, exc);
            }
        }
    }
}

/// `export default { fetch }` in the main module is a server (Bun.serve), unless it was started already.
fn serve_default(scope: &mut Scope<'_>, state: &RuntimeState, module: &Global) -> JsResult<()> {
    let module = module.get(scope);
    let namespace = scope.module_namespace(module)?;
    if !scope.has_own(namespace, "default")? {
        return Ok(());
    }
    let value = scope.get(namespace, "default")?;
    if !value.is_object() {
        return Ok(());
    }
    let fetch = scope.get(value, "fetch")?;
    if !fetch.is_callable() {
        return Ok(());
    }
    let auto = builtins::require(scope, state, "internal/serve/default_export")?;
    let start = scope.get(auto, "start")?;
    scope.call_function(start, &[value]).map(drop)
}

fn start_program(
    scope: &mut Scope<'_>,
    state: &Rc<RuntimeState>,
    program: &Program,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    if state.worker.is_none() && std::env::var_os("NODE_CHANNEL_FD").is_some() {
        // Started by fork(): messages can come.
        let ipc = builtins::require(scope, state, "internal/child_process/ipc")?;
        let function = scope.get(ipc, "setupOwnChannel")?;
        scope.call_function(function, &[])?;
    }
    for specifier in &state.options.preload {
        preload(scope, state, specifier)?;
    }
    match program {
        Program::File(path) => start_file(scope, state, path, promise),
        Program::Text { text, name, print } => start_text(scope, state, text, name, *print, promise),
        Program::Interactive { eval } => {
            start_repl(scope, state, "interactive")?;
            match eval {
                Some((text, print)) => {
                    // The text sees a `module` of its own; what is typed sees the REPL's.
                    let global = scope.global_object();
                    let module = scope.get(global, "module")?;
                    start_text(scope, state, text, "[eval]", *print, promise)?;
                    scope.set(global, "module", module)
                }
                None => Ok(()),
            }
        }
        Program::Repl => start_repl(scope, state, "session"),
        Program::Tests { run } => start_tests(scope, state, run),
    }
}

/// Calls a function of ext/repl/session.ts.
fn start_repl(scope: &mut Scope<'_>, state: &RuntimeState, function: &str) -> JsResult<()> {
    let repl = builtins::require(scope, state, "internal/repl/session")?;
    let function = scope.get(repl, function)?;
    scope.call_function(function, &[]).map(drop)
}

fn start_tests(scope: &mut Scope<'_>, state: &RuntimeState, run: &str) -> JsResult<()> {
    let main = builtins::require(scope, state, "internal/test/bun_test/main")?;
    let function = scope.get(main, "start")?;
    let run = scope.string(run)?;
    scope.call_function(function, &[run]).map(drop)
}

fn cwd() -> String {
    std::env::current_dir().map(|p| p.to_string_lossy().into_owned()).unwrap_or_else(|_| "/".into())
}

fn preload(scope: &mut Scope<'_>, state: &RuntimeState, specifier: &str) -> JsResult<()> {
    scope.nested(|scope| {
        let cjs = builtins::require(scope, state, "internal/module/cjs")?;
        let function = scope.get(cjs, "preload")?;
        let specifier = scope.string(specifier)?;
        scope.call_function(function, &[specifier])?;
        event_loop::drain(scope, state);
        Ok(())
    })
}

/// Runs the main file once more (`--hot`): the promise of its evaluation, if it is an ES module.
fn run_again<'s>(scope: &mut Scope<'s>, state: &RuntimeState, path: &str) -> JsResult<engine::Local<'s>> {
    let mut promise = None;
    start_file(scope, state, path, &mut promise)?;
    Ok(match promise {
        Some(promise) => promise.get(scope),
        None => scope.undefined(),
    })
}

fn start_file(scope: &mut Scope<'_>, state: &RuntimeState, path: &str, promise: &mut Option<Global>) -> JsResult<()> {
    // An absolute path counts from nowhere else.
    let cwd = if path.starts_with('/') && !state.hooks_active.get() { "/".to_string() } else { cwd() };
    let base = format!("{cwd}/[entry]");
    if let Some(module) = hooks::ask(scope, state, path, &base, "entry-point-run", None)? {
        if scope.promise_state(module).is_none() {
            return keep_evaluation(scope, state, module, promise);
        }
        return Err(
            scope.throw_error(&format!("'{path}': the entry point cannot come from a plugin that answers later"))
        );
    }
    let resolution = {
        let mut map = state.modules.borrow_mut();
        map.resolve(&state.options, path, &cwd, Kind::Entry)
    };
    let file = match resolution {
        Ok(resolution) => match resolution.file() {
            Some(file) => file.clone(),
            None => return Err(scope.throw_error(&format!("'{path}' is not a file that can be run"))),
        },
        Err(error) => return Err(modules::throw_resolve_error(scope, &error, false)),
    };
    modules::set_main(state, &file.path);
    let text = match source::file_kind(file.class) {
        source::FileKind::Script => Some(source::read_text(scope, &file.path)?),
        _ if file.extension().is_empty() => Some(source::read_text(scope, &file.path)?),
        _ => None,
    };
    if let Some(text) = text {
        let prepared = source::prepare(scope, state, &file, text)?;
        let kind = prepared.kind;
        state.modules.borrow_mut().keep_main(prepared);
        if kind == ModuleKind::Cjs {
            let cjs = builtins::require(scope, state, "internal/module/cjs")?;
            let function = scope.get(cjs, "runMain")?;
            let path = scope.string(&file.path)?;
            scope.call_function(function, &[path])?;
            return Ok(());
        }
    }
    let module = modules::load_file(scope, state, &file, "", None)?;
    keep_evaluation(scope, state, module, promise)
}

fn keep_evaluation(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    module: engine::Local<'_>,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    let evaluation = modules::evaluate(scope, module)?;
    let kept = scope.global(module);
    *state.main_module.borrow_mut() = Some(kept);
    // Reported by `check_main`, not as an unhandled rejection.
    scope.mark_handled(evaluation)?;
    *promise = Some(scope.global(evaluation));
    Ok(())
}

/// What the text of a program is by `--input-type`: TypeScript that says itself what it is, where that was not given.
fn text_format(state: &RuntimeState) -> (FileClass, ModuleFormat) {
    let given = state.options.node_options.iter().find(|(name, _)| name == "--input-type");
    match given {
        Some((_, NodeOption::Text(kind))) => match kind.as_str() {
            "module" => (FileClass::Mjs, ModuleFormat::Module),
            "module-typescript" => (FileClass::Mts, ModuleFormat::Module),
            "commonjs" => (FileClass::Cjs, ModuleFormat::CommonJs),
            "commonjs-typescript" => (FileClass::Cts, ModuleFormat::CommonJs),
            _ => (FileClass::Ts, ModuleFormat::Detect),
        },
        _ => (FileClass::Ts, ModuleFormat::Detect),
    }
}

fn start_text(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    text: &str,
    name: &str,
    print: bool,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    let path = format!("{}/{name}", cwd());
    *state.program_text.borrow_mut() = Some((path.clone(), text.to_string()));
    let (class, format) = text_format(state);
    let prepared = source::prepare_as(scope, state, &path, class, format, text.to_string())?;
    if prepared.kind == ModuleKind::Esm {
        let module = modules::load_text(scope, state, &path, prepared)?;
        return keep_evaluation(scope, state, module, promise);
    }
    let cjs = builtins::require(scope, state, "internal/module/cjs")?;
    let function = scope.get(cjs, "runText")?;
    let text = scope.string(&prepared.code)?;
    let path = scope.string(&path)?;
    let print = scope.boolean(print);
    scope.call_function(function, &[text, path, print])?;
    Ok(())
}
