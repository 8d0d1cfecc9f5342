//! CPU profiles: what runs on a context's thread, looked at in regular intervals.
//!
//! A thread of its own sends the context's thread a signal at each interval, whose handler notes the stack ([`walk`]); what it
//! has noted is put into a tree here. A thread that waits in its loop is not woken for it. The engine's code says where it is
//! only while it is compiled for that, which it is from the first profile on until the last one ends: nothing is slower before and
//! after.

mod walk;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use mozjs::jsapi::{JS, js};

use crate::handles::Scope;
use walk::{Buffer, EntryStack, Found};

/// How long the sampler waits for a handler before it asks whether it has begun at all.
const PATIENCE: Duration = Duration::from_millis(200);

/// A function of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProfiledFunction {
    /// All others are below it.
    Root,
    /// Native code, called by no JavaScript.
    Program,
    /// A collection.
    Collector,
    /// The loop waits.
    Idle,
    /// The engine's description, `NAME (FILE:LINE:COLUMN)` or `FILE:LINE:COLUMN`, or only the name or only the file, and the number of its
    /// source, 0 for native functions. Lines and columns begin at 1; paths end after 200 bytes.
    Script { label: Box<str>, source: u32 },
}

/// A function at the end of a path of calls.
#[derive(Clone, Copy, Debug)]
pub struct ProfileNode {
    /// Its place in [`CpuProfile::functions`].
    pub function: u32,
    /// The place of its caller among the nodes: before its own. The root's is itself.
    pub parent: u32,
}

/// What ran at a moment.
#[derive(Clone, Copy, Debug)]
pub struct ProfileSample {
    /// Place of the node.
    pub node: u32,
    /// Where in it, from 1; 0 if that is not known.
    pub line: u32,
    pub column: u32,
    /// Microseconds of the monotonic clock.
    pub time: u64,
}

/// A profile.
#[derive(Clone, Debug, Default)]
pub struct CpuProfile {
    pub functions: Vec<ProfiledFunction>,
    /// The first one is the root.
    pub nodes: Vec<ProfileNode>,
    pub samples: Vec<ProfileSample>,
    /// Microseconds of the monotonic clock.
    pub start: u64,
    pub end: u64,
}

const ROOT: u32 = 0;
const PROGRAM: u32 = 1;
const COLLECTOR: u32 = 2;
const IDLE: u32 = 3;

/// The samples of a thread.
struct Samples {
    functions: Vec<ProfiledFunction>,
    /// Functions by source and label.
    by_label: HashMap<u32, HashMap<Box<[u8]>, u32>>,
    /// Functions by the addresses of their names, which are theirs in one generation of the heap.
    by_name: HashMap<usize, u32>,
    generation: u32,
    nodes: Vec<ProfileNode>,
    children: HashMap<(u32, u32), u32>,
    samples: Vec<ProfileSample>,
}

impl Samples {
    fn new() -> Self {
        use ProfiledFunction::{Collector, Idle, Program, Root};
        Samples {
            functions: vec![Root, Program, Collector, Idle],
            by_label: HashMap::new(),
            by_name: HashMap::new(),
            generation: 0,
            nodes: vec![ProfileNode { function: ROOT, parent: ROOT }],
            children: HashMap::new(),
            samples: Vec::new(),
        }
    }

    fn function(&mut self, label: &[u8], source: u32) -> u32 {
        let of_source = self.by_label.entry(source).or_default();
        if let Some(&known) = of_source.get(label) {
            return known;
        }
        let number = self.functions.len() as u32;
        of_source.insert(label.into(), number);
        let label = String::from_utf8_lossy(label).into();
        self.functions.push(ProfiledFunction::Script { label, source });
        number
    }

    fn child(&mut self, parent: u32, function: u32) -> u32 {
        let nodes = &mut self.nodes;
        *self.children.entry((parent, function)).or_insert_with(|| {
            nodes.push(ProfileNode { function, parent });
            (nodes.len() - 1) as u32
        })
    }

    fn add(&mut self, buffer: &Buffer, time: u64) {
        let frames = buffer.frames();
        if buffer.found == Found::Collection || frames.is_empty() {
            let function = if buffer.found == Found::Collection { COLLECTOR } else { PROGRAM };
            return self.add_special(function, time);
        }
        if self.generation != buffer.sampled {
            self.generation = buffer.sampled;
            self.by_name.clear();
        }
        // A name is copied where it is first in a sample, which may be above where it is used again.
        for frame in frames.iter().filter(|frame| frame.length > 0) {
            let function = self.function(buffer.label(frame), frame.source);
            self.by_name.insert(frame.name, function);
        }
        let mut node = ROOT;
        for frame in frames.iter().rev() {
            let known = self.by_name.get(&frame.name).copied();
            let function = known.unwrap_or_else(|| self.function(b"", frame.source));
            node = self.child(node, function);
        }
        self.samples.push(ProfileSample { node, line: frames[0].line, column: frames[0].column, time });
    }

    fn add_special(&mut self, function: u32, time: u64) {
        let node = self.child(ROOT, function);
        self.samples.push(ProfileSample { node, line: 0, column: 0, time });
    }
}

/// What the context's thread and the sampler's share.
struct Shared {
    samples: Mutex<Samples>,
    /// Microseconds between samples; 0 where the sampler is to end.
    interval: Mutex<u64>,
    changed: Condvar,
}

/// The sampler of a thread, while there are profiles.
struct Sampler {
    /// Of a box.
    buffer: *mut Buffer,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The profiles under way: number, interval, number of samples before, and start.
    profiles: Vec<(u32, u64, usize, u64)>,
}

/// The sampler of a context, and the number of the next profile.
#[derive(Default)]
struct Profiler {
    sampler: Option<Sampler>,
    next: u32,
}

thread_local! {
    /// What the engine pushes frames of its interpreter on; once a context has it, it keeps it.
    static ENTRIES: RefCell<Option<Box<EntryStack>>> = const { RefCell::new(None) };
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Microseconds of the monotonic clock.
pub fn monotonic_micros() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the struct.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

impl Sampler {
    fn stop(&mut self) {
        *locked(&self.shared.interval) = 0;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A sampler that has panicked has told of it.
            let _ = thread.join();
        }
        walk::set_buffer(std::ptr::null_mut());
    }

    /// The interval that all profiles can do with.
    fn interval(&self) -> u64 {
        self.profiles.iter().map(|profile| profile.1).min().unwrap_or(0)
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stop();
        // SAFETY: neither the thread nor the handler has it any more.
        drop(unsafe { Box::from_raw(self.buffer) });
    }
}

/// A pointer for the sampler's thread, which is joined before the buffer is freed.
struct BufferPointer(*mut Buffer);
// SAFETY: see there; `Buffer` is for two threads.
unsafe impl Send for BufferPointer {}

/// Waits for a sample to be complete; whether it was before `limit` has passed.
///
/// # Safety
/// The buffer is alive.
unsafe fn wait_done(buffer: *mut Buffer, limit: Duration) -> bool {
    let mut until = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a semaphore that is initialized, and a valid time.
    unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME, &mut until);
        let nanoseconds = until.tv_nsec as u64 + limit.as_nanos() as u64;
        until.tv_sec += (nanoseconds / 1_000_000_000) as libc::time_t;
        until.tv_nsec = (nanoseconds % 1_000_000_000) as libc::c_long;
        loop {
            if libc::sem_timedwait(&raw mut (*buffer).done, &until) == 0 {
                return true;
            }
            if *libc::__errno_location() != libc::EINTR {
                return false;
            }
        }
    }
}

/// The sampler's thread: `target` is the number of the context's.
fn sample(buffer: &BufferPointer, shared: &Shared, target: libc::pid_t, is_idle: &(dyn Fn() -> bool + Send)) {
    let buffer = buffer.0;
    // SAFETY: no signal of the process is for this thread, and its sleeps end when they should.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
    let mut due = monotonic_micros();
    loop {
        {
            let mut interval = locked(&shared.interval);
            let mut time = monotonic_micros();
            due = (due + *interval).max(time);
            while *interval != 0 && time < due {
                let rest = Duration::from_micros(due - time);
                interval = shared.changed.wait_timeout(interval, rest).unwrap_or_else(PoisonError::into_inner).0;
                time = monotonic_micros();
            }
            if *interval == 0 {
                return;
            }
        }
        let time = monotonic_micros();
        if is_idle() {
            locked(&shared.samples).add_special(IDLE, time);
            continue;
        }
        // SAFETY: the buffer is alive until this thread is joined, and so is the target.
        let done = unsafe {
            (*buffer).requested.store(true, Ordering::Release);
            if libc::syscall(libc::SYS_tgkill, libc::getpid(), target, libc::SIGPROF) != 0 {
                (*buffer).requested.store(false, Ordering::Release);
                return;
            }
            loop {
                if wait_done(buffer, PATIENCE) {
                    break true;
                }
                // A thread that cannot take the signal now: the request is taken back, unless the handler is at work.
                if (*buffer).requested.swap(false, Ordering::AcqRel) {
                    break false;
                }
            }
        };
        // What cannot be known is left out.
        if done {
            // SAFETY: the handler is done with it.
            locked(&shared.samples).add(unsafe { &*buffer }, time);
        }
    }
}

impl Scope<'_> {
    /// Starts a profile of this thread, with a sample every `interval` microseconds, or more often if another profile wants it; gives
    /// its number. `is_idle` says on any thread whether this one waits in its loop; that of the first profile counts.
    ///
    /// # Errors
    /// The system's, if it has no thread for it.
    pub fn start_profile(
        &mut self,
        interval: u64,
        is_idle: Box<dyn Fn() -> bool + Send>,
    ) -> Result<u32, std::io::Error> {
        let cx = self.cx;
        let profiler = self.state().get_or_default::<Profiler>();
        profiler.next += 1;
        let (number, start) = (profiler.next, monotonic_micros());
        let interval = interval.max(1);
        if let Some(sampler) = &mut profiler.sampler {
            let before = locked(&sampler.shared.samples).samples.len();
            sampler.profiles.push((number, interval, before, start));
            *locked(&sampler.shared.interval) = sampler.interval();
            sampler.shared.changed.notify_all();
            return Ok(number);
        }
        walk::install_handler();
        let entries: *mut EntryStack =
            ENTRIES.with_borrow_mut(|entries| &raw mut **entries.get_or_insert_with(|| Box::new(EntryStack::new())));
        // SAFETY: the stack lives as long as the thread, which is longer than its context.
        let buffer = Box::into_raw(unsafe { Buffer::new(cx, entries) });
        let shared = Arc::new(Shared {
            samples: Mutex::new(Samples::new()),
            interval: Mutex::new(interval),
            changed: Condvar::new(),
        });
        // SAFETY: on this context's thread. A context that has the stack already is given the same.
        unsafe {
            js::SetContextProfilingStack(cx, entries.cast());
            js::EnableContextProfilingStack(cx, true);
            JS::SetGCSliceCallback(cx, Some(walk::note_collection));
        }
        walk::set_buffer(buffer);
        // SAFETY: no arguments.
        let target = unsafe { libc::syscall(libc::SYS_gettid) } as libc::pid_t;
        let (pointer, theirs) = (BufferPointer(buffer), shared.clone());
        let spawned = std::thread::Builder::new().name("profiler".into()).stack_size(256 << 10).spawn(move || {
            sample(&pointer, &theirs, target, &*is_idle);
        });
        match spawned {
            Ok(thread) => {
                let profiles = vec![(number, interval, 0, start)];
                let sampler = Sampler { buffer, shared, thread: Some(thread), profiles };
                self.state().get_or_default::<Profiler>().sampler = Some(sampler);
                Ok(number)
            }
            Err(error) => {
                walk::set_buffer(std::ptr::null_mut());
                // SAFETY: as in the sampler's destructor.
                drop(unsafe { Box::from_raw(buffer) });
                self.stop_profiling();
                Err(error)
            }
        }
    }

    /// The engine's code is compiled without profiles again.
    fn stop_profiling(&mut self) {
        // SAFETY: as in `start_profile`.
        unsafe {
            JS::SetGCSliceCallback(self.cx, None);
            js::EnableContextProfilingStack(self.cx, false);
        }
    }

    /// Ends a profile and gives it; `None` if there is none of that number.
    pub fn stop_profile(&mut self, number: u32) -> Option<CpuProfile> {
        let profiler = self.state().get_or_default::<Profiler>();
        let sampler = profiler.sampler.as_mut()?;
        let index = sampler.profiles.iter().position(|profile| profile.0 == number)?;
        let (_, _, before, start) = sampler.profiles.remove(index);
        let end = monotonic_micros();
        if !sampler.profiles.is_empty() {
            *locked(&sampler.shared.interval) = sampler.interval();
            let all = locked(&sampler.shared.samples);
            let samples = all.samples[before..].to_vec();
            return Some(CpuProfile {
                functions: all.functions.clone(),
                nodes: all.nodes.clone(),
                samples,
                start,
                end,
            });
        }
        let mut sampler = profiler.sampler.take()?;
        sampler.stop();
        self.stop_profiling();
        let mut all = locked(&sampler.shared.samples);
        let (functions, nodes) = (std::mem::take(&mut all.functions), std::mem::take(&mut all.nodes));
        let samples = all.samples.split_off(before);
        drop(all);
        drop(sampler);
        Some(CpuProfile { functions, nodes, samples, start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_make_a_tree() {
        let mut samples = Samples::new();
        let (f, g) = (samples.function(b"f (a.js:1:1)", 7), samples.function(b"g (a.js:2:1)", 7));
        assert_eq!(samples.function(b"f (a.js:1:1)", 7), f);
        assert_ne!(samples.function(b"f (a.js:1:1)", 8), f);
        let outer = samples.child(ROOT, f);
        let inner = samples.child(outer, g);
        assert_eq!((samples.child(ROOT, f), samples.child(outer, g)), (outer, inner));
        assert_ne!(samples.child(ROOT, g), inner);
        assert_eq!(samples.nodes[inner as usize].parent, outer);
    }
}
