//! The file of trace events (`--trace-event-categories`, node:trace_events): Chrome's format of traces, an object with the list
//! `traceEvents` (<https://nodejs.org/api/tracing.html>). All threads write to one file; which events there are is decided by
//! ext/perf/trace.

use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::op;

/// Events of a file, after which the next one begins, as in Node.
const MOST_EVENTS: u32 = 1 << 19;
/// Bytes that are written at once.
const WRITE_AT: usize = 64 << 10;

struct Trace {
    /// The file's name, with `${pid}` and `${rotation}`.
    pattern: String,
    rotation: u32,
    /// The file in use; none if it cannot be written.
    file: Option<File>,
    waiting: Vec<u8>,
    events: u32,
}

static TRACE: Mutex<Option<Trace>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Trace>> {
    TRACE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trace {
    /// Begins the next file.
    fn open(&mut self) {
        self.rotation += 1;
        self.events = 0;
        let name = self.pattern.replace("${pid}", &std::process::id().to_string());
        let name = name.replace("${rotation}", &self.rotation.to_string());
        match File::create(&name) {
            Ok(file) => self.file = Some(file),
            Err(error) => {
                self.file = None;
                base::stderr::write();
                base::stderr_line!("Could not open trace file {name}: {error}");
            }
        }
        self.waiting.extend_from_slice(b"{\"traceEvents\":[");
    }

    fn write(&mut self) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(&self.waiting)
        {
            self.file = None;
            base::stderr::write();
            base::stderr_line!("Could not write trace events: {error}");
        }
        self.waiting.clear();
    }

    fn close(&mut self) {
        self.waiting.extend_from_slice(b"]}");
        self.write();
        self.file = None;
    }
}

/// Begins the trace of this process, unless it has begun. `pattern` is the path of the file, in which `${pid}` and `${rotation}`
/// (from 1) stand for numbers. A file that cannot be opened is told on standard error, and there is no trace.
#[op]
pub fn open_trace(pattern: String) {
    let mut trace = lock();
    if trace.is_none() {
        let mut made = Trace { pattern, rotation: 0, file: None, waiting: Vec::new(), events: 0 };
        made.open();
        *trace = Some(made);
    }
}

/// Adds an event, a JSON object, to the trace.
#[op]
pub fn write_trace(event: String) {
    let mut trace = lock();
    let Some(trace) = trace.as_mut() else { return };
    if trace.events == MOST_EVENTS {
        trace.close();
        trace.open();
    }
    if trace.events > 0 {
        trace.waiting.push(b',');
    }
    trace.events += 1;
    trace.waiting.extend_from_slice(event.as_bytes());
    if trace.waiting.len() >= WRITE_AT {
        trace.write();
    }
}

/// The system's number of this thread.
#[op]
pub fn system_thread_id() -> u32 {
    // SAFETY: the system call has no arguments and cannot fail.
    unsafe { libc::gettid() as u32 }
}

/// Ends the trace, at the end of the process. Events that come later are left out.
pub fn finish() {
    if let Some(mut trace) = lock().take() {
        trace.close();
    }
}
