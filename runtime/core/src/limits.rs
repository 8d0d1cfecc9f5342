//! Reasons to end the code that runs: the deadline of a script, the end of a worker, the watchdog of a run of tests.

use engine::Scope;

/// One reason. The engine's interrupt, which any thread can request, asks all those of its context.
pub trait Limit {
    /// Whether the code that runs has to end now.
    fn is_reached(&self, scope: &mut Scope<'_>) -> bool;

    /// Whether the thread was told to end, asked by native code that lasts long. Runs nothing.
    fn is_ending(&self) -> bool {
        false
    }

    /// Called after code was ended without an exception; whether the thread goes on all the same.
    fn recover(&self, _scope: &mut Scope<'_>) -> bool {
        false
    }
}
