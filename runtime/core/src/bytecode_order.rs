//! Which functions of an executable's program a run has used (`BUN_BYTECODE_ORDER_OUT`), so that the next build puts their compiled code
//! into the executable (https://bun.com/docs/bundler/executables#profile-guided-bytecode-layout).
//!
//! The file has the compiled code of the modules with these functions in it. After a line that says what it is follow a line for each
//! module - the hashes of its text and of its code, the length of its code, its name - an empty line, and the code of the modules in this order.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::OnceLock;

use engine::{CompileOptions, JsResult, Scope, Stencil};
use standalone::Module;
use xxhash_rust::xxh3::xxh3_128;

use crate::modules::commonjs_stencil;
use crate::source::file_url;

const TITLE: &str = "bao bytecode order 1\n";

thread_local! {
    /// The modules of this thread whose functions are noted: name, hash of the text, code.
    static NOTED: RefCell<Vec<(String, u128, Stencil)>> = const { RefCell::new(Vec::new()) };
}

/// Where the file goes, if it is asked for. `%p` is the process id.
fn output() -> Option<&'static PathBuf> {
    static OUTPUT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let path = || {
        let value = std::env::var("BUN_BYTECODE_ORDER_OUT").ok().filter(|value| !value.is_empty())?;
        std::path::absolute(value.replace("%p", &std::process::id().to_string())).ok()
    };
    OUTPUT.get_or_init(path).as_ref()
}

/// Whether the functions that this process uses are to be noted.
pub(crate) fn is_wanted() -> bool {
    output().is_some()
}

/// Compiles a module of the executable anew, without its functions, so that those that are compiled when they are called are noted.
///
/// # Errors
/// The engine's about the text.
pub(crate) fn compile(scope: &mut Scope<'_>, path: &str, module: &Module, text: &str) -> JsResult<Stencil> {
    let mut code = if module.esm {
        scope.compile_module(text, &CompileOptions::new(&file_url(path)))?
    } else {
        commonjs_stencil(scope, path, text)?
    };
    code.note_functions();
    let noted = (module.name.clone(), xxh3_128(text.as_bytes()), code.clone());
    NOTED.with_borrow_mut(|all| all.push(noted));
    Ok(code)
}

/// Writes the file at the end of the main thread, if it is asked for. What cannot be written is told on standard error.
pub fn write_last(scope: &mut Scope<'_>) {
    let Some(path) = output() else { return };
    let noted = NOTED.take();
    if noted.is_empty() {
        return;
    }
    let mut head = TITLE.to_string();
    let mut body = Vec::new();
    for (name, hash, code) in noted {
        // What the engine cannot write down is compiled by the build.
        let encoded = scope.nested(|scope| scope.encode_stencil(&code));
        let Ok(Some(bytes)) = encoded else { continue };
        head.push_str(&format!("{hash:032x} {:032x} {} {name}\n", xxh3_128(&bytes), bytes.len()));
        body.extend_from_slice(&bytes);
    }
    head.push('\n');
    let mut whole = head.into_bytes();
    whole.extend_from_slice(&body);
    if let Err(error) = std::fs::write(path, whole) {
        base::stderr_line!("error: failed to write the bytecode order file {}: {error}", path.display());
    }
}

/// A file that a run has written.
#[derive(Debug)]
pub struct BytecodeOrder {
    bytes: Vec<u8>,
    /// Name, hash of the text, place of the code.
    modules: Vec<(String, u128, std::ops::Range<usize>)>,
}

impl BytecodeOrder {
    /// Reads a file; `None` if it is none of these or is damaged.
    pub fn read(bytes: Vec<u8>) -> Option<BytecodeOrder> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
        let head = std::str::from_utf8(&bytes[..=end]).ok()?;
        let mut at = end + 2;
        let mut modules = Vec::new();
        for line in head.strip_prefix(TITLE)?.lines() {
            let mut parts = line.splitn(4, ' ');
            let hash = u128::from_str_radix(parts.next()?, 16).ok()?;
            let of_code = u128::from_str_radix(parts.next()?, 16).ok()?;
            let length: usize = parts.next()?.parse().ok()?;
            let code = at..at.checked_add(length).filter(|end| *end <= bytes.len())?;
            at = code.end;
            // The engine trusts what it reads.
            if xxh3_128(&bytes[code.clone()]) != of_code {
                return None;
            }
            modules.push((parts.next()?.to_string(), hash, code));
        }
        (at == bytes.len()).then_some(BytecodeOrder { bytes, modules })
    }

    /// The code of a module with this name and text.
    pub fn code(&self, name: &str, text: &str) -> Option<&[u8]> {
        let hash = xxh3_128(text.as_bytes());
        let found = self.modules.iter().find(|(known, of, _)| known == name && *of == hash)?;
        self.bytes.get(found.2.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_by_name_and_text() {
        let hash = xxh3_128(b"text");
        let (code, dots) = (xxh3_128(b"CODE"), xxh3_128(b".."));
        let head = format!("{TITLE}{hash:032x} {code:032x} 4 a b.js\n{hash:032x} {dots:032x} 2 c.js\n\n");
        let whole = format!("{head}CODE..").into_bytes();
        assert!(BytecodeOrder::read(format!("{head}CODe..").into_bytes()).is_none());
        let order = BytecodeOrder::read(whole.clone()).unwrap();
        assert_eq!(order.code("a b.js", "text"), Some(b"CODE".as_slice()));
        assert_eq!(order.code("c.js", "text"), Some(b"..".as_slice()));
        assert_eq!(order.code("c.js", "other"), None);
        assert_eq!(order.code("d.js", "text"), None);
        for end in 0..whole.len() {
            assert!(BytecodeOrder::read(whole[..end].to_vec()).is_none(), "{end}");
        }
        assert!(
            BytecodeOrder::read(format!("{TITLE}\n").into_bytes()).is_some_and(|order| order.code("", "").is_none())
        );
    }
}
