//! `--watch`: a small parent process starts the program again when a file changes that it loaded.
//!
//! The parent has no engine. It starts the same command line as a child with `BAO_WATCH_FD` set to the number of an
//! inherited pipe; the child writes the absolute path of every file it loads to it, each ended by a zero byte, before it
//! uses the file, so that a file with a syntax error is watched as well.

mod keys;
mod selection;

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::output::{Failure, Outcome};
use crate::script::End;
use crate::signals::{self, Signal};
use keys::Keys;
use selection::{Failed, Selection};

pub(crate) use selection::take as take_selection;

/// Names the descriptor to the child.
pub(crate) const VARIABLE: &str = "BAO_WATCH_FD";

/// Editors write in several steps: after the first sign of a change, this long.
const SETTLE: Duration = Duration::from_millis(20);
/// How long the program may take to end after the signal.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) struct Options {
    /// Ends the program before a restart.
    pub kill_signal: i32,
    pub clear_screen: bool,
    /// The program is `bao test`: only test files that a change reaches run again, and keys choose others.
    pub tests: bool,
}

/// The descriptor that a watching parent gave to this process. It is taken out of the environment and not inherited
/// further.
pub(crate) fn take_fd() -> Option<i32> {
    let fd: i32 = std::env::var(VARIABLE).ok()?.parse().ok()?;
    // SAFETY: no other thread runs yet; fcntl is a plain system call.
    unsafe {
        std::env::remove_var(VARIABLE);
        (libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) == 0).then_some(fd)
    }
}

/// Tells the parent about a file.
pub fn report(fd: i32, path: &str) {
    let mut message = path.as_bytes().to_vec();
    message.push(0);
    // SAFETY: the message is valid for its length. A parent that is gone needs no message.
    unsafe { libc::write(fd, message.as_ptr().cast(), message.len()) };
}

/// Whether a file is as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok()?;
    Some(Stamp { inode: found.ino(), size: found.size(), seconds: found.mtime(), nanoseconds: found.mtime_nsec() })
}

/// The files to watch.
struct Files {
    stamps: HashMap<PathBuf, Option<Stamp>>,
    notifier: notifier::Notifier,
}

impl Files {
    fn add(&mut self, path: &Path) {
        // Installed packages change by installing, after which a restart by hand is no burden.
        let installed = path.as_os_str().as_bytes().windows(14).any(|part| part == b"/node_modules/");
        if installed || self.stamps.contains_key(path) {
            return;
        }
        // First the watch, then the stamp: a change in between is seen by one of them.
        if let Some(dir) = path.parent() {
            self.notifier.add(dir);
        }
        self.stamps.insert(path.to_path_buf(), stamp(path));
    }

    /// Files that have changed since the program loaded them. A missing file is expected to come back.
    fn changed(&self) -> BTreeSet<PathBuf> {
        let is_changed = |path: &PathBuf, old: &Option<Stamp>| stamp(path).is_some_and(|now| Some(now) != *old);
        self.stamps.iter().filter(|(path, old)| is_changed(path, old)).map(|(path, _)| path.clone()).collect()
    }

    /// Takes files as they are now.
    fn accept(&mut self, changed: &BTreeSet<PathBuf>) {
        for path in changed {
            self.stamps.insert(path.clone(), stamp(path));
        }
    }

    /// Forgets the files of the program that has ended.
    fn restart(&mut self) {
        self.stamps.clear();
        self.notifier.forget();
    }
}

/// What the loop waited for.
enum Event {
    /// Something changed in a directory of the files.
    Disturbed,
    ChildEnded,
    Signal(Signal),
    Key(u8),
    Timeout,
}

struct Supervisor<'a> {
    executable: &'a str,
    argv0: &'a str,
    args: &'a [OsString],
    dir: Option<PathBuf>,
    wake: i32,
    files: Files,
    reports: Option<OwnedFd>,
    unread: Vec<u8>,
    child: Option<Child>,
    /// Whether all tests of the child have run: it is about to end.
    is_over: bool,
    /// The test files that run next, and below those that have failed.
    selection: Selection,
    failed: Failed,
    keys: Option<Keys>,
}

/// Runs the command line under watch until a signal ends bao. `args` are all words after the executable's name, `dir`
/// is the directory that the program starts in, if not the current one.
pub(crate) fn supervise(
    executable: &str,
    argv0: &str,
    args: &[OsString],
    dir: Option<PathBuf>,
    options: &Options,
) -> Outcome<i32> {
    let failed = |what: &str| {
        let what = what.to_string();
        move |error: std::io::Error| Failure::io(format!("--watch: {what}"), &error)
    };
    let mut supervisor = Supervisor {
        executable,
        argv0,
        args,
        dir,
        wake: signals::wake_on_signals().map_err(failed("cannot make a pipe"))?,
        files: Files {
            stamps: HashMap::new(),
            notifier: notifier::Notifier::new().map_err(failed("cannot watch files"))?,
        },
        reports: None,
        unread: Vec::new(),
        child: None,
        is_over: false,
        selection: Selection::All,
        failed: Failed::default(),
        keys: None,
    };
    loop {
        supervisor.start().map_err(failed("cannot start the program"))?;
        if let Some(code) = supervisor.until_change(options) {
            return Ok(code);
        }
        if options.clear_screen && std::io::IsTerminal::is_terminal(&std::io::stdout()) {
            let _ = std::io::stdout().write_all(b"\x1b[2J\x1b[3J\x1b[H").and_then(|()| std::io::stdout().flush());
        }
    }
}

impl Supervisor<'_> {
    fn start(&mut self) -> std::io::Result<()> {
        // The program has the terminal as it was.
        self.keys = None;
        self.is_over = false;
        match &self.selection {
            Selection::All => {
                self.files.restart();
                self.failed = Failed::default();
            }
            // Files of tests that do not run are watched on.
            Selection::Changed(changed) => self.files.accept(changed),
            Selection::Only(_) => {}
        }
        self.unread.clear();
        let mut ends = [-1; 2];
        // SAFETY: room for two descriptors, which are owned from here on.
        let (reports, child_end) = unsafe {
            if libc::pipe(ends.as_mut_ptr()) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            libc::fcntl(ends[0], libc::F_SETFD, libc::FD_CLOEXEC);
            libc::fcntl(ends[0], libc::F_SETFL, libc::O_NONBLOCK);
            (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
        };
        let mut command = Command::new(self.executable);
        command.arg0(self.argv0).args(self.args).env(VARIABLE, child_end.as_raw_fd().to_string());
        if let (name, Some(value)) = self.selection.variable() {
            command.env(name, value);
        }
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        self.child = Some(command.spawn()?);
        self.reports = Some(reports);
        Ok(())
    }

    /// Waits until the program has to start again. Gives an exit code if bao has to end instead.
    fn until_change(&mut self, options: &Options) -> Option<i32> {
        let mut failed = false;
        let mut code = 0;
        loop {
            match self.wait(None) {
                Event::Disturbed => {
                    // A program that failed may wait for a file that did not exist: any change nearby is worth a try.
                    let restart = !self.files.changed().is_empty() || (failed && notifier::SEES_NEIGHBOURS);
                    if !restart {
                        continue;
                    }
                    let settled = Instant::now() + SETTLE;
                    while Instant::now() < settled {
                        match self.wait(Some(settled)) {
                            Event::Signal(signal) => return Some(self.end(signal)),
                            Event::Timeout => break,
                            _ => {}
                        }
                    }
                    self.read_reports();
                    let unfinished = self.child.is_some() && !self.is_over;
                    self.stop(options.kill_signal);
                    self.select(options, unfinished);
                    return None;
                }
                Event::ChildEnded => {
                    let end = self.reap();
                    self.read_reports();
                    code = end.code();
                    failed = code != 0;
                    // What the program itself wrote next to its files is no reason to start it again.
                    self.files.notifier.drain();
                    if self.files.stamps.is_empty() {
                        // It never got to load anything: the mistake is on the command line.
                        return Some(match end {
                            End::Code(code) => code,
                            End::Signal(signal) => signals::die_by(signal),
                        });
                    }
                    if !self.files.changed().is_empty() {
                        self.select(options, false);
                        return None;
                    }
                    if options.tests {
                        self.keys = Keys::new();
                        if self.keys.is_some() {
                            base::stderr_text!(
                                "\nWatching for changes. a: all files, f: failed ones, Enter: the same again, q: quit\n"
                            );
                        }
                    }
                }
                Event::Key(b'a') => {
                    self.selection = Selection::All;
                    return None;
                }
                Event::Key(b'f') if self.failed.0.is_empty() => base::stderr_line!("No file has failed."),
                Event::Key(b'f') => {
                    self.selection = Selection::Only(self.failed.0.clone());
                    return None;
                }
                Event::Key(b'\n' | b'\r') => return None,
                Event::Key(b'q') => {
                    self.keys = None;
                    return Some(code);
                }
                Event::Key(_) => {}
                Event::Signal(signal) => return Some(self.end(signal)),
                Event::Timeout => {}
            }
        }
    }

    /// Decides what runs after a change.
    fn select(&mut self, options: &Options, unfinished: bool) {
        let changed = self.files.changed();
        self.selection = match options.tests && !changed.is_empty() {
            true => Selection::after(changed, unfinished.then_some(&self.selection)),
            false => Selection::All,
        };
    }

    fn wait(&mut self, until: Option<Instant>) -> Event {
        loop {
            let reports = self.reports.as_ref().map_or(-1, |fd| fd.as_raw_fd());
            let keys = if self.keys.is_some() { 0 } else { -1 };
            let mut polled = [self.wake, reports, self.files.notifier.fd(), keys].map(|fd| libc::pollfd {
                fd,
                events: libc::POLLIN,
                revents: 0,
            });
            let limit = until.map(|until| until.saturating_duration_since(Instant::now()));
            let timeout = match (limit, self.files.notifier.interval()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            // SAFETY: the array lives through the call.
            let ready = unsafe {
                libc::poll(polled.as_mut_ptr(), polled.len() as _, timeout.map_or(-1, |t| t.as_millis() as i32 + 1))
            };
            if polled[1].revents != 0 {
                self.read_reports();
            }
            if polled[0].revents != 0 {
                for signal in signals::take(self.wake) {
                    if signal.ends() {
                        return Event::Signal(signal);
                    }
                    self.signal(signal.number);
                }
                if self.child_has_ended() {
                    return Event::ChildEnded;
                }
            }
            if polled[3].revents != 0 {
                match self.keys.as_ref().and_then(Keys::read) {
                    Some(key) => return Event::Key(key),
                    None => self.keys = None,
                }
            }
            if polled[2].revents != 0 {
                self.files.notifier.drain();
                return Event::Disturbed;
            }
            if ready == 0 {
                let over = until.is_some_and(|until| Instant::now() >= until);
                return if over { Event::Timeout } else { Event::Disturbed };
            }
        }
    }

    fn read_reports(&mut self) {
        let Some(reports) = &self.reports else { return };
        let mut buffer = [0u8; 1 << 14];
        loop {
            // SAFETY: reads into the buffer.
            let len = unsafe { libc::read(reports.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
            if len <= 0 {
                if len == 0 {
                    self.reports = None;
                }
                return self.take_reports();
            }
            self.unread.extend_from_slice(&buffer[..len as usize]);
        }
    }

    fn take_reports(&mut self) {
        let Some(end) = self.unread.iter().rposition(|b| *b == 0) else { return };
        let rest = self.unread.split_off(end + 1);
        for path in std::mem::replace(&mut self.unread, rest)[..end].split(|b| *b == 0) {
            if self.failed.take(path) {
                continue;
            }
            if path == b"over:" {
                self.is_over = true;
            }
            let path = Path::new(OsStr::from_bytes(path));
            if path.is_absolute() {
                self.files.add(path);
            }
        }
    }

    fn child_has_ended(&self) -> bool {
        let Some(child) = &self.child else { return false };
        // SAFETY: room for the result; leaves the child to be reaped.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_PID, child.id(), &mut info, flags) == 0 && info.si_pid() != 0
        }
    }

    fn reap(&mut self) -> End {
        match self.child.take().map(|mut child| child.wait()) {
            Some(Ok(status)) => status.into(),
            _ => End::Code(1),
        }
    }

    fn signal(&self, signal: i32) {
        if let Some(child) = &self.child {
            // SAFETY: a plain system call; the child is not reaped yet.
            unsafe { libc::kill(child.id() as i32, signal) };
        }
    }

    /// Ends the program, politely at first.
    fn stop(&mut self, signal: i32) {
        if self.child.is_none() {
            return;
        }
        self.signal(signal);
        let limit = Instant::now() + GRACE;
        while !self.child_has_ended() {
            match self.wait(Some(limit)) {
                Event::Signal(signal) => {
                    let code = self.end(signal);
                    base::descendants::end_all();
                    std::process::exit(code)
                }
                Event::Timeout => {
                    self.signal(libc::SIGKILL);
                    break;
                }
                Event::ChildEnded | Event::Disturbed | Event::Key(_) => {}
            }
        }
        self.read_reports();
        self.reap();
    }

    /// bao got a signal: the program gets it too, unless the terminal has sent it to both, and bao ends as it does.
    fn end(&mut self, signal: Signal) -> i32 {
        self.keys = None;
        if self.child.is_none() {
            return signals::die_by(signal.number);
        }
        if signal.by_process {
            self.signal(signal.number);
        }
        while !self.child_has_ended() {
            if let Event::Signal(Signal { number, by_process: true }) = self.wait(None) {
                self.signal(number);
            }
        }
        match self.reap() {
            End::Code(code) => code,
            End::Signal(signal) => signals::die_by(signal),
        }
    }
}

#[cfg(target_os = "linux")]
mod notifier {
    //! inotify on directories: editors replace files, so a watch on the file itself would lose it.

    use std::collections::HashSet;
    use std::ffi::CString;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    /// Whether files that the program has not named are noticed, too.
    pub(super) const SEES_NEIGHBOURS: bool = true;

    pub(super) struct Notifier {
        fd: OwnedFd,
        dirs: HashSet<PathBuf>,
    }

    impl Notifier {
        pub(super) fn new() -> std::io::Result<Notifier> {
            // SAFETY: a plain system call; the descriptor is owned from here on.
            unsafe {
                let fd = libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC);
                if fd < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(Notifier { fd: OwnedFd::from_raw_fd(fd), dirs: HashSet::new() })
            }
        }

        pub(super) fn add(&mut self, dir: &Path) {
            if self.dirs.contains(dir) {
                return;
            }
            let Ok(name) = CString::new(dir.as_os_str().as_bytes()) else { return };
            let mask = libc::IN_CLOSE_WRITE | libc::IN_MOVED_TO | libc::IN_CREATE | libc::IN_ONLYDIR;
            // SAFETY: the name ends with a zero byte.
            if unsafe { libc::inotify_add_watch(self.fd.as_raw_fd(), name.as_ptr(), mask) } >= 0 {
                self.dirs.insert(dir.to_path_buf());
            }
        }

        /// Watches stay, but are made again when asked for: a directory may have been replaced.
        pub(super) fn forget(&mut self) {
            self.dirs.clear();
        }

        pub(super) fn fd(&self) -> i32 {
            self.fd.as_raw_fd()
        }

        /// How often the files are looked at without a notification.
        pub(super) fn interval(&self) -> Option<Duration> {
            None
        }

        /// Reads and drops the notifications: the stamps of the files tell what has changed.
        pub(super) fn drain(&self) {
            let mut buffer = [0u8; 1 << 13];
            // SAFETY: reads into the buffer; the descriptor does not block.
            while unsafe { libc::read(self.fd.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) } > 0 {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod notifier {
    //! Looks at the files four times a second.

    use std::path::Path;
    use std::time::Duration;

    pub const SEES_NEIGHBOURS: bool = false;

    pub struct Notifier;

    impl Notifier {
        pub fn new() -> std::io::Result<Notifier> {
            Ok(Notifier)
        }

        pub fn add(&mut self, _: &Path) {}

        pub fn forget(&mut self) {}

        pub fn fd(&self) -> i32 {
            -1
        }

        pub fn interval(&self) -> Option<Duration> {
            Some(Duration::from_millis(250))
        }

        pub fn drain(&self) {}
    }
}
