//! Block coverage, see `runtime_core::coverage`.

use std::path::Path;

use engine::{Scope, op};
use runtime_core::RuntimeState;
use runtime_core::coverage::{self, Coverage, Mode};

/// Counts what is loaded from now on. `detailed`: ranges inside functions; `counts`: how often, and not only whether.
#[op]
pub(crate) fn start_coverage(scope: &mut Scope<'_>, detailed: bool, counts: bool) {
    Coverage::of(scope).start(Mode { detailed, counts });
}

/// Counts no more.
#[op]
pub(crate) fn stop_coverage(scope: &mut Scope<'_>) {
    Coverage::of(scope).stop();
}

/// The answer of `Profiler.takePreciseCoverage` as JSON, or undefined if nothing is counted.
#[op]
pub(crate) fn take_coverage(scope: &mut Scope<'_>) -> Option<String> {
    Coverage::of(scope).take()
}

/// The answer of `Profiler.getBestEffortCoverage` as JSON.
#[op]
pub(crate) fn best_effort_coverage(scope: &mut Scope<'_>) -> String {
    Coverage::of(scope).best_effort()
}

/// Writes the report of `NODE_V8_COVERAGE` and begins a new one.
#[op]
pub(crate) fn write_coverage(scope: &mut Scope<'_>) {
    coverage::write(scope);
}

/// Counts from now on as with `NODE_V8_COVERAGE`, into a directory.
#[op]
pub(crate) fn count_into(scope: &mut Scope<'_>, directory: String) {
    let thread = RuntimeState::of(scope).thread;
    Coverage::of(scope).start_into(Path::new(&directory), thread);
}

/// The text of a function without the counters in it.
#[op]
pub(crate) fn without_counters(code: String) -> String {
    coverage::without_counters(&code)
}

/// Whether `NODE_V8_COVERAGE` counts in this thread.
#[op]
pub(crate) fn writes_coverage(scope: &mut Scope<'_>) -> bool {
    Coverage::of(scope).writes()
}
