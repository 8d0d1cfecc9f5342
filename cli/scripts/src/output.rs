//! Output for people: errors with a hint, colours if the stream is a terminal that shows them.

use std::io::{IsTerminal, Write};

/// An error for the person at the keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// What to try, one line each.
    pub hints: Vec<String>,
    pub code: i32,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// An error with exit code 1.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hints: Vec::new(), code: 1 }
    }

    /// `what: the system's reason`
    pub fn io(what: impl std::fmt::Display, error: &std::io::Error) -> Failure {
        Failure::new(format!("{what}: {}", reason(error)))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }

    pub fn code(mut self, code: i32) -> Failure {
        self.code = code;
        self
    }

    /// Prints the error to standard error and gives the exit code.
    pub fn report(&self) -> i32 {
        error(&self.message);
        let mut text = String::new();
        for hint in &self.hints {
            text.push_str("  ");
            text.push_str(hint);
            text.push('\n');
        }
        print_error(&text);
        self.code
    }
}

impl From<bunfig::Error> for Failure {
    fn from(error: bunfig::Error) -> Failure {
        let failure = Failure::new(error.message);
        match error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// Whether a stream takes colours: `FORCE_COLOR` and `NO_COLOR` decide, else whether it is a terminal.
pub(crate) fn colors(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(value) = set("FORCE_COLOR") {
        return value != "0" && value != "false";
    }
    set("NO_COLOR").is_none() && stream.is_terminal()
}

/// Writes text to standard output. A reader that is gone (`bao run | head`) is not an error.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes text to standard error.
pub(crate) fn print_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// `error: message` on standard error.
pub(crate) fn error(message: &str) {
    labelled("error", "\x1b[31m", message);
}

/// `warn: message` on standard error.
pub(crate) fn warn(message: &str) {
    labelled("warn", "\x1b[33m", message);
}

fn labelled(label: &str, color: &str, message: &str) {
    print_error(&if colors(&std::io::stderr()) {
        format!("{color}{label}\x1b[0m: {message}\n")
    } else {
        format!("{label}: {message}\n")
    });
}

/// What went wrong in the system's words, without Rust's number in parentheses.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((text, _)) => text.to_string(),
        None => text,
    }
}

/// The line that shows a command before it runs.
pub(crate) fn echo_command(command: &str) {
    print_error(&if colors(&std::io::stderr()) {
        format!("\x1b[35m$\x1b[0m \x1b[2m\x1b[1m{command}\x1b[0m\n")
    } else {
        format!("$ {command}\n")
    });
}

/// A time as scripts report it: `305ms`, `2.41s`.
pub(crate) fn duration(time: std::time::Duration) -> String {
    let millis = time.as_millis();
    if millis < 1000 { format!("{millis}ms") } else { format!("{:.2}s", time.as_secs_f64()) }
}
