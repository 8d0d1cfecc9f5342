//! `--analyze`: the packages that source files import, found by following imports from file to file.
//!
//! A lexical scan: strings, comments, templates and regular expressions are told apart, nothing is parsed. Imports of types only are
//! no dependencies and are left out.

use crate::error::{Code, Error, Result};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};

/// Modules that Node.js and Bun have built in.
const BUILT_IN: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "bun",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];
const EXTENSIONS: &[&str] = &["tsx", "ts", "jsx", "js", "mts", "cts", "mjs", "cjs", "json"];
/// More files than any program has that one would analyse.
const MOST_FILES: usize = 50_000;

/// Packages that `files` and what they import need, sorted.
///
/// # Errors
/// A file is not there.
pub(crate) fn packages(files: &[String]) -> Result<Vec<String>> {
    let mut stack = Vec::new();
    for file in files {
        let path = Path::new(file);
        let found =
            existing(path).ok_or_else(|| Error::new(Code::Usage, format!("--analyze: there is no file {file}")))?;
        stack.push(found);
    }
    let mut seen: FxHashSet<PathBuf> = stack.iter().cloned().collect();
    let mut names: Vec<String> = Vec::new();
    while let Some(path) = stack.pop() {
        if path.extension().is_some_and(|extension| extension == "json") {
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|error| Error::io("cannot read", &path, error))?;
        for specifier in imports(&bytes) {
            if specifier.starts_with("./") || specifier.starts_with("../") || specifier == "." || specifier == ".." {
                let target = path.parent().unwrap_or(Path::new("")).join(&specifier);
                if let Some(target) = existing(&target)
                    && seen.len() < MOST_FILES
                    && seen.insert(target.clone())
                {
                    stack.push(target);
                }
            } else if let Some(name) = package(&specifier) {
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// The file that an import of `path` means, normalised.
fn existing(path: &Path) -> Option<PathBuf> {
    let with = |extension: &str| PathBuf::from(format!("{}.{extension}", path.display()));
    let mut candidates = vec![path.to_owned()];
    // TypeScript writes the extension of the output.
    if let Some(extension) = path.extension().and_then(|extension| extension.to_str())
        && let Some(source) = [("js", "ts"), ("jsx", "tsx"), ("mjs", "mts"), ("cjs", "cts")]
            .iter()
            .find(|(output, _)| *output == extension)
    {
        candidates.push(path.with_extension(source.1));
        candidates.push(path.with_extension("tsx"));
    }
    candidates.extend(EXTENSIONS.iter().map(|extension| with(extension)));
    candidates.extend(EXTENSIONS.iter().map(|extension| path.join(format!("index.{extension}"))));
    candidates.into_iter().find(|path| path.is_file())?.canonicalize().ok()
}

/// The package of a specifier; nothing for built-in modules, URLs and the project's own names (`#x`).
fn package(specifier: &str) -> Option<&str> {
    if specifier.starts_with(['/', '#', '.']) || specifier.contains(':') {
        return None;
    }
    let slash = if specifier.starts_with('@') {
        specifier.match_indices('/').nth(1).map(|(at, _)| at)
    } else {
        specifier.find('/')
    };
    let name = &specifier[..slash.unwrap_or(specifier.len())];
    (crate::model::spec::valid_name(name) && !BUILT_IN.contains(&name)).then_some(name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a [u8]),
    Text(&'a [u8]),
    Sign(u8),
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether a `/` is the start of a regular expression here.
    operand: bool,
    /// The last word may stand before a string.
    before_string: bool,
    /// Braces that are open inside of each `${`.
    templates: Vec<u32>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl<'a> Scanner<'a> {
    /// Goes to the end of a template's text: its backtick, or `${`.
    fn template(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'`' => break,
                b'$' if self.bytes.get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    self.templates.push(0);
                    break;
                }
                _ => {}
            }
        }
        self.operand = self.templates.last() == Some(&0);
    }

    /// A string on one line; without a closing quote there it is no string (an apostrophe in JSX).
    fn string(&mut self, quote: u8) -> Option<&'a [u8]> {
        let start = self.at;
        let mut at = start;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\n' => return None,
                byte if byte == quote => {
                    self.at = at + 1;
                    return Some(&self.bytes[start..at]);
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn regular_expression(&mut self) {
        let (mut at, mut class) = (self.at, false);
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\n' => return,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => {
                    self.at = at + 1;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let start = self.at;
            self.at += 1;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'/' if self.bytes.get(self.at) == Some(&b'/') => {
                    self.at = memchr::memchr(b'\n', &self.bytes[start..]).map_or(self.bytes.len(), |end| start + end);
                }
                b'/' if self.bytes.get(self.at) == Some(&b'*') => {
                    let end = memchr::memmem::find(&self.bytes[self.at..], b"*/");
                    self.at = end.map_or(self.bytes.len(), |end| self.at + end + 2);
                }
                // An apostrophe in the text of an element, as in `don't`: only keywords have a string right behind them.
                b'\'' if start > 0 && is_word(self.bytes[start - 1]) && !self.operand && !self.before_string => {}
                b'\'' | b'"' => {
                    self.operand = false;
                    if let Some(text) = self.string(byte) {
                        return Some(Token::Text(text));
                    }
                }
                b'`' => {
                    self.template();
                    return Some(Token::Sign(b'`'));
                }
                b'/' if self.operand => {
                    self.regular_expression();
                    self.operand = false;
                }
                b'}' if self.templates.last() == Some(&0) => {
                    self.templates.pop();
                    self.template();
                }
                byte if is_word(byte) => {
                    while self.bytes.get(self.at).copied().is_some_and(is_word) {
                        self.at += 1;
                    }
                    let word = &self.bytes[start..self.at];
                    self.before_string = matches!(word, b"from" | b"import" | b"default");
                    self.operand = matches!(
                        word,
                        b"return"
                            | b"typeof"
                            | b"case"
                            | b"in"
                            | b"of"
                            | b"do"
                            | b"else"
                            | b"void"
                            | b"delete"
                            | b"await"
                            | b"yield"
                            | b"new"
                            | b"throw"
                    );
                    return Some(Token::Word(word));
                }
                _ => {
                    match byte {
                        b'{' => self.templates.last_mut().into_iter().for_each(|depth| *depth += 1),
                        b'}' => {
                            self.templates.last_mut().into_iter().for_each(|depth| *depth = depth.saturating_sub(1));
                        }
                        _ => {}
                    }
                    // `</div>` is no regular expression.
                    self.operand = !matches!(byte, b')' | b']' | b'}' | b'<');
                    return Some(Token::Sign(byte));
                }
            }
        }
    }
}

/// The specifiers of `import`, `export … from`, `import()`, `require()` and `require.resolve()` in a source text.
fn imports(bytes: &[u8]) -> Vec<String> {
    #[derive(PartialEq)]
    enum State {
        Nothing,
        /// Behind `import` or `export`: up to `from "x"`. Whether it is about types only.
        Clause(bool),
        /// Behind `from` of such a clause.
        From(bool),
        /// Behind `import` itself.
        Import,
        /// Behind `import(`, `require(`.
        Call,
        /// Behind `require`, `require.resolve`.
        Require,
    }
    let mut found = Vec::new();
    let mut state = State::Nothing;
    let mut before = Token::Sign(b';');
    for token in (Scanner { bytes, at: 0, operand: true, before_string: false, templates: Vec::new() }) {
        let member = before == Token::Sign(b'.');
        state = match (state, token) {
            (State::Import | State::From(false) | State::Call, Token::Text(text)) => {
                found.push(String::from_utf8_lossy(text).into_owned());
                State::Nothing
            }
            (State::Import | State::Require, Token::Sign(b'(')) => State::Call,
            (State::Import, Token::Sign(b'.')) => State::Nothing,
            (State::Require, Token::Sign(b'.')) => State::Require,
            (State::Require, Token::Word(b"resolve")) => State::Require,
            (State::Import, Token::Word(b"type")) => State::Clause(true),
            // `import type from "x"` is a value called type.
            (State::Clause(true), Token::Word(b"from")) if before == Token::Word(b"type") => State::From(false),
            (State::Clause(types), Token::Word(b"from")) => State::From(types),
            (State::Clause(false), Token::Word(b"type")) if before == Token::Word(b"export") => State::Clause(true),
            (_, Token::Word(b"import")) if !member => State::Import,
            (_, Token::Word(b"export")) if !member => State::Clause(false),
            (_, Token::Word(b"require")) if !member => State::Require,
            (State::Import, Token::Word(_) | Token::Sign(b'{' | b'*')) => State::Clause(false),
            (State::Clause(types), Token::Word(_) | Token::Sign(b'{' | b'}' | b',' | b'*')) => State::Clause(types),
            (State::Clause(types), Token::Text(_)) => State::Clause(types),
            _ => State::Nothing,
        };
        before = token;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers() {
        let told = |text: &str| imports(text.as_bytes()).join(" ");
        assert_eq!(told("import a, { b as c } from 'x'; import 'y'; export * from \"z\""), "x y z");
        assert_eq!(told("const a = require('x'), b = await import(\"y\"); require.resolve('z')"), "x y z");
        assert_eq!(told("import type { A } from 't'; export type { B } from 'u'; import type from 'v'"), "v");
        assert_eq!(told("import { type A, b } from 'x'; import x = require('y')"), "x y");
        assert_eq!(
            told("// import 'a'\n/* import 'b' */ const s = \"import 'c'\"; `import 'd' ${require('e')} import 'f'`"),
            "e"
        );
        assert_eq!(
            told("const r = /require('a')/; x = a / b; require('c'); y = 1 / 2; import.meta.url; m.require('d')"),
            "c"
        );
        assert_eq!(told("const j = <p>don't</p>; import('x')"), "x");
        assert_eq!(told("export const from = 'no'; export default 'no'; import(name)"), "");
        assert_eq!(told("export { a } from './a.js'\nexport { b }\nimport d from './d'"), "./a.js ./d");
    }

    #[test]
    fn names() {
        assert_eq!(package("react/jsx-runtime"), Some("react"));
        assert_eq!(package("@s/x/y"), Some("@s/x"));
        for other in ["fs", "fs/promises", "node:fs", "bun:test", "#own", "/abs", "https://x/y.js", "@/alias", "bun"] {
            assert_eq!(package(other), None, "{other}");
        }
    }
}
