//! A program on its thread, from its first module to its exit code.

use std::rc::Rc;

use engine::{Global, JsResult, PromiseState, Scope};
use run_options::{NodeOption, Program};
use runtime_core::{RuntimeState, builtins, errors, main_module, modules, turns};

/// The exit code where a top-level await was never settled, as Node's.
const UNSETTLED: i32 = 13;

/// Runs a program in the realm of its thread until its loop has nothing left to wait for; the exit code.
pub(crate) fn run(scope: &mut Scope<'_>, state: &Rc<RuntimeState>, program: &Program) -> i32 {
    let mut promise: Option<Global> = None;
    let started = scope.nested(|scope| start_program(scope, state, program, &mut promise));
    if let Err(exc) = started {
        errors::uncaught(scope, state, exc);
    }
    turns::drain(scope, state);
    if state.options.node_option("--check").is_some() && state.exit.get().is_none() {
        return 0;
    }
    let mut watch = promise;
    if state.options.hot.is_some()
        && let Program::File(path) = program
        && state.exit.get().is_none()
    {
        start_hot(scope, state, path);
    }
    main_module::check_main(scope, state, &mut watch);
    if state.exit.get().is_none() {
        turns::run(scope, state, &mut |scope| {
            main_module::check_main(scope, state, &mut watch);
            state.exit.get().is_some()
        });
    }
    if let Some(code) = state.exit.get() {
        return code;
    }
    if matches!(program, Program::Tests { .. }) {
        // The runner itself was broken by what it ran: that must not look like success.
        base::stderr::write();
        base::stderr_line!("error: the run of tests ended before its end");
        return 1;
    }
    // Only a top-level await that nothing will ever settle leaves the promise pending here.
    let is_unsettled = watch.is_some();
    let mut code = is_unsettled.then_some(UNSETTLED);
    // As in Node, a program that has said what its exit code is knows what it does.
    let warns = is_unsettled
        && state.options.node_option("--no-warnings").is_none()
        && !(state.process_used.get() && has_exit_code(scope));
    if state.process_used.get() {
        let result = scope.escape(|scope| {
            let code: Vec<_> = code.iter().map(|code| scope.int(*code)).collect();
            builtins::call(scope, "internal/process/execution", "emitExit", &code)
        });
        match result {
            Ok(value) => code = value.as_number().map(|n| n as i32),
            Err(exc) => errors::uncaught(scope, state, exc),
        }
    }
    let code = state.exit.get().or(code).unwrap_or(0);
    if warns {
        warn_of_awaits(scope, state, program);
    }
    code
}

/// Says where a program waits that has ended: the engine knows the place, but for evaluations that hooks have begun.
fn warn_of_awaits(scope: &mut Scope<'_>, state: &RuntimeState, program: &Program) {
    let main = state.main_module.borrow().clone();
    let places = scope.nested(|scope| match main {
        Some(main) => {
            let main = main.get(scope);
            modules::unsettled_awaits(scope, state, main).unwrap_or_default()
        }
        None => Vec::new(),
    });
    if places.is_empty() {
        base::stderr::say(&format!("Warning: Detected unsettled top-level await in {}\n", name_of(program)));
    }
    for place in places {
        base::stderr::say(&format!("Warning: Detected unsettled top-level await at {place}"));
    }
}

/// Whether `process.exitCode` was set.
fn has_exit_code(scope: &mut Scope<'_>) -> bool {
    scope.nested(|scope| match builtins::call(scope, "internal/process/execution", "hasExitCode", &[]) {
        Ok(answer) => answer.truthy(),
        Err(exc) => {
            scope.take_exception(exc);
            false
        }
    })
}

fn start_hot(scope: &mut Scope<'_>, state: &RuntimeState, path: &str) {
    let started = scope.nested(|scope| {
        let main = state.modules.borrow().main_path();
        let path = scope.string(main.as_deref().unwrap_or(path))?;
        builtins::call(scope, "internal/module/hot", "start", &[path]).map(drop)
    });
    if let Err(exc) = started {
        errors::uncaught(scope, state, exc);
    }
}

fn name_of(program: &Program) -> &str {
    match program {
        Program::File(path) | Program::Markdown(path) => path,
        Program::Text { name, .. } => name,
        Program::Interactive { .. } | Program::Repl => "[repl]",
        Program::Inspect => "[inspect]",
        Program::Cron => "[cron]",
        Program::Build => "[build]",
        Program::Pages => "[pages]",
        Program::Shell { name, .. } => name,
        Program::Tests { .. } | Program::NodeTest => "[test]",
    }
}

/// The options that ask for trace events.
const TRACE_OPTIONS: [&str; 2] = ["--trace-event-categories", "--trace-events-enabled"];

fn start_program(
    scope: &mut Scope<'_>,
    state: &Rc<RuntimeState>,
    program: &Program,
    promise: &mut Option<Global>,
) -> JsResult<()> {
    if let Err(refusal) = ext_inspector::begin(scope) {
        base::stderr_line!("{}", refusal.message);
        state.exit.set(Some(refusal.code));
        return Ok(());
    }
    if !state.is_worker() && std::env::var_os("NODE_CHANNEL_FD").is_some() {
        // Started by fork(): messages can come.
        builtins::call(scope, "internal/child_process/ipc", "setupOwnChannel", &[])?;
    }
    if base::permission::is_on() && !state.is_worker() {
        builtins::call(scope, "internal/process/permission", "warn", &[])?;
    }
    if let Program::Text { text, name, .. } = program {
        // `process._eval` of what is loaded first.
        main_module::note_text(state, text, name);
    }
    if state.options.node_options.iter().any(|(name, _)| name.starts_with("--report-")) {
        state.process_used.set(true);
        builtins::call(scope, "internal/process/report", "start", &[])?;
    }
    // The processes that `--test` starts learn by their environment what to count.
    let runs_tests = matches!(program, Program::NodeTest) || std::env::var_os("NODE_TEST_CONTEXT").is_some();
    if !state.is_worker() && !runs_tests && state.options.node_option("--experimental-test-coverage").is_some() {
        builtins::call(scope, "internal/test/node_test/coverage", "prepare", &[])?;
    }
    if TRACE_OPTIONS.iter().any(|name| state.options.node_option(name).is_some()) {
        builtins::call(scope, "internal/perf/trace", "start", &[])?;
    }
    if !state.is_worker() && state.options.node_options.iter().any(|(name, _)| name.ends_with("-preconnect")) {
        builtins::call(scope, "internal/process/preconnect", "start", &[])?;
    }
    for specifier in &state.options.preload {
        main_module::preload(scope, state, specifier)?;
    }
    if !import_first(scope, state)? {
        return Ok(());
    }
    match program {
        Program::File(path) => main_module::start_file(scope, state, path, promise),
        Program::Text { text, name, print } => main_module::start_text(scope, state, text, name, *print, promise),
        Program::Interactive { eval } => {
            start_repl(scope, "interactive")?;
            match eval {
                Some((text, print)) => {
                    // The text sees a `module` of its own; what is typed sees the REPL's.
                    let global = scope.global_object();
                    let module = scope.get(global, "module")?;
                    main_module::start_text(scope, state, text, "[eval]", *print, promise)?;
                    scope.set(global, "module", module)
                }
                None => Ok(()),
            }
        }
        Program::Repl => start_repl(scope, "session"),
        Program::Inspect => builtins::call(scope, "internal/inspector/client/main", "start", &[]).map(drop),
        Program::Cron => builtins::call(scope, "internal/cron/command", "start", &[]).map(drop),
        Program::Build => builtins::call(scope, "internal/bundle/cli", "start", &[]).map(drop),
        Program::Pages => builtins::call(scope, "internal/bundle/dev/command", "start", &[]).map(drop),
        Program::Shell { text, name } => start_shell(scope, text.as_deref(), name),
        Program::NodeTest => builtins::call(scope, "internal/test/node_test/cli", "start", &[]).map(drop),
        Program::Markdown(path) => {
            let path = scope.string(path)?;
            builtins::call(scope, "internal/bun/markdown_page", "start", &[path]).map(drop)
        }
        Program::Tests { run } => {
            // Of all runs in a folder.
            main_module::begin_record(state, "[test]");
            start_tests(scope, run)
        }
    }
}

/// Registers the hooks of `--experimental-loader` and loads what `--import` names; the loop runs until all of it is there. Whether the
/// program can begin.
fn import_first(scope: &mut Scope<'_>, state: &Rc<RuntimeState>) -> JsResult<bool> {
    let options = &state.options;
    let loaders = match options.node_option("--experimental-loader") {
        Some(NodeOption::List(list)) => list.clone(),
        _ => Vec::new(),
    };
    if options.imports.is_empty() && loaders.is_empty() {
        return Ok(true);
    }
    let mut strings = |list: &[String]| {
        let items = list.iter().map(|item| scope.string(item)).collect::<Result<Vec<_>, _>>()?;
        scope.new_array(&items)
    };
    let loaders = strings(&loaders)?;
    let imports = strings(&options.imports)?;
    let promise = builtins::call(scope, "internal/module/preload", "importAll", &[loaders, imports])?;
    scope.mark_handled(promise)?;
    let kept = scope.global(promise);
    turns::drain(scope, state);
    turns::run_until(scope, state, &mut |scope| {
        let promise = kept.get(scope);
        !matches!(scope.promise_state(promise), Some((PromiseState::Pending, _)))
    });
    if state.exit.get().is_some() {
        return Ok(false);
    }
    let promise = kept.get(scope);
    match scope.promise_state(promise) {
        Some((PromiseState::Rejected, reason)) => Err(scope.throw(reason)),
        Some((PromiseState::Pending, _)) => {
            base::stderr_line!("Warning: Detected unsettled top-level await in a module of --import");
            state.exit.set(Some(13));
            Ok(false)
        }
        _ => Ok(true),
    }
}

/// Calls a function of ext/repl/session.ts.
fn start_repl(scope: &mut Scope<'_>, function: &str) -> JsResult<()> {
    builtins::call(scope, "internal/repl/session", function, &[]).map(drop)
}

/// A script of Bun's shell, see ext/shell/main.ts.
fn start_shell(scope: &mut Scope<'_>, text: Option<&str>, name: &str) -> JsResult<()> {
    let text = match text {
        Some(text) => scope.string(text)?,
        None => scope.undefined(),
    };
    let name = scope.string(name)?;
    builtins::call(scope, "internal/shell/main", "start", &[text, name]).map(drop)
}

fn start_tests(scope: &mut Scope<'_>, run: &str) -> JsResult<()> {
    let run = scope.string(run)?;
    builtins::call(scope, "internal/test/bun_test/main", "start", &[run]).map(drop)
}
