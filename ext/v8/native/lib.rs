//! Family "v8": what node:v8 tells of the heap. Numbers are those of SpiderMonkey's heap under the names of V8's.

mod coverage;
mod cpu_profile;
mod heap_snapshot;

use engine::{F64Array, HeapSizes, Scope, op, ops};

use coverage::*;
use cpu_profile::*;
use heap_snapshot::*;

/// Bytes of memory that holds machine code made at run time. The engine keeps it apart, executable and without a file.
fn executable_bytes() -> f64 {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut total = 0u64;
    for line in maps.lines() {
        // START-END PERMISSIONS OFFSET DEVICE INODE [PATH]
        let mut fields = line.split_ascii_whitespace();
        let (Some(range), Some(permissions)) = (fields.next(), fields.next()) else { continue };
        if !permissions.contains('x') || fields.nth(2) != Some("0") || fields.next().is_some() {
            continue;
        }
        if let Some((start, end)) = range.split_once('-')
            && let (Ok(start), Ok(end)) = (u64::from_str_radix(start, 16), u64::from_str_radix(end, 16))
        {
            total += end - start;
        }
    }
    total as f64
}

/// Bytes that are allocated by malloc, in the whole process.
fn malloc_bytes() -> f64 {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: plain data.
        let info = unsafe { libc::mallinfo2() };
        (info.uordblks + info.hblkhd) as f64
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    0.0
}

#[derive(Default)]
struct Peak(f64);

/// See ext/v8/node/v8.ts. What this engine has no number for is 0.
#[op]
fn heap_statistics(scope: &mut Scope<'_>) -> F64Array {
    let sizes = scope.heap_sizes();
    let (malloc, external) = (malloc_bytes(), scope.external_bytes() as f64);
    let peak = scope.state().get_or_default::<Peak>();
    peak.0 = peak.0.max(malloc);
    let peak = peak.0;
    F64Array(vec![
        sizes.total as f64,
        executable_bytes(),
        (sizes.total - sizes.unused) as f64,
        (sizes.limit.saturating_sub(sizes.used)) as f64,
        sizes.used as f64,
        sizes.limit as f64,
        malloc,
        peak,
        0.0,
        sizes.realms as f64,
        0.0,
        0.0,
        0.0,
        external,
        0.0,
    ])
}

/// `[name, size, used, available, resident]` of the heap's two areas, by the names of V8's that mean the same.
#[op]
fn heap_spaces(scope: &mut Scope<'_>) -> Vec<(String, f64, f64, f64, f64)> {
    let HeapSizes { total, unused, used, nursery, .. } = scope.heap_sizes();
    let tenured = total.saturating_sub(nursery);
    let resident = tenured.saturating_sub(unused);
    vec![
        ("new_space".to_string(), nursery as f64, 0.0, nursery as f64, nursery as f64),
        ("old_space".to_string(), tenured as f64, used as f64, tenured.saturating_sub(used) as f64, resident as f64),
    ]
}

/// Machine code; the engine has no numbers for bytecode, sources and profilers.
#[op]
fn code_statistics() -> F64Array {
    F64Array(vec![executable_bytes(), 0.0, 0.0, 0.0])
}

/// Starts to keep a record of collections.
#[op]
fn start_gc_log(scope: &mut Scope<'_>) {
    scope.start_gc_log();
}

/// The records since [`start_gc_log`], which end: microseconds taken, and bytes in use before and after.
#[op]
fn stop_gc_log(scope: &mut Scope<'_>) -> Vec<(f64, f64, f64)> {
    scope.stop_gc_log().iter().map(|log| (log.microseconds as f64, log.before as f64, log.after as f64)).collect()
}

ops!(pub fn family "v8" { heap_statistics, heap_spaces, code_statistics, start_gc_log, stop_gc_log, heap_snapshot, heap_type_counts,
    start_coverage, stop_coverage, take_coverage, best_effort_coverage, write_coverage, count_into, without_counters, writes_coverage,
    start_cpu_profile, stop_cpu_profile });
