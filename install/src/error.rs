//! The error of every phase: what happened, with which package, at which URL, and what to try.

use std::fmt;

/// What went wrong, as a name that tests and scripts can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A file could not be read or written.
    Io,
    /// The connection failed, was refused, reset or timed out.
    Network,
    /// The server answered with a status that is no success.
    Status,
    /// package.json, a manifest or a lockfile is not what its format says.
    Parse,
    /// No version matches a range or tag.
    NoVersion,
    /// The tarball's digest is not the one announced.
    Integrity,
    /// A tarball holds something that must not be unpacked.
    Tarball,
    /// A package in the cache lacks files it had.
    Damaged,
    /// The lockfile would have to change but is frozen.
    Frozen,
    /// A command-line option or a package specifier is wrong.
    Usage,
    /// A lifecycle script failed.
    Script,
    /// Anything that the program does not do yet.
    NotImplemented,
}

/// An error with its context.
#[derive(Clone, Debug)]
pub struct Error(Box<Details>);

/// The fields of an [`Error`].
#[derive(Clone, Debug)]
pub struct Details {
    pub code: Code,
    pub message: String,
    pub package: Option<String>,
    pub url: Option<String>,
    pub hint: Option<String>,
    pub cause: Option<String>,
    /// The line of a file that is wrong, with a caret below the place: stands before the message.
    pub frame: Option<String>,
    /// The place in that file, `PATH:LINE:COLUMN`.
    pub place: Option<String>,
    /// Exit code of the process, where it is not 1.
    pub exit: u8,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of kind `code` with a sentence for people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            code,
            message: message.into(),
            package: None,
            url: None,
            hint: None,
            cause: None,
            frame: None,
            place: None,
            exit: 1,
        }))
    }

    /// A failed operation of the system on `path`.
    pub fn io(what: &str, path: impl AsRef<std::path::Path>, error: impl fmt::Display) -> Self {
        Self::new(Code::Io, format!("{what} {}", path.as_ref().display())).cause(error)
    }

    /// Names the package, as `name@version-or-range`.
    pub fn package(mut self, name: &str, version: &str) -> Self {
        self.package = Some(if version.is_empty() { name.to_owned() } else { format!("{name}@{version}") });
        self
    }

    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Shows offset `at` of `text`, which is that of the file `path`.
    pub fn at(mut self, path: &std::path::Path, text: &str, at: usize) -> Self {
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].lines().next().unwrap_or("");
        let number = text[..at].matches('\n').count() + 1;
        let column = text[start..at].chars().count();
        // A file on one long line is not shown.
        if line.len() <= 1024 {
            let before = format!("{number} | ");
            let blanks = " ".repeat(before.len() + column);
            self.frame = Some(format!("{before}{line}\n{blanks}^"));
        }
        self.place = Some(format!("{}:{number}:{}", path.display(), column + 1));
        self
    }

    pub fn cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }
}

impl std::ops::Deref for Error {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl std::ops::DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

/// `text` without control characters: names and answers come from others, and a terminal obeys them.
pub(crate) fn printable(text: &str) -> std::borrow::Cow<'_, str> {
    let harmless = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    if text.chars().all(harmless) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if harmless(character) { out.push(character) } else { out.extend(character.escape_default()) }
    }
    out.into()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message))?;
        if let Some(cause) = &self.cause {
            write!(f, ": {}", printable(cause))?;
        }
        if let Some(place) = &self.place {
            write!(f, "\n    at {}", printable(place))?;
        }
        let hint = self.hint.as_deref().map(|hint| crate::ui::named(hint).into_owned());
        for (label, part) in [("package", &self.package), ("url", &self.url), ("hint", &hint)] {
            if let Some(part) = part {
                write!(f, "\n  {label}: {}", printable(part))?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
