//! `.env` files: their syntax, the expansion of variables, and which files are read.
//!
//! Programs, package scripts and the package manager read the same files, so one reader decides what they mean. The
//! syntax is that of npm's dotenv with the expansion that Bun adds; the expectations of the tests are recorded from
//! Bun 1.4.5. (`util.parseEnv` has a grammar of its own, which is Node's: any text is a name, nothing is expanded.)
//!
//! ```
//! let mut loaded = dotenv::Loaded::new();
//! loaded.add("HOST=local # mine\n", &|_| None);
//! loaded.add("HOST=all\nURL='http://$HOST:${PORT:-80}'\n", &|_| None);
//! assert_eq!(loaded.into_variables()[1], ("URL".to_owned(), "http://local:80".to_owned()));
//! ```
//!
//! | entry | what it is for |
//! |---|---|
//! | [`Loaded`] | several files, the stronger ones first, on top of the variables of the process |
//! | [`automatic_files`], [`environment`] | the files that are read if none is named |
//! | [`parse`] | the assignments of one text as they are written |
//! | [`expand`] | the references in one value |
//!
//! A line is `NAME=value` (also `NAME: value`, `export NAME=value`); `#` starts a comment, also right behind a bare value.
//! Values in `"`, `'` or a backtick may span lines, all of whose ends are `\n`; in double quotes `\n` and `\r` are the control characters. After that
//! `$NAME`, `${NAME}` and `${NAME:-default}` are replaced in all values, whatever their quotes; `\$` is a dollar.
//!
//! Nothing here reads files or the environment.

use std::collections::HashMap;

/// The variables of a file in the order of their lines, values not expanded.
pub fn parse(text: &str) -> Vec<(String, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') {
        return parse(&text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    let mut variables = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.trim_start();
        let (variable, after) = assignment(rest);
        if let Some(variable) = variable {
            variables.push(variable);
        }
        rest = after;
    }
    variables
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn end_of_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Reads one line (or several, in quotes). Gives what it assigns and the text after it.
fn assignment(text: &str) -> (Option<(String, String)>, &str) {
    let line_end = end_of_line(text);
    let nothing = (None, &text[line_end..]);
    let line = &text[..line_end];
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with([' ', '\t']) && rest.trim_start().starts_with(is_name) => rest.trim_start(),
        _ => line,
    };
    let name_len = line.find(|c| !is_name(c)).unwrap_or(line.len());
    let (name, after) = line.split_at(name_len);
    let after = after.trim_start();
    let value = match after.strip_prefix('=') {
        Some(value) => value,
        None => match after.strip_prefix(':') {
            Some(value) if value.starts_with([' ', '\t']) => value,
            _ => return nothing,
        },
    };
    if name.is_empty() {
        return nothing;
    }
    // From here on the value may go beyond the line.
    let value_at = text[..line_end].len() - value.trim_start().len();
    let (value, after) = value_of(&text[value_at..]);
    (Some((name.to_string(), value)), after)
}

fn value_of(text: &str) -> (String, &str) {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))
        && let Some(end) = closing_quote(&text[1..], quote)
    {
        let inner = &text[1..1 + end];
        let after = &text[end + 2..];
        let inner = if quote == '"' { inner.replace("\\n", "\n").replace("\\r", "\r") } else { inner.to_string() };
        // What follows the quote on its line is no part of the value.
        return (inner, &after[end_of_line(after)..]);
    }
    let line_end = end_of_line(text);
    let line = &text[..line_end];
    let line = line.split_once('#').map_or(line, |(value, _)| value);
    (line.trim().to_string(), &text[line_end..])
}

/// The offset of the quote that ends the value; one after a backslash does not.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !escaped {
            return Some(at);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `\$`. A name that `lookup` does not know is empty text.
pub fn expand(value: &str, lookup: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        let (before, tail) = (&rest[..at], &rest[at + 1..]);
        if let Some(before) = before.strip_suffix('\\') {
            out.push_str(before);
            out.push('$');
            rest = tail;
            continue;
        }
        out.push_str(before);
        match reference(tail) {
            Some(reference) => {
                match lookup(reference.name).filter(|value| !value.is_empty()) {
                    Some(found) => out.push_str(&found),
                    None => out.push_str(&expand(reference.default, lookup)),
                }
                rest = &tail[reference.len..];
            }
            None => {
                out.push('$');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

struct Reference<'a> {
    name: &'a str,
    default: &'a str,
    len: usize,
}

/// Reads the part of a reference after its `$`.
fn reference(text: &str) -> Option<Reference<'_>> {
    let word = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let Some(braced) = text.strip_prefix('{') else {
        let len = word(text);
        return (len > 0).then(|| Reference { name: &text[..len], default: "", len });
    };
    let name_len = word(braced);
    let (name, after) = braced.split_at(name_len);
    if after.starts_with('}') {
        return Some(Reference { name, default: "", len: name_len + 2 });
    }
    let default = after.strip_prefix(":-")?;
    // Only references nest; a lone `{` does not.
    let mut depth = 0;
    let mut at = 0;
    while at < default.len() {
        let tail = &default[at..];
        if tail.starts_with("${") {
            depth += 1;
            at += 2;
        } else if tail.starts_with('}') {
            if depth == 0 {
                return Some(Reference { name, default: &default[..at], len: name_len + at + 4 });
            }
            depth -= 1;
            at += 1;
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// Variables from files, on top of those that the process has.
#[derive(Default)]
pub struct Loaded {
    variables: Vec<(String, String)>,
    /// Where each name is in `variables`.
    places: HashMap<String, usize>,
}

impl Loaded {
    /// No variables yet.
    pub fn new() -> Loaded {
        Loaded::default()
    }

    /// Adds a file. Variables of the process (`outer`) and of files added before win over it, so files are added from
    /// the strongest to the weakest. Its values see all of these, and those of its own lines above expanded.
    pub fn add(&mut self, text: &str, outer: &dyn Fn(&str) -> Option<String>) {
        let before = self.variables.len();
        for (name, value) in parse(text) {
            if outer(&name).is_some() {
                continue;
            }
            match self.places.get(&name) {
                Some(&at) if at < before => {}
                Some(&at) => self.variables[at].1 = value,
                None => {
                    self.places.insert(name.clone(), self.variables.len());
                    self.variables.push((name, value));
                }
            }
        }
        for at in before..self.variables.len() {
            if self.variables[at].1.contains('$') {
                let (variables, places) = (&self.variables, &self.places);
                let lookup =
                    |name: &str| outer(name).or_else(|| places.get(name).map(|&place| variables[place].1.clone()));
                let value = expand(&variables[at].1, &lookup);
                self.variables[at].1 = value;
            }
        }
    }

    /// The variables to set.
    pub fn into_variables(self) -> Vec<(String, String)> {
        self.variables
    }
}

/// The name of the environment, which decides about the files: `BUN_ENV` if it is set, even if it is empty, else
/// `NODE_ENV`.
pub fn environment(variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    variable("BUN_ENV").or_else(|| variable("NODE_ENV"))
}

/// The automatic files for an [`environment`], from the strongest to the weakest.
pub fn automatic_files(environment: Option<&str>) -> &'static [&'static str] {
    match environment {
        Some("production") => &[".env.production.local", ".env.local", ".env.production", ".env"],
        // Tests must not depend on what a developer set for himself.
        Some("test") => &[".env.test.local", ".env.test", ".env"],
        _ => &[".env.development.local", ".env.local", ".env.development", ".env"],
    }
}

#[cfg(test)]
mod tests;
