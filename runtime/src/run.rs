//! The process of a program: what is set up once, and its end.

use std::time::Instant;

use run_options::{Program, RunOptions};
use runtime_core::{builtins, bytecode_order, coverage, cpu_profile, globals, permission, pool};

use crate::{image, program, thread, worker};

/// Packages that are built in. As in Bun, the built-in module is taken where the package is installed, too.
const PACKAGES: &[(&str, &str)] = &[("ws", "bun/ws")];

/// Runs a program on this thread. Ends the process when the program does; comes back only with the exit code of a
/// program that could not be started.
pub fn run(program: Program, mut options: RunOptions) -> i32 {
    let start = Instant::now();
    let tests = matches!(program, Program::Tests { .. });
    // Of a test file next to nothing is left when it is over.
    options.frugal = tests;
    options.stack_size = options.stack_size.map(|bytes| bytes.min(thread::main_stack_size()));
    builtins::set_image(image::image(if tests { &[PACKAGES, ext_test::STAND_INS] } else { &[PACKAGES] }));
    globals::declare(if tests { ext_test::GLOBALS } else { &[] });
    prepare_heap();
    coverage::settle_directory();
    if !engine::initialize(builtins::build_id(), image::self_hosted()) {
        base::stderr_line!(
            "error: the JavaScript engine could not get its address space (2 GiB): raise `ulimit -v` or the memory limit"
        );
        return 1;
    }
    permission::enable(&options);
    let (state, mut context) = match thread::make(options, start, 0) {
        Ok(made) => made,
        Err(message) => {
            base::stderr_line!("error: {message}");
            return 1;
        }
    };
    let code = context.with(|scope| {
        let code = thread::enter(scope, &state, worker::live, |scope| program::run(scope, &state, &program));
        if let Some(finish) = state.on_exit.get() {
            finish(scope);
        }
        // As in Node, `process.exit()` and errors that nobody catches end the process without the addons' say.
        if state.exit.get().is_none() {
            ext_ffi::tear_down(scope);
            ext_napi::tear_down(scope);
        }
        coverage::write_last(scope);
        bytecode_order::write_last(scope);
        cpu_profile::write_last(scope);
        ext_process::trace::finish();
        code
    });
    state.compile_cache.persist();
    store::record::finish();
    pool::finish_changes();
    // The process ends here: freeing the heap object by object would only take time, and the engine's exit handlers
    // want all its threads gone first. Nothing of bao's waits to be flushed.
    std::mem::forget(context);
    base::stderr::write();
    base::descendants::end_all();
    ext_ffi::flush();
    ext_napi::flush();
    ext_tty::restore();
    // SAFETY: ends the process.
    unsafe { libc::_exit(code & 0xff) }
}

/// Sets up the allocator of the process, before another thread exists. (Populating the first pages of the heap in one call
/// instead of by page faults was tried: 115 faults fewer, and no time saved.)
fn prepare_heap() {
    // SAFETY: parameters of the allocator. Large buffers come from the heap and stay there: mapping and unmapping each of
    // them costs a page fault for every page of every buffer.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
    }
}
