//! bao: reads the command line and runs what it says. No logic of its own: `scripts` does everything but JavaScript,
//! `runtime` does JavaScript.

#![no_main]

#[cfg(lazy_calls)]
mod lazy_calls;

use install::Outcome;
use scripts::{Identity, Start};

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
    let argv: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let product = identity.product(argv.first().map_or("", String::as_str));
    let code = match scripts::start(&identity, argv) {
        Start::Exit(code) => code,
        Start::Program(program, options) => runtime::run(program, *options),
        Start::Packages(words) => match install::start(&words, product.name, product.version) {
            Outcome::Exit(code) => i32::from(code),
            Outcome::Launch(launch) => scripts::launch(
                &identity,
                &scripts::PackageBinary {
                    program: &launch.program,
                    arguments: &launch.arguments,
                    bun: launch.bun,
                    path: &launch.path,
                    package: &launch.package,
                    env_files: &launch.env_files,
                },
            ),
        },
    };
    base::descendants::end_all();
    code
}
