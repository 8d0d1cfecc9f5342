//! Native half of `bao test` (ext/test/bun_test).
//!
//! - `ahead`: test files are fetched before their turn.
//! - `call`: calls of test functions, timed and with a limit; `watchdog`: what ends those that do not come back.
//! - `state`: what a thread keeps, and what that changes in the module loader: mocks, counters, code that is kept.
//! - `coverage`: `--coverage`; `report`: the report on standard error; `descendants`: processes that tests have left.

mod ahead;
mod call;
mod coverage;
mod descendants;
mod report;
mod state;
mod watchdog;

use std::time::Instant;

use engine::{OpError, Scope, op, ops};
use runtime_core::globals::LazyGlobal;
use runtime_core::{RuntimeState, builtins, signals, source};
use state::TestState;
use watchdog::Watchdog;

/// What is global in test files (https://bun.com/docs/test/writing-tests), with the `bun:test` behind it.
pub const GLOBALS: &[LazyGlobal] = &[
    ("test", true, "bun/test", "test"),
    ("it", true, "bun/test", "it"),
    ("describe", true, "bun/test", "describe"),
    ("xtest", true, "bun/test", "xtest"),
    ("xit", true, "bun/test", "xit"),
    ("xdescribe", true, "bun/test", "xdescribe"),
    ("beforeAll", true, "bun/test", "beforeAll"),
    ("beforeEach", true, "bun/test", "beforeEach"),
    ("afterEach", true, "bun/test", "afterEach"),
    ("afterAll", true, "bun/test", "afterAll"),
    ("onTestFinished", true, "bun/test", "onTestFinished"),
    ("setDefaultTimeout", true, "bun/test", "setDefaultTimeout"),
    ("expect", true, "bun/test", "expect"),
    ("expectTypeOf", true, "bun/test", "expectTypeOf"),
    ("jest", true, "bun/test", "jest"),
    ("vi", true, "bun/test", "vi"),
];

/// Test libraries whose tests `bao test` runs, and the built-in modules that stand in for them.
pub const STAND_INS: &[(&str, &str)] = &[("@jest/globals", "bun/test"), ("vitest", "internal/test/bun_test/vitest")];

/// To be called in every thread before a program runs in it: the files that a worker loads are counted as well.
pub fn enter_thread(scope: &mut Scope<'_>) {
    if coverage::is_enabled() {
        TestState::of(scope);
    }
}

/// Starts the watchdog of a run of tests, whose stacks have paths as in Bun. With `parent` the process ends with its parent. With `signals` SIGINT, SIGTERM and SIGHUP end the run with
/// what is known so far, unless the program listens to them.
#[op]
fn watch(scope: &mut Scope<'_>, parent: bool, signals: bool) -> Result<(), OpError> {
    let state = RuntimeState::of(scope);
    // SAFETY: a plain system call.
    let parent = if parent { unsafe { libc::getppid() } } else { 0 };
    if signals {
        signals::set_default(watchdog::on_signal).map_err(|error| OpError::io(error, "sigaction"))?;
    }
    base::stderr::keep_descriptors();
    state.stacks_have_paths.set(true);
    let watchdog = Watchdog::new(scope, state.event_loop.inbox.clone(), parent);
    *TestState::of(scope).watchdog.borrow_mut() = Some(watchdog);
    Ok(())
}

/// A copy of a descriptor where programs do not look, not inherited by what they start; `close`: in place of the first.
#[op]
fn move_descriptor(fd: i32, close: bool) -> Result<i32, OpError> {
    // SAFETY: plain system calls; the caller has the descriptor from the process that started this one.
    unsafe {
        let copy = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 200);
        if copy < 0 {
            return Err(OpError::io(std::io::Error::last_os_error(), "fcntl"));
        }
        if close {
            libc::close(fd);
        }
        Ok(copy)
    }
}

/// After a file: opens again those of the standard streams that it has closed.
#[op]
fn mend_descriptors() {
    base::stderr::mend_descriptors();
}

/// Sets the time at which code that runs is ended, in milliseconds from now; 0: never.
#[op]
fn arm(scope: &mut Scope<'_>, ms: f64) {
    if let Some(watchdog) = &*TestState::of(scope).watchdog.borrow() {
        watchdog.arm(Instant::now(), ms);
    }
}

/// Milliseconds until the code that runs is ended; Infinity: no limit. Once the time is over, it ends right after this.
#[op]
fn time_left(scope: &mut Scope<'_>) -> f64 {
    let left = TestState::of(scope).watchdog.borrow().as_ref().map_or(f64::INFINITY, |watchdog| watchdog.left());
    if left < 0.0 {
        scope.interrupt_handle().request();
    }
    left
}

/// Whether a built-in module has been loaded.
#[op]
fn is_loaded(scope: &mut Scope<'_>, id: String) -> bool {
    builtins::is_loaded(scope, &id)
}

/// Tells the process of `--watch`: `passed:` or `failed:` and the path of a test file, `over:` when all have run, or a path to be
/// watched.
#[op]
fn tell_watcher(scope: &mut Scope<'_>, text: String) {
    if let Some(fd) = RuntimeState::of(scope).options.watch_fd {
        let mut message = text.into_bytes();
        message.push(0);
        // If it is gone, nobody wants to know.
        let _ = base::stdio::write_all(fd, &message);
    }
}

/// The descriptor on which the process of `--watch` is told what is loaded.
#[op]
fn watch_fd(scope: &mut Scope<'_>) -> Option<i32> {
    RuntimeState::of(scope).options.watch_fd
}

/// Forgets the program's modules, so that they are loaded anew; what is known of files and packages stays.
#[op]
fn renew_modules(scope: &mut Scope<'_>) {
    RuntimeState::of(scope).modules.borrow_mut().renew();
}

/// Keeps compiled files from now on: they will be loaded again.
#[op]
fn keep_code(scope: &mut Scope<'_>) {
    TestState::of(scope).kept_code.borrow_mut().get_or_insert_default();
}

/// Forgets one module, so that its file is loaded anew.
#[op]
fn forget_module(scope: &mut Scope<'_>, path: String) {
    RuntimeState::of(scope).modules.borrow_mut().forget(&path);
}

/// How many modules there are: a mark for [`forget_modules_since`].
#[op]
fn module_count(scope: &mut Scope<'_>) -> u32 {
    RuntimeState::of(scope).modules.borrow().count()
}

/// Forgets the modules made after a mark: what a failed import leaves behind half linked cannot be linked again.
#[op]
fn forget_modules_since(scope: &mut Scope<'_>, mark: u32) {
    RuntimeState::of(scope).modules.borrow_mut().forget_since(mark);
}

/// Counts, from now on, the files that are loaded, see `crate::coverage`: not those of `left_out`, and only what matches a pattern of
/// `included` and none of `ignored`.
#[op]
fn coverage_start(
    scope: &mut Scope<'_>,
    cwd: String,
    left_out: Vec<String>,
    ignored: Vec<String>,
    included: Vec<String>,
) {
    // The loader counts through the state of its thread, which `node:test` alone does not make.
    TestState::of(scope);
    coverage::start(coverage::Selection { cwd, left_out, ignored, included });
}

/// The counts as JSON, see `coverage::report`.
#[op]
fn coverage() -> String {
    coverage::report()
}

/// What there is to count in a file that was not loaded, like one of the files of [`coverage`]; undefined where it is not counted.
#[op]
fn coverage_shape(path: String) -> Option<String> {
    let extension = path.rfind('.').map_or("", |at| &path[at..]);
    let class = resolve::FileClass::from_extension(extension);
    if !class.is_script() {
        return None;
    }
    let text = std::fs::read_to_string(&path).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    coverage::shape(&path, source::loader_of(class), text)
}

/// From the first file that looks as if it mocked modules, exports can be replaced.
#[op]
fn expect_mocks(scope: &mut Scope<'_>) {
    let state = TestState::of(scope);
    state.mocks_expected.set(!state.assignable.get());
}

/// From now on the exports of modules can be replaced: see ext/test/bun_test/module_mock.ts.
#[op]
fn make_assignable(scope: &mut Scope<'_>) {
    TestState::of(scope).assignable.set(true);
}

ops!(pub fn family "test" {
    watch, arm, time_left, descendants::adopt_descendants, descendants::kill_descendants, mend_descriptors, move_descriptor,
    tell_watcher, watch_fd, coverage_start, coverage, coverage_shape, call::call_cells, call::call, call::thrown_frames,
    report::hold, report::hold_pass, is_loaded, report::release, report::announce, expect_mocks, make_assignable,
    renew_modules, keep_code, forget_module,
    module_count, forget_modules_since, ahead::fetch_ahead,
});
