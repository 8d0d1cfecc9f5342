//! Native half of the `Bun` global (family `bun`). What needs JavaScript semantics is ext/*/bun/.

mod data;
mod hash;
mod html;
mod mapping;
mod markdown;
mod password;
mod walk;
mod which;

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use base::cancel::Woken;
pub use data::family as data_family;
use engine::{Exc, IntoJs, JsResult, JsStr, Local, OpError, Scope, op, ops};
use glob::Pattern;
use semver::{Range, Version};
use walk::Options;

/// A result string in the form its characters have.
enum Text {
    Latin1(Vec<u8>),
    Utf16(Vec<u16>),
}

/// In TypeScript: `string`.
impl IntoJs for Text {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match self {
            Text::Latin1(bytes) => scope.latin1_string(&bytes),
            Text::Utf16(units) => scope.utf16_string(&units),
        }
    }
}

/// A result BigInt.
struct BigUint(u64);

/// In TypeScript: `bigint`.
impl IntoJs for BigUint {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        scope.bigint_u64(self.0)
    }
}

/// UTF-8 of a string, without a copy where it is ASCII. Unpaired surrogates become U+FFFD.
fn utf8<'a>(text: &JsStr<'a>) -> Cow<'a, [u8]> {
    if !text.is_latin1() {
        return String::from_utf16_lossy(text.utf16()).into_bytes().into();
    }
    let bytes = text.latin1();
    if bytes.is_ascii() {
        bytes.into()
    } else {
        bytes.iter().map(|&b| char::from(b)).collect::<String>().into_bytes().into()
    }
}

fn no_function() -> OpError {
    OpError::range_error("no such hash function")
}

/// A 32-bit hash of bytes; the numbers of the functions are in [`hash::hash32`].
#[op]
fn hash32(function: u8, input: &[u8], seed: u64) -> Result<f64, OpError> {
    hash::hash32(function, input, seed).map(f64::from).ok_or_else(no_function)
}

/// A 32-bit hash of a string's UTF-8.
#[op]
fn hash32_text(function: u8, input: JsStr<'_>, seed: u64) -> Result<f64, OpError> {
    hash::hash32(function, &utf8(&input), seed).map(f64::from).ok_or_else(no_function)
}

/// A 64-bit hash of bytes, as a BigInt.
#[op]
fn hash64(function: u8, input: &[u8], seed: u64) -> Result<BigUint, OpError> {
    hash::hash64(function, input, seed).map(BigUint).ok_or_else(no_function)
}

/// A 64-bit hash of a string's UTF-8, as a BigInt.
#[op]
fn hash64_text(function: u8, input: JsStr<'_>, seed: u64) -> Result<BigUint, OpError> {
    hash::hash64(function, &utf8(&input), seed).map(BigUint).ok_or_else(no_function)
}

/// Columns that a string takes in a terminal.
#[op]
fn string_width(text: JsStr<'_>, count_escapes: bool, ambiguous_is_narrow: bool) -> f64 {
    let columns = if text.is_latin1() {
        text::width::latin1(text.latin1(), count_escapes, ambiguous_is_narrow)
    } else {
        text::width::utf16(text.utf16(), count_escapes, ambiguous_is_narrow)
    };
    columns as f64
}

/// What each grapheme cluster of a string without escape sequences is: its length in UTF-16 units and its columns, in
/// turns.
#[op]
fn clusters(text: String, ambiguous_is_narrow: bool) -> Vec<u32> {
    text::width::clusters(&text)
        .flat_map(|cluster| {
            let units: usize = cluster.chars().map(char::len_utf16).sum();
            [units as u32, text::width::cluster_columns(cluster, ambiguous_is_narrow) as u32]
        })
        .collect()
}

/// A string without escape sequences; undefined if it has none.
#[op]
fn strip_ansi(text: JsStr<'_>) -> Option<Text> {
    if text.is_latin1() {
        text::ansi::strip(text.latin1()).map(Text::Latin1)
    } else {
        text::ansi::strip(text.utf16()).map(Text::Utf16)
    }
}

/// A string with entities for `"&'<>`; undefined if it has none of them.
#[op]
fn escape_html(text: JsStr<'_>) -> Option<Text> {
    if text.is_latin1() {
        html::escape(text.latin1()).map(Text::Latin1)
    } else {
        html::escape(text.utf16()).map(Text::Utf16)
    }
}

/// Position of the first line feed at or after `from`, -1 if there is none.
#[op]
fn index_of_line(bytes: &[u8], from: f64) -> f64 {
    let from = from.max(0.0) as usize;
    let found = bytes.get(from..).and_then(|rest| memchr::memchr(b'\n', rest));
    found.map_or(-1.0, |offset| (from + offset) as f64)
}

/// The compiled patterns of a thread, by number.
#[derive(Default)]
struct Patterns {
    slots: Vec<Option<Rc<Pattern>>>,
    free: Vec<u32>,
}

thread_local! {
    // Not in the context's state: an op with a scope could not borrow the string that is to be matched.
    static PATTERNS: RefCell<Patterns> = RefCell::default();
}

/// Compiles a pattern; the number by which [`glob_match`] knows it until [`glob_free`].
#[op]
fn glob_compile(pattern: String) -> u32 {
    let compiled = Some(Rc::new(Pattern::new(&pattern)));
    PATTERNS.with_borrow_mut(|patterns| match patterns.free.pop() {
        Some(slot) => {
            patterns.slots[slot as usize] = compiled;
            slot
        }
        None => {
            patterns.slots.push(compiled);
            (patterns.slots.len() - 1) as u32
        }
    })
}

/// Forgets a pattern.
#[op]
fn glob_free(slot: u32) {
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(pattern) = patterns.slots.get_mut(slot as usize)
            && pattern.take().is_some()
        {
            patterns.free.push(slot);
        }
    });
}

/// Whether a pattern matches all of a path.
#[op]
fn glob_match(slot: u32, path: JsStr<'_>) -> bool {
    PATTERNS.with_borrow(|patterns| match patterns.slots.get(slot as usize) {
        Some(Some(pattern)) => pattern.matches(&utf8(&path)),
        _ => false,
    })
}

/// Bits of `options` in the scan ops.
fn scan_options(bits: u32) -> Options {
    Options { dot: bits & 1 != 0, follow: bits & 2 != 0, broken_is_error: bits & 4 != 0, only_files: bits & 8 != 0 }
}

fn scan_paths(pattern: &str, cwd: &str, prefix: &str, options: u32) -> Result<String, OpError> {
    match walk::scan(pattern, cwd, prefix, scan_options(options)) {
        Ok(paths) => {
            Ok(String::from_utf8(paths).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
        }
        Err(failure) => Err(OpError::io(failure.error, "open").path(failure.path)),
    }
}

/// Paths below `cwd` that match, with a NUL after each and `prefix` before each. `options`: 1 names with a dot, 2 follow
/// links, 4 broken links are errors, 8 only files. Errors as open and getdents do.
#[op]
fn glob_scan_sync(pattern: String, cwd: String, prefix: String, options: u32) -> Result<String, OpError> {
    scan_paths(&pattern, &cwd, &prefix, options)
}

/// The same on the thread pool.
#[op(blocking)]
fn glob_scan(pattern: String, cwd: String, prefix: String, options: u32) -> Result<String, OpError> {
    scan_paths(&pattern, &cwd, &prefix, options)
}

/// The text of a string argument, without a copy where it is ASCII.
fn text_of<'a>(text: &JsStr<'a>) -> Cow<'a, str> {
    match utf8(text) {
        Cow::Borrowed(bytes) => {
            std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
        }
        Cow::Owned(bytes) => String::from_utf8(bytes).unwrap_or_default().into(),
    }
}

/// Whether a version is in a range; false for what is no version.
#[op]
fn semver_satisfies(version: JsStr<'_>, range: JsStr<'_>) -> bool {
    let (version, range) = (text_of(&version), text_of(&range));
    Version::parse(&version).is_some_and(|version| Range::parse_lenient(&range).contains(&version))
}

/// -1, 0 or 1; 2 where the first, 3 where the second is no version.
#[op]
fn semver_order(a: JsStr<'_>, b: JsStr<'_>) -> i32 {
    let (a, b) = (text_of(&a), text_of(&b));
    match (Version::parse_for_order(&a), Version::parse_for_order(&b)) {
        (None, _) => 2,
        (_, None) => 3,
        (Some(a), Some(b)) => match a.order(&b) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        },
    }
}

/// Hashes a password; see [`password::hash`].
#[op]
fn password_hash_sync(
    algorithm: String,
    password: Vec<u8>,
    memory: u32,
    time: u32,
    cost: u32,
) -> Result<String, OpError> {
    password::hash(&algorithm, &password, memory, time, cost)
}

/// The same on the thread pool.
#[op(blocking)]
fn password_hash(algorithm: String, password: Vec<u8>, memory: u32, time: u32, cost: u32) -> Result<String, OpError> {
    password::hash(&algorithm, &password, memory, time, cost)
}

/// Whether a hash is one of the password; see [`password::verify`].
#[op]
fn password_verify_sync(password: Vec<u8>, hash: String, algorithm: Option<String>) -> Result<bool, OpError> {
    password::verify(&password, &hash, algorithm.as_deref())
}

/// The same on the thread pool.
#[op(blocking)]
fn password_verify(password: Vec<u8>, hash: String, algorithm: Option<String>) -> Result<bool, OpError> {
    password::verify(&password, &hash, algorithm.as_deref())
}

/// Path of the program `name` in the directories of `path`, which are separated by colons.
#[op]
fn which(name: String, path: String, cwd: String) -> Option<String> {
    which::which(&name, &path, &cwd)
}

/// Multiplies by `scale`, at least 1, how often code runs before it leaves the interpreter.
#[op]
fn set_jit_policy(scope: &mut Scope<'_>, scale: f64) {
    scope.set_jit_policy(scale);
}

/// Blocks the thread for so many milliseconds, in a worker until it is ended.
#[op]
fn sleep_sync(milliseconds: f64) -> Result<(), OpError> {
    if milliseconds > 0.0 {
        let time = std::time::Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default();
        let woken = base::cancel::wait(&mut Vec::new(), Some(time)).map_err(|error| OpError::io(error, "ppoll"))?;
        if woken == Woken::Cancelled {
            return Err(OpError::ended());
        }
    }
    Ok(())
}

/// An ArrayBuffer on a file's bytes from `offset`, a multiple of the page size; see [`mapping::open`].
#[op(ts(returns = "ArrayBuffer"))]
fn map_file<'s>(
    scope: &mut Scope<'s>,
    path: String,
    offset: u64,
    size: Option<u64>,
    shared: bool,
) -> Result<Local<'s>, Exc> {
    match mapping::open(&path, offset, size, shared) {
        Ok(mapping) => scope.external_array_buffer(mapping),
        Err((syscall, error)) => {
            let error = OpError::io(error, syscall);
            let error = if syscall == "open" { error.path(path) } else { error };
            Err(scope.throw_op_error(&error))
        }
    }
}

/// HTML of Markdown; `flags`: [`markdown::Flags`].
#[op]
fn markdown_html(text: String, flags: u32) -> String {
    markdown::html(&text, markdown::Flags(flags))
}

/// What Markdown has, in order; see [`markdown::outline`].
#[op]
fn markdown_outline(text: String, flags: u32) -> Vec<String> {
    markdown::outline(&text, markdown::Flags(flags))
}

/// What the C library's allocator has, in bytes: heaps from the system, blocks mapped by themselves, how many of these, what is in use, what
/// is free, and the free end of the main heap.
#[op]
fn allocator_statistics() -> Vec<f64> {
    // SAFETY: no arguments; the function locks each arena that it looks at.
    let info = unsafe { libc::mallinfo2() };
    [info.arena, info.hblkhd, info.hblks, info.uordblks, info.fordblks, info.keepcost]
        .map(|count| count as f64)
        .to_vec()
}

ops!(pub fn family "bun" {
    hash32, hash32_text, hash64, hash64_text, string_width, clusters, strip_ansi, escape_html, index_of_line, glob_compile,
    glob_free, glob_match, glob_scan_sync, glob_scan, semver_satisfies, semver_order, password_hash_sync, password_hash,
    password_verify_sync, password_verify, which, sleep_sync, set_jit_policy,
    markdown_html, markdown_outline,
    map_file, allocator_statistics,
});
