//! bao: reads the command line and runs what it says. No logic of its own: `scripts` does everything but JavaScript,
//! `runtime` does JavaScript.

#![no_main]

use install::Outcome;
use runtime::{JsxOverride, NodeOption, Program, RunOptions};
use scripts::{Identity, OptionValue, Plan, Source, Start};

/// Exit code of a bug in bao (EX_SOFTWARE of sysexits.h).
const BUG: i32 = 70;

/// The C entry point itself: Rust's own start-up code reads /proc/self/maps to find the main thread's guard page, which
/// costs a twentieth of a short program's time.
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    // SAFETY: no other thread runs yet. A closed pipe is an error of write(2), as in Node, not a signal.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    open_standard_streams();
    std::panic::set_hook(Box::new(report_bug));
    // A panic must not unwind into C.
    std::panic::catch_unwind(start).unwrap_or(BUG)
}

/// Opens /dev/null for each of standard input, output and error that is closed: the first files opened would get these
/// numbers, and what is printed would go into them.
fn open_standard_streams() {
    let mut streams = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the array lives through the call; open(2) gives the lowest free number, and these are tried in order.
    unsafe {
        libc::poll(streams.as_mut_ptr(), streams.len() as libc::nfds_t, 0);
        for stream in streams.iter().filter(|stream| stream.revents & libc::POLLNVAL != 0) {
            let opened = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            debug_assert_eq!(opened, stream.fd);
        }
    }
}

fn report_bug(info: &std::panic::PanicHookInfo<'_>) {
    let text = info
        .payload()
        .downcast_ref::<&str>()
        .map(|text| (*text).to_string())
        .or_else(|| info.payload().downcast_ref::<String>().cloned())
        .unwrap_or_default();
    let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
    let message = format!(
        "bao {}: internal error at {place}: {text}\nThis is a bug in bao. Please report it with the command that caused it.\n",
        env!("CARGO_PKG_VERSION")
    );
    // SAFETY: the message is valid for its length.
    unsafe { libc::write(2, message.as_ptr().cast(), message.len()) };
}

fn start() -> i32 {
    let identity = Identity {
        version: env!("CARGO_PKG_VERSION"),
        revision: option_env!("BAO_REVISION").unwrap_or("unknown"),
        bun_version: runtime::BUN_VERSION,
        node_version: runtime::NODE_VERSION,
    };
    let argv = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    match scripts::start(&identity, argv) {
        Start::Exit(code) => code,
        Start::Program(plan) => run(*plan),
        Start::Packages(words) => match install::start(&words) {
            Outcome::Exit(code) => i32::from(code),
            Outcome::Launch(launch) => scripts::launch(
                &identity,
                &scripts::Launch {
                    program: &launch.program,
                    arguments: &launch.arguments,
                    bun: launch.bun,
                    path: &launch.path,
                    package: &launch.package,
                    env_files: &launch.env_files,
                },
            ),
        },
    }
}

fn run(plan: Plan) -> i32 {
    let program = match plan.source {
        Source::File(path) => Program::File(path),
        Source::Text { text, name, print } => Program::Text { text, name: name.to_string(), print },
        Source::Interactive { eval } => Program::Interactive { eval },
        Source::Repl => Program::Repl,
        Source::Tests { run } => Program::Tests { run },
    };
    let node_options = plan
        .node_options
        .into_iter()
        .map(|(name, value)| {
            let value = match value {
                OptionValue::Flag(flag) => NodeOption::Flag(flag),
                OptionValue::Text(text) => NodeOption::Text(text),
                OptionValue::List(items) => NodeOption::List(items),
            };
            (name, value)
        })
        .chain(plan.console_depth.map(|depth| ("--console-depth".to_string(), NodeOption::Text(depth.to_string()))))
        .collect();
    let options = RunOptions {
        argv: plan.argv,
        exec_argv: plan.exec_argv,
        exec_path: plan.exec_path,
        argv0: plan.argv0,
        preload: plan.preload,
        conditions: plan.conditions,
        define: plan.define,
        preserve_symlinks: plan.preserve_symlinks,
        preserve_symlinks_main: plan.preserve_symlinks_main,
        node_options,
        smol: plan.smol,
        frugal: false,
        console_depth: plan.console_depth,
        tsconfig: plan.tsconfig,
        stack_size: plan.stack_size.map_or_else(stack_size, |bytes| bytes.min(stack_size())),
        loaders: plan.loaders,
        drop: plan.drop,
        jsx: JsxOverride {
            runtime: plan.jsx.runtime,
            development: plan.jsx.development,
            import_source: plan.jsx.import_source,
            factory: plan.jsx.factory,
            fragment: plan.jsx.fragment,
        },
        hot: plan.hot,
        watch_fd: plan.watch_fd,
    };
    runtime::run(program, options)
}

/// Stack for scripts: what the system gives the main thread less a reserve for native code, at most 16 MiB.
fn stack_size() -> usize {
    const MIB: u64 = 1 << 20;
    // SAFETY: a valid out pointer.
    let limit = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_STACK, &mut limit);
        limit.rlim_cur
    };
    limit.saturating_sub(MIB).clamp(MIB, 16 * MIB) as usize
}
