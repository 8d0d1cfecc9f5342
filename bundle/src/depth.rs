//! How deep sources may nest: the syntax trees of oxc and lightningcss are walked recursively without a guard, and the end of a
//! thread's stack is the end of the process.

/// Bytes of stack that every thread needs which runs a build, those of rayon's pool among them. They are only reserved: pages that
/// nobody touches cost nothing.
pub const STACK_SIZE: usize = 256 << 20;
/// Levels of a syntax tree: the worst kinds (functions, calls, elements) take 6.3 KB of a level, with `minify` or without.
const MAX_HEIGHT: u32 = 32_000;
/// Open brackets of a sheet, of which one takes up to 4.3 KB.
const MAX_SHEET_BRACKETS: u32 = 20_000;
/// As `bao FILE` says it.
pub(crate) const MESSAGE: &str = "The source nests too deeply to be parsed";

/// Refuses a text in JavaScript or TypeScript that is too deep for [`STACK_SIZE`].
///
/// # Errors
/// The text of the error.
pub(crate) fn check_code(text: &str) -> Result<(), &'static str> {
    transpile::is_lower_than(text, MAX_HEIGHT).then_some(()).ok_or(MESSAGE)
}

/// [`check_code`] for TypeScript, where the parser must not begin anew too often either.
///
/// # Errors
/// The text of the error.
pub(crate) fn check_types(text: &str) -> Result<(), &'static str> {
    transpile::has_few_guesses(text).then_some(()).ok_or(transpile::TOO_MANY_GUESSES)?;
    check_code(text)
}

/// The same for CSS.
///
/// # Errors
/// The text of the error.
pub(crate) fn check_sheet(text: &str) -> Result<(), &'static str> {
    (transpile::open_brackets(text) <= MAX_SHEET_BRACKETS).then_some(()).ok_or(MESSAGE)
}
