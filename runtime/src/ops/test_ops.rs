//! Family "test": what `bao test` (ext/test/bun_test) needs beyond the loader.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::{Exc, GcKind, InterruptHandle, JsStr, Local, OpError, PromiseState, Scope, op, ops};

use crate::builtins;
use crate::event_loop::{Arrival, Inbox};
use crate::state::RuntimeState;

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(50);
/// No limit.
const NEVER: u64 = u64::MAX;
/// How long a run may take to end after a signal.
const GRACE: Duration = Duration::from_secs(2);

/// How often the memory is looked at, in ticks.
const MEMORY_TICKS: u32 = 4;
/// Whether the memory of the machine is about to be full because of this process, until that is noticed.
static SHORT: AtomicBool = AtomicBool::new(false);

/// The signal that asked for the end of the run, until that is noticed.
static STOP: AtomicI32 = AtomicI32::new(0);

/// A thread that looks now and then: whether code runs beyond its deadline (then it is ended), whether a signal came, whether the
/// parent is still there; and that writes what is held back of the results.
pub struct Watchdog {
    /// Milliseconds after `start`.
    deadline: Arc<AtomicU64>,
    start: Instant,
}

impl Watchdog {
    /// `parent`: the process without which this one ends; 0: none.
    fn new(scope: &mut Scope<'_>, inbox: Inbox, parent: i32) -> Watchdog {
        let watchdog = Watchdog { deadline: Arc::new(AtomicU64::new(NEVER)), start: Instant::now() };
        let (deadline, start, interrupt) = (watchdog.deadline.clone(), watchdog.start, scope.interrupt_handle());
        std::thread::spawn(move || {
            let mut told: Option<(i32, Instant)> = None;
            let mut ticks = 0u32;
            loop {
                std::thread::sleep(TICK);
                if (start.elapsed().as_millis() as u64) > deadline.load(Ordering::Relaxed) {
                    interrupt.request();
                }
                base::stderr::write();
                ticks = ticks.wrapping_add(1);
                if ticks.is_multiple_of(MEMORY_TICKS) && is_memory_short() {
                    SHORT.store(true, Ordering::Relaxed);
                    interrupt.request();
                }
                look_for_signal(&mut told, &interrupt, &inbox);
                // SAFETY: plain system calls. Nothing is left to do without the parent, which reads the results.
                unsafe {
                    if parent != 0 && libc::getppid() != parent {
                        libc::_exit(1);
                    }
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

    fn restore(&self, deadline: u64) {
        self.deadline.store(deadline, Ordering::Relaxed);
    }

    fn millis(&self, now: Instant) -> u64 {
        now.duration_since(self.start).as_millis() as u64
    }

    /// Whether the running function is to be ended.
    pub fn is_over(&self) -> bool {
        self.is_over_at(Instant::now())
    }

    fn is_over_at(&self, now: Instant) -> bool {
        STOP.load(Ordering::Relaxed) != 0
            || SHORT.load(Ordering::Relaxed)
            || self.millis(now) > self.deadline.load(Ordering::Relaxed)
    }
}

/// Whether the machine (or the control group of the process) has next to no memory left and this process has much of it: then
/// the system is about to end some process, with all its results.
fn is_memory_short() -> bool {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let field = |text: &str, name: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
    };
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let Some(own) = field(&status, "VmRSS:").filter(|kib| *kib > 512 << 10) else { return false };
    if let (Some(limit), Some(used)) = (number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current"))
        && used > limit / 100 * 95
        && own << 10 > limit / 4
    {
        return true;
    }
    let Ok(memory) = std::fs::read_to_string("/proc/meminfo") else { return false };
    match (field(&memory, "MemTotal:"), field(&memory, "MemAvailable:")) {
        (Some(total), Some(available)) => available < total / 25 && own > total / 4,
        _ => false,
    }
}

/// Has the loop, or the code that runs, notice a signal; ends the process where neither does.
fn look_for_signal(told: &mut Option<(i32, Instant)>, interrupt: &InterruptHandle, inbox: &Inbox) {
    let number = STOP.load(Ordering::Relaxed);
    match told {
        _ if number == 0 => {}
        None => {
            *told = Some((number, Instant::now()));
            interrupt.request();
            inbox.send(Arrival::Call(Box::new(|scope| {
                let state = RuntimeState::of(scope);
                recover(scope, &state);
                Ok(())
            })));
        }
        Some((number, at)) if at.elapsed() > GRACE => {
            base::stderr::write();
            // SAFETY: a plain system call; the thread of the program does not answer.
            unsafe { libc::_exit(128 + *number) };
        }
        Some(_) => interrupt.request(),
    }
}

extern "C" fn on_signal(number: i32) {
    if STOP.swap(number, Ordering::SeqCst) != 0 {
        // SAFETY: async-signal-safe: the second one is meant.
        unsafe { libc::_exit(128 + number) };
    }
}

/// Starts the watchdog. With `parent` the process ends with its parent. With `signals` SIGINT, SIGTERM and SIGHUP end the run with
/// what is known so far, unless the program listens to them.
#[op]
fn watch(scope: &mut Scope<'_>, parent: bool, signals: bool) -> Result<(), OpError> {
    let state = RuntimeState::of(scope);
    // SAFETY: a plain system call.
    let parent = if parent { unsafe { libc::getppid() } } else { 0 };
    if signals {
        crate::signals::set_default(on_signal).map_err(|error| OpError::io(error, "sigaction"))?;
    }
    base::stderr::keep_descriptors();
    *state.watchdog.borrow_mut() = Some(Watchdog::new(scope, state.event_loop.inbox.clone(), parent));
    Ok(())
}

/// From now on processes whose parents end become children of this one, so that [`kill_descendants`] finds them.
#[op]
fn adopt_descendants() {
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Ends all processes below this one; how many there were.
#[op]
fn kill_descendants() -> u32 {
    let mut killed = 0;
    // What is started meanwhile is found the next time.
    for _ in 0..8 {
        let found = descendants();
        if found.is_empty() {
            break;
        }
        for pid in &found {
            // SAFETY: a plain system call; the process is below this one and was not waited for, so that the number is its own.
            unsafe { libc::kill(*pid, libc::SIGKILL) };
        }
        killed += u32::try_from(found.len()).unwrap_or(u32::MAX);
        // Those adopted have nobody else to wait for them, and the next look would find them again.
        for pid in found {
            // SAFETY: waits for a child that has been killed; for what is not a child of this one it returns at once.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
        }
    }
    killed
}

/// Processes below this one that run.
fn descendants() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parents: std::collections::HashMap<i32, i32> = entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name, which may have spaces and brackets: state and parent.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let state = fields.next()?;
            let parent = fields.next()?.parse().ok()?;
            (state != "Z").then_some((pid, parent))
        })
        .collect();
    let own = std::process::id() as i32;
    let is_below = |mut pid: i32| {
        while let Some(parent) = parents.get(&pid) {
            if *parent == own {
                return true;
            }
            pid = *parent;
        }
        false
    };
    parents.keys().copied().filter(|pid| is_below(*pid)).collect()
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
    if let Some(watchdog) = &*RuntimeState::of(scope).watchdog.borrow() {
        watchdog.arm(Instant::now(), ms);
    }
}

thread_local! {
    /// Whether [`call`] runs the microtasks, which sees by itself that they were ended.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

struct OwnMicrotasks;

impl OwnMicrotasks {
    fn new() -> OwnMicrotasks {
        OWN.set(true);
        OwnMicrotasks
    }
}

impl Drop for OwnMicrotasks {
    fn drop(&mut self) {
        OWN.set(false);
    }
}

/// Goes on with the run after code was ended by an interrupt; `false`: this is not a run of tests, or it was not the watchdog.
pub fn recover(scope: &mut Scope<'_>, state: &RuntimeState) -> bool {
    if state.exit.get().is_some() || state.worker.is_some() || OWN.get() {
        return false;
    }
    let signal = STOP.swap(0, Ordering::Relaxed);
    let exhausted = scope.heap_exhausted();
    let short = SHORT.load(Ordering::Relaxed);
    {
        let watchdog = state.watchdog.borrow();
        let Some(watchdog) = &*watchdog else { return false };
        if signal == 0 && !exhausted && !watchdog.is_over() {
            return false;
        }
        watchdog.restore(NEVER);
    }
    SHORT.store(false, Ordering::Relaxed);
    scope.clear_exhausted();
    if exhausted || short {
        scope.gc(GcKind::Full);
    }
    let none = scope.undefined();
    scope.set_async_context(none);
    let result = scope.escape(|scope| {
        let execution = builtins::require(scope, state, "internal/process/execution")?;
        let function = scope.get(execution, "onStopped")?;
        let why = match signal {
            0 if exhausted => format!("memory {}", scope.heap_limit() >> 20),
            0 if short => "memory".to_string(),
            0 => "time".to_string(),
            number => crate::signals::signal_name(number),
        };
        let why = scope.string(&why)?;
        scope.call_function(function, &[why])
    });
    if let Err(exc) = result {
        scope.take_exception(exc);
        state.exit.set(Some(1));
        return false;
    }
    true
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
#[op(ts(returns = "Uint32Array"))]
fn call_cells<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    scope.cells_array(&state.test_cells, false)
}

/// Calls `function(argument)`, or `function()` where the argument is undefined. One that runs for longer than `ms` milliseconds
/// (0: the limit of [`arm`]) without coming back is ended, whatever it catches; then this throws an error with the code
/// ERR_TEST_TIMEOUT.
///
/// Microtasks run before this returns where nothing was returned that may be a thenable, or where a promise was returned that
/// this alone waits for (nothing was passed), unless ticks or rejections wait, which JavaScript has to see to. Is such a promise
/// settled then, no one has to wait for it: undefined or the reason is returned, see [`call_cells`].
#[op(ts(function = "Function", returns = "unknown"))]
fn call<'s>(scope: &mut Scope<'s>, function: Local<'s>, ms: f64, argument: Local<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let began = Instant::now();
    state.test_cells.set(1, state::PLAIN);
    let outer = match &*state.watchdog.borrow() {
        Some(watchdog) if ms > 0.0 => watchdog.arm(began, ms),
        Some(watchdog) => watchdog.deadline.load(Ordering::Relaxed),
        None => NEVER,
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
        let _own = OwnMicrotasks::new();
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
        watchdog.as_ref().is_some_and(|watchdog| {
            let over = watchdog.is_over_at(now);
            // What did come back in time to be spared goes on under the limit around it.
            watchdog.restore(if over && scope.is_terminated() && ms <= 0.0 { NEVER } else { outer });
            over
        })
    };
    state.test_cells.set(0, u32::try_from(now.duration_since(began).as_micros()).unwrap_or(u32::MAX));
    let was_ended = scope.is_terminated() && state.exit.get().is_none();
    if was_ended && result.is_ok() && STOP.load(Ordering::Relaxed) != 0 {
        recover(scope, &state);
        return result;
    }
    if result.is_err() && nearly_full(scope) {
        // The engine does not collect for every allocation that fails, and whoever handles this error allocates.
        scope.gc(GcKind::Full);
    }
    if was_ended && SHORT.swap(false, Ordering::Relaxed) && !scope.heap_exhausted() {
        scope.clear_exhausted();
        return Err(scope.throw_op_error(&memory_is_short()));
    }
    if (was_ended || result.is_err()) && scope.heap_exhausted() && state.exit.get().is_none() {
        scope.clear_exhausted();
        let limit = scope.heap_limit() >> 20;
        let message = format!("out of memory: the JavaScript heap has reached its limit ({limit} MiB)");
        return Err(scope.throw_op_error(&OpError::error(message).code("ERR_OUT_OF_MEMORY")));
    }
    if over && was_ended && STOP.load(Ordering::Relaxed) == 0 {
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

/// Whether the heap is nearly as large as it may get.
fn nearly_full(scope: &mut Scope<'_>) -> bool {
    scope.heap_bytes() > u64::from(scope.heap_limit()) / 10 * 9
}

fn memory_is_short() -> OpError {
    OpError::error("out of memory: next to nothing is left of the machine's").code("ERR_OUT_OF_MEMORY")
}

/// Frames of the place where the last function of [`call`] threw: as `inspect.errorFrames` gives them.
#[op(ts(returns = "[function: string, source: string, line: number, column: number, isAsync: boolean][]"))]
fn thrown_frames<'s>(scope: &mut Scope<'s>) -> Result<Local<'s>, Exc> {
    let state = RuntimeState::of(scope);
    let frames = std::mem::take(&mut *state.thrown.borrow_mut());
    let frames = crate::errors::visible_frames(&state, frames);
    super::inspect_ops::frames_array(scope, &frames)
}

/// Keeps text for standard error, to be written with what follows, see `base::stderr`.
#[op]
fn hold(text: JsStr<'_>) {
    base::stderr::append(|held| append(held, &text));
}

/// Keeps the line of a test that passed, without colours: the names of its blocks and its own, and its time in milliseconds
/// where that is more than a hundredth of one.
#[op]
fn hold_pass(path: JsStr<'_>, title: JsStr<'_>, elapsed: f64) {
    base::stderr::append(|held| {
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
    base::stderr::write();
}

/// Has `text` written to standard error before whatever the program writes next; whether the text set before was not needed.
#[op]
fn announce(text: String) -> bool {
    base::stderr::announce(text)
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
    watch, arm, adopt_descendants, kill_descendants, mend_descriptors, move_descriptor,
    tell_watcher, watch_fd, coverage_start, coverage, coverage_shape, call_cells, call, thrown_frames, hold, hold_pass, is_loaded, release, announce,
    renew_modules, keep_code, forget_module,
    module_count, forget_modules_since,
});
