//! Family "test": what `bao test` (lib/internal/bun_test) needs beyond the loader.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::{Exc, JsStr, Local, OpError, PromiseState, Scope, op, ops};

use crate::state::RuntimeState;

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(50);
/// No limit.
const NEVER: u64 = u64::MAX;

/// Ends a test function that does not come back: a thread that looks at a deadline now and then.
pub struct Watchdog {
    /// Milliseconds after `start`.
    deadline: Arc<AtomicU64>,
    start: Instant,
}

impl Watchdog {
    fn new(scope: &mut Scope<'_>) -> Watchdog {
        let watchdog = Watchdog { deadline: Arc::new(AtomicU64::new(NEVER)), start: Instant::now() };
        let (deadline, start, interrupt) = (watchdog.deadline.clone(), watchdog.start, scope.interrupt_handle());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(TICK);
                if (start.elapsed().as_millis() as u64) > deadline.load(Ordering::Relaxed) {
                    interrupt.request();
                }
            }
        });
        watchdog
    }

    /// Sets the deadline to `ms` milliseconds after `now` (0: none). Returns the one before.
    fn arm(&self, now: Instant, ms: f64) -> u64 {
        let due = if ms > 0.0 { self.millis(now) + ms as u64 } else { NEVER };
        self.deadline.swap(due, Ordering::Relaxed)
    }

    fn millis(&self, now: Instant) -> u64 {
        now.duration_since(self.start).as_millis() as u64
    }

    /// Whether the running function is to be ended.
    pub fn is_over(&self) -> bool {
        self.millis(Instant::now()) > self.deadline.load(Ordering::Relaxed)
    }
}

/// What the second number of [`call_cells`] says of the last [`call`].
mod state {
    /// Microtasks have to be run.
    pub const PLAIN: u32 = 0;
    /// It is over, and microtasks have run.
    pub const OVER: u32 = 1;
    /// A promise was returned, and what came back is the reason of its rejection.
    pub const REJECTED: u32 = 2;
}

/// Numbers of the last [`call`]: its duration in microseconds, and one of [`state`].
#[op]
fn call_cells<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    scope.cells_array(&state.test_cells, false)
}

/// Calls `function(argument)`, or `function()` where the argument is undefined. One that runs for longer than `ms` milliseconds
/// (0: no limit) without coming back is ended, whatever it catches; then this throws an error with the code ERR_TEST_TIMEOUT.
///
/// Microtasks run before this returns where nothing was returned that may be a thenable, or where a promise was returned that
/// this alone waits for (nothing was passed), unless ticks or rejections wait, which JavaScript has to see to. Is such a promise
/// settled then, no one has to wait for it: undefined or the reason is returned, see [`call_cells`].
#[op]
fn call<'s>(scope: &mut Scope<'s>, function: Local<'s>, ms: f64, argument: Local<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let began = Instant::now();
    state.test_cells.set(1, state::PLAIN);
    let outer = {
        let mut watchdog = state.watchdog.borrow_mut();
        watchdog.get_or_insert_with(|| Watchdog::new(scope)).arm(began, ms)
    };
    let mut result = if argument.is_undefined() {
        scope.call_function(function, &[])
    } else {
        scope.call_function(function, &[argument])
    };
    let idle = || state.event_loop.tick_info.get(0) == 0 && state.event_loop.tick_info.get(1) == 0;
    if let Ok(value) = result
        && idle()
    {
        if !value.is_object() {
            crate::event_loop::run_microtasks(scope, &state);
            state.test_cells.set(1, if idle() { state::OVER } else { state::PLAIN });
        } else if argument.is_undefined() {
            result = settle(scope, &state, value);
        }
    }
    let now = Instant::now();
    let over = {
        let watchdog = state.watchdog.borrow();
        let watchdog = watchdog.as_ref().expect("made above");
        watchdog.millis(now) > watchdog.deadline.swap(outer, Ordering::Relaxed)
    };
    state.test_cells.set(0, u32::try_from(now.duration_since(began).as_micros()).unwrap_or(u32::MAX));
    if result.is_err() && scope.heap_exhausted() && state.exit.get().is_none() {
        scope.clear_exhausted();
        let limit = scope.heap_limit() >> 20;
        let message = format!("out of memory: the JavaScript heap has reached its limit ({limit} MiB)");
        return Err(scope.throw_op_error(&OpError::error(message).code("ERR_OUT_OF_MEMORY")));
    }
    if over && scope.is_terminated() && state.exit.get().is_none() {
        scope.clear_terminated();
        return Err(
            scope.throw_op_error(&OpError::error("the test function did not come back").code("ERR_TEST_TIMEOUT"))
        );
    }
    if let Err(exc) = &result {
        *state.thrown.borrow_mut() = scope.thrown_stack(exc);
    }
    result
}

/// The second half of [`call`] where an object was returned: runs microtasks if it is a promise of the language that is not
/// rejected yet. What was rejected already was told of as unhandled, and only a handler takes that back.
fn settle<'s>(scope: &mut Scope<'s>, state: &RuntimeState, value: Local<'s>) -> Result<Local<'s>, Exc> {
    match scope.promise_state(value) {
        None | Some((PromiseState::Rejected, _)) => return Ok(value),
        Some((PromiseState::Pending, _)) => scope.mark_handled(value)?,
        Some((PromiseState::Fulfilled, _)) => {}
    }
    crate::event_loop::run_microtasks(scope, state);
    match scope.promise_state(value) {
        Some((PromiseState::Fulfilled, _)) => {
            let idle = state.event_loop.tick_info.get(0) == 0 && state.event_loop.tick_info.get(1) == 0;
            state.test_cells.set(1, if idle { state::OVER } else { state::PLAIN });
            Ok(scope.undefined())
        }
        Some((PromiseState::Rejected, reason)) => {
            state.test_cells.set(1, state::REJECTED);
            Ok(reason)
        }
        _ => Ok(value),
    }
}

/// Frames of the place where the last function of [`call`] threw: as `inspect.errorFrames` gives them.
#[op]
fn thrown_frames<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let frames = std::mem::take(&mut *state.thrown.borrow_mut());
    let frames = crate::errors::visible_frames(&state, frames);
    super::inspect_ops::frames_array(scope, &frames)
}

/// Keeps text for standard error, to be written with what follows, see `engine::held`.
#[op]
fn hold(text: JsStr<'_>) {
    engine::held::hold_with(|held| append(held, &text));
}

/// Keeps the line of a test that passed, without colours: the names of its blocks and its own, and its time in milliseconds
/// where that is more than a hundredth of one.
#[op]
fn hold_pass(path: JsStr<'_>, title: JsStr<'_>, elapsed: f64) {
    engine::held::hold_with(|held| {
        held.extend_from_slice(b"(pass)");
        append(held, &path);
        held.push(b' ');
        append(held, &title);
        if elapsed > 0.01 {
            use std::io::Write;
            let hundredths = (elapsed * 100.0).round() as u64;
            let _ = write!(held, " [{}.{:02}ms]", hundredths / 100, hundredths % 100);
        }
        held.push(b'\n');
    });
}

fn append(held: &mut Vec<u8>, text: &JsStr<'_>) {
    if !text.is_latin1() {
        held.extend_from_slice(String::from_utf16_lossy(text.utf16()).as_bytes());
    } else if text.latin1().is_ascii() {
        held.extend_from_slice(text.latin1());
    } else {
        for &byte in text.latin1() {
            if byte < 0x80 { held.push(byte) } else { held.extend_from_slice(&[0xc0 | byte >> 6, 0x80 | byte & 0x3f]) }
        }
    }
}

/// Writes what is held.
#[op]
fn release() {
    engine::held::write();
}

/// Has `text` written to standard error before whatever the program writes next; whether the text set before was not needed.
#[op]
fn announce(text: String) -> bool {
    engine::held::announce(text)
}

/// Whether a built-in module has been loaded.
#[op]
fn is_loaded(scope: &mut Scope<'_>, id: String) -> bool {
    RuntimeState::of(scope).builtins.is_loaded(&id)
}

/// Tells the process of `--watch`: `passed:` or `failed:` and the path of a test file, or a path to be watched.
#[op]
fn tell_watcher(scope: &mut Scope<'_>, text: String) {
    if let Some(fd) = RuntimeState::of(scope).options.watch_fd {
        let mut message = text.into_bytes();
        message.push(0);
        // If it is gone, nobody wants to know.
        let _ = super::process_sys::write_all(fd, &message);
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
    RuntimeState::of(scope).kept_code.borrow_mut().get_or_insert_default();
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
fn coverage_start(cwd: String, left_out: Vec<String>, ignored: Vec<String>, included: Vec<String>) {
    crate::coverage::start(crate::coverage::Selection { cwd, left_out, ignored, included });
}

/// The counts as JSON, see `crate::coverage::report`.
#[op]
fn coverage() -> String {
    crate::coverage::report()
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
    crate::coverage::shape(&path, crate::source::loader_of(class), text)
}

ops!(pub fn family "test" {
    tell_watcher, watch_fd, coverage_start, coverage, coverage_shape, call_cells, call, thrown_frames, hold, hold_pass, is_loaded, release, announce,
    renew_modules, keep_code, forget_module,
    module_count, forget_modules_since,
});
