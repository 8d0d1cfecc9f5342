//! CPU profiles, see `runtime_core::cpu_profile`.

use engine::{OpError, Scope, op};
use runtime_core::cpu_profile;

/// Starts a profile of this thread with a sample every `interval` microseconds (0: 1000); gives its number.
#[op]
pub(crate) fn start_cpu_profile(scope: &mut Scope<'_>, interval: u32) -> Result<u32, OpError> {
    let interval = if interval == 0 { cpu_profile::DEFAULT_INTERVAL } else { u64::from(interval) };
    cpu_profile::start(scope, interval)
}

/// Ends a profile; the protocol's `Profiler.Profile` as JSON, or undefined if there is none of that number.
#[op]
pub(crate) fn stop_cpu_profile(scope: &mut Scope<'_>, number: u32) -> Option<String> {
    cpu_profile::stop(scope, number)
}
