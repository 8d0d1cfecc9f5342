//! What the commands that report share: colours, sizes, text from a registry made safe for a terminal.

use std::borrow::Cow;

/// Escape sequences, or empty strings where there is no terminal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    pub on: bool,
    pub reset: &'static str,
    pub bold: &'static str,
    pub dim: &'static str,
    pub underline: &'static str,
    pub red: &'static str,
    pub green: &'static str,
    pub yellow: &'static str,
    pub blue: &'static str,
    pub magenta: &'static str,
    pub cyan: &'static str,
}

impl Style {
    fn new(on: bool) -> Self {
        if !on {
            return Self::default();
        }
        Self {
            on,
            reset: "\x1b[0m",
            bold: "\x1b[1m",
            dim: "\x1b[2m",
            underline: "\x1b[4m",
            red: "\x1b[31m",
            green: "\x1b[32m",
            yellow: "\x1b[33m",
            blue: "\x1b[34m",
            magenta: "\x1b[35m",
            cyan: "\x1b[36m",
        }
    }

    /// For standard output.
    pub(super) fn stdout() -> Self {
        Self::new(crate::ui::out_colours())
    }

    /// For standard error.
    pub(super) fn stderr() -> Self {
        Self::new(crate::ui::err_colours())
    }

    /// An arrow, and the sign of an upgrade: plain letters where there is no terminal.
    pub(super) fn arrows(&self) -> (&'static str, &'static str) {
        if self.on { ("→", "↑") } else { ("->", "^") }
    }
}

/// `bao audit v0.1.0` and an empty line.
pub(super) fn banner(command: &str) {
    let style = Style::stdout();
    let (b, d, r) = (style.bold, style.dim, style.reset);
    crate::say!("{b}{} {command} {r}{d}{}{r}\n", crate::ui::product(), crate::ui::version());
}

/// `1 package`, `2 packages`.
pub(super) fn count(number: usize, one: &str) -> String {
    if number == 1 {
        return format!("1 {one}");
    }
    match one.strip_suffix('y') {
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {one}s"),
    }
}

/// Text of a stranger: control characters cannot reach the terminal.
pub(super) fn safe(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if harmless(c) {
            out.push(c);
        } else {
            out.push_str(&format!("\\x{:02x}", u32::from(c)));
        }
    }
    Cow::Owned(out)
}

/// A number of bytes as Bun prints it: powers of 1000, one digit after the point where it is nearly whole, else two.
pub(super) fn size(bytes: u64) -> String {
    if bytes == 0 {
        return "0 KB".to_owned();
    }
    if bytes < 512 {
        return format!("{bytes} bytes");
    }
    let unit = ((bytes.ilog2() / 9) as usize).clamp(1, 8);
    let value = bytes as f64 / 1000f64.powi(unit as i32);
    let letter = char::from(b" KMGTPEZY"[unit]);
    if (value - value.trunc()).abs() <= 0.1 { format!("{value:.1} {letter}B") } else { format!("{value:.2} {letter}B") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_words() {
        let sizes = [0, 511, 999, 123_456, 5_000_000, 3_200_000_000].map(size);
        assert_eq!(sizes, ["0 KB", "511 bytes", "1.00 KB", "123.46 KB", "5.0 MB", "3.20 GB"]);
        assert_eq!(count(1, "vulnerability") + &count(2, "vulnerability"), "1 vulnerability2 vulnerabilities");
        assert_eq!(safe("a\x1b[31m\u{9b}b\n"), "a\\x1b[31m\\x9bb\n");
    }
}
