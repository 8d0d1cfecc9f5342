//! A JavaScript thread: its state, its context, and its realm before a program runs in it.

use std::rc::Rc;
use std::time::Instant;

use engine::{Context, ContextOptions, JsResult, Scope};
use ext_worker::{Runner, WorkerThread};
use run_options::{NodeOption, RunOptions};
use runtime_core::builtins::{Builtins, NativeHalf};
use runtime_core::coverage::Coverage;
use runtime_core::host::RuntimeHost;
use runtime_core::{RuntimeState, cpu_profile, embedded, errors, turns};

/// The state and the context of a JavaScript thread, the main thread (0) or that of a worker.
///
/// # Errors
/// A message if the options do not fit this machine.
pub(crate) fn make(options: RunOptions, start: Instant, thread: u32) -> Result<(Rc<RuntimeState>, Context), String> {
    let context_options = ContextOptions {
        stack_quota: options.stack_size.unwrap_or_else(main_stack_size),
        small: options.smol,
        frugal: options.frugal,
        gc_stress: std::env::var("BAO_GC_STRESS").ok().and_then(|v| v.parse().ok()).unwrap_or(0),
        max_heap_mib: heap_limit_mib(&options),
    };
    if thread == 0
        && let Ok(cwd) = std::env::current_dir()
    {
        store::discover(&cwd);
    }
    if thread == 0
        && let Some(scale) = embedded::jit_policy()
    {
        engine::scale_jit_steps(scale);
    }
    let state = Rc::new(RuntimeState::new(options, start, thread)?);
    let host = Rc::new(RuntimeHost {
        state: Rc::downgrade(&state),
        inbox: state.event_loop.inbox.clone(),
        transfers: &ext_worker::PortTransfers,
    });
    let since = || start.elapsed().as_secs_f64() * 1000.0;
    let engine_started = since();
    let context = Context::new(&context_options, host);
    state.milestones.set([engine_started, since(), 0.0]);
    Ok((state, context))
}

/// The native halves of all families.
fn natives() -> Vec<NativeHalf> {
    let mut natives = vec![NativeHalf::with_fields(ext_core::family(), ext_core::define_fields)];
    let families = [
        ext_archive::family(),
        ext_buffer::family(),
        ext_bun::family(),
        ext_bun::data_family(),
        ext_bundle::family(),
        ext_child_process::family(),
        ext_console::family(),
        ext_crypto::family(),
        ext_ffi::family(),
        ext_fs::family(),
        ext_image::family(),
        ext_html::family(),
        ext_inspector::family(),
        ext_module::family(),
        ext_module::source_map_family(),
        ext_napi::family(),
        ext_net::family(),
        ext_os::family(),
        ext_path::family(),
        ext_process::family(),
        ext_redis::family(),
        ext_repl::family(),
        ext_sql::family(),
        ext_secrets::family(),
        ext_sqlite::family(),
        ext_test::family(),
        ext_tty::family(),
        ext_url::family(),
        ext_util::family(),
        ext_util::text_family(),
        ext_v8::family(),
        ext_vm::family(),
        ext_wasi::family(),
        ext_worker::family(),
        ext_worker::locks_family(),
        ext_worker::ports_family(),
        ext_zlib::family(),
    ];
    natives.extend(families.map(NativeHalf::from));
    natives
}

/// Prepares the realm, then calls `run`, which gives the exit code. `worker` is how this thread starts the thread of a worker.
pub(crate) fn enter(
    scope: &mut Scope<'_>,
    state: &Rc<RuntimeState>,
    worker: fn(WorkerThread),
    run: impl FnOnce(&mut Scope<'_>) -> i32,
) -> i32 {
    scope.state().put(state.clone());
    scope.state().put(state.event_loop.poller.clone());
    scope.state().put(Rc::new(Builtins::new(natives())));
    scope.state().put(Runner(worker));
    ext_test::enter_thread(scope);
    Coverage::start_by_environment(scope);
    if let Err(exc) = errors::install(scope)
        .and_then(|()| cpu_profile::start_by_options(scope))
        .and_then(|()| apply_options(scope, state))
    {
        errors::uncaught(scope, state, exc);
        turns::drain(scope, state);
        return 1;
    }
    let [engine_started, realm_made, _] = state.milestones.get();
    state.milestones.set([engine_started, realm_made, state.start.elapsed().as_secs_f64() * 1000.0]);
    run(scope)
}

/// Options that change the realm before any program runs.
fn apply_options(scope: &mut Scope<'_>, state: &RuntimeState) -> JsResult<()> {
    for (name, value) in &state.options.node_options {
        match (name.as_str(), value) {
            ("--expose-gc", NodeOption::Flag(true)) => {
                let function = scope.native_function("gc", 0, ext_core::OP_gc.native)?;
                let global = scope.global_object();
                scope.define(global, "gc", function, engine::PropertyAttributes::HIDDEN)?;
            }
            ("--title", NodeOption::Text(title)) => {
                ext_process::name_process(scope, title.clone());
            }
            ("--stack-trace-limit", NodeOption::Text(text)) => {
                if let Ok(limit) = text.parse::<f64>() {
                    let global = scope.global_object();
                    let constructor = scope.get(global, "Error")?;
                    let limit = scope.number(limit);
                    scope.set(constructor, "stackTraceLimit", limit)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// `--max-old-space-size`. Where the address space is limited (`ulimit -v`), the heap gets a limit of its own below it: reaching that is an
/// exception that a program or the error report can handle, while an allocation refused by the system in the middle of a
/// collection ends the process.
fn heap_limit_mib(options: &RunOptions) -> u32 {
    for (name, value) in &options.node_options {
        if let ("--max-old-space-size" | "--max-heap-size", NodeOption::Text(text)) = (name.as_str(), value)
            && let Ok(limit) = text.parse::<u32>()
        {
            return limit.clamp(16, 4095);
        }
    }
    // SAFETY: a valid out pointer.
    let limit = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_AS, &mut limit);
        limit.rlim_cur
    };
    if limit == libc::RLIM_INFINITY {
        return 0;
    }
    // SAFETY: one arena for all threads: each further one would reserve 64 MiB.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    // First number of statm: pages of address space in use, those that the engine reserves for compiled code included.
    let used = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
        .map_or(0, |pages| pages * 4096);
    // Half of what is left: the rest is for stacks, and memory of buffers, arrays and strings outside the heap.
    ((limit.saturating_sub(used) >> 20) / 2).clamp(32, 4095) as u32
}

/// Bytes of stack for scripts of the main thread: what the system gives it less a reserve for native code, at most 16 MiB.
pub(crate) fn main_stack_size() -> usize {
    const MIB: u64 = 1 << 20;
    // SAFETY: a valid out pointer.
    let limit = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_STACK, &mut limit);
        limit.rlim_cur
    };
    limit.saturating_sub(MIB).clamp(MIB, 16 * MIB) as usize
}
