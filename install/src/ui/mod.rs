//! What people see: colours, the progress line, the list of `update --interactive`.

pub(crate) mod progress;
pub(crate) mod select;

use std::sync::OnceLock;

/// Whether `variable` is set to something.
fn set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Whether a stream takes colours: a terminal that can, unless NO_COLOR says no or FORCE_COLOR says yes.
fn colours(terminal: bool) -> bool {
    if set("NO_COLOR") {
        return false;
    }
    match std::env::var("FORCE_COLOR").as_deref() {
        Ok("0" | "false") => return false,
        Ok(_) => return true,
        Err(_) => {}
    }
    terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Standard output takes colours.
pub(crate) fn out_colours() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| colours(std::io::IsTerminal::is_terminal(&std::io::stdout())))
}

/// Standard error takes colours.
pub(crate) fn err_colours() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| colours(std::io::IsTerminal::is_terminal(&std::io::stderr())))
}

/// The time since `start`, in milliseconds or seconds.
pub(crate) fn elapsed(start: std::time::Instant) -> String {
    let time = start.elapsed();
    if time.as_secs() >= 1 {
        format!("{:.2}s", time.as_secs_f64())
    } else {
        format!("{:.2}ms", time.as_secs_f64() * 1000.0)
    }
}

const TAGS: &[(&str, &str)] = &[
    ("<r>", "\x1b[0m"),
    ("<b>", "\x1b[1m"),
    ("<d>", "\x1b[2m"),
    ("<u>", "\x1b[4m"),
    ("<red>", "\x1b[31m"),
    ("<green>", "\x1b[32m"),
    ("<yellow>", "\x1b[33m"),
    ("<cyan>", "\x1b[36m"),
];

/// Replaces the tags `<r>` (back to normal), `<b>`, `<d>`im, `<u>`nderlined, `<red>`, `<green>`, `<yellow>` and `<cyan>` by escape
/// sequences, or by nothing. Anything else in angle brackets stays (ranges have them).
pub(crate) fn paint(text: &str, on: bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((tag, code)) = TAGS.iter().find(|(tag, _)| rest.starts_with(tag)) {
            if on {
                out.push_str(code);
            }
            rest = &rest[tag.len()..];
        } else {
            out.push('<');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

/// Prints a line with tags to standard output.
#[macro_export]
macro_rules! tell {
    ($($part:tt)*) => {
        $crate::say!("{}", $crate::ui::paint(&format!($($part)*), $crate::ui::out_colours()))
    };
}

/// Prints a line with tags to standard error, in place of the progress line.
#[macro_export]
macro_rules! warn_line {
    ($($part:tt)*) => {{
        let text = $crate::ui::paint(&format!($($part)*), $crate::ui::err_colours());
        $crate::ui::progress::around(|| base::stderr_line!("{text}"));
    }};
}

static PRODUCT: OnceLock<(&str, String)> = OnceLock::new();

/// Sets the name and the version that first lines and hints have; before the first of them is printed.
pub(crate) fn present_as(name: &'static str, version: String) {
    let _ = PRODUCT.set((name, version));
}

/// The name of the executable in texts.
pub(crate) fn product() -> &'static str {
    PRODUCT.get().map_or("bao", |(name, _)| name)
}

/// An own text, in which commands are named as the executable was called.
pub(crate) fn named(text: &str) -> std::borrow::Cow<'_, str> {
    match product() {
        "bao" => text.into(),
        name => text.replace("bao ", &format!("{name} ")).into(),
    }
}

/// The version of [`product`], as `v0.1.0`.
pub(crate) fn version() -> &'static str {
    PRODUCT.get().map_or(concat!("v", env!("CARGO_PKG_VERSION")), |(_, version)| version)
}

/// The first line of a command.
pub(crate) fn header(command: &str) {
    crate::tell!("<b>{} {command} <r><d>{}<r>", product(), version());
}

/// Prints an error with its details.
pub(crate) fn error(error: &crate::error::Error) {
    if let Some(frame) = &error.frame {
        base::stderr_line!("{}", crate::error::printable(frame));
    }
    crate::warn_line!("<r><red>error<r>: {error}");
}

#[cfg(test)]
mod tests {
    use super::paint;

    #[test]
    fn tags() {
        assert_eq!(paint("<b>a<r> <2 <x>", false), "a <2 <x>");
        assert_eq!(paint("<d>a<r>", true), "\x1b[2ma\x1b[0m");
        assert_eq!(paint("a <", true), "a <");
    }
}
