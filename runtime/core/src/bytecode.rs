//! Compiled code beside a file, as `bun build --bytecode` writes it: `FILE.jsc` of a file that says `// @bun @bytecode`.
//!
//! It is what the code cache (`cache.rs`) would keep of the file, under a hash of the text, the path and the build of bao: code of
//! another build, of another text or for another place is passed over, and the file is compiled.

use engine::{CompileOptions, JsResult, Scope, Stencil};
use resolve::{FileClass, ModuleFormat};
use transpile::{ModuleKind, SourceMap};
use xxhash_rust::xxh3::xxh3_128;

use crate::builtins;
use crate::cache::{self, Entry};
use crate::modules::commonjs_stencil_of;
use crate::prepare::prepare_as;
use crate::source::file_url;
use crate::state::RuntimeState;

const MAGIC: &[u8; 8] = b"baojsc01";
/// Magic and hash, up to where the engine reads code in its place.
const HEAD: usize = 32;

/// The name of the compiled code of a file.
fn beside(path: &str) -> String {
    format!("{path}.jsc")
}

fn head(build_id: &str, path: &str, text: &str) -> [u8; HEAD] {
    let mut key = Vec::with_capacity(text.len() + path.len() + 64);
    for part in [build_id, path, text] {
        key.extend_from_slice(part.as_bytes());
        key.push(0);
    }
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[16..].copy_from_slice(&xxh3_128(&key).to_le_bytes());
    head
}

/// Whether a text says that compiled code lies beside it.
fn is_marked(text: &str) -> bool {
    let rest = match text.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    rest.starts_with("// @bun @bytecode")
}

/// The compiled code of a file with this text, if it lies beside it.
///
/// # Errors
/// Those of the engine about code that it cannot read.
pub(crate) fn read(
    scope: &mut Scope<'_>,
    path: &str,
    text: &str,
) -> JsResult<Option<(ModuleKind, Option<SourceMap>, Stencil)>> {
    if !is_marked(text) {
        return Ok(None);
    }
    let Ok(bytes) = std::fs::read(beside(path)) else { return Ok(None) };
    let Some(code) = bytes.strip_prefix(&head(builtins::build_id(), path, text)) else { return Ok(None) };
    let Some((kind, map, code)) = cache::parse(code) else { return Ok(None) };
    Ok(scope.decode_stencil(code)?.map(|stencil| (kind, map, stencil)))
}

/// The bytes of the compiled code of a file that will have this text at this path; `None` if the engine has no form for it.
/// With `all_functions` those inside are compiled, too.
///
/// # Errors
/// A SyntaxError about a text that cannot be compiled.
pub fn make(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    path: &str,
    text: String,
    esm: bool,
    all_functions: bool,
) -> JsResult<Option<Vec<u8>>> {
    let mut bytes = head(builtins::build_id(), path, &text).to_vec();
    let format = if esm { ModuleFormat::Module } else { ModuleFormat::CommonJs };
    let source = prepare_as(scope, state, path, FileClass::Js, format, text)?;
    let stencil = match source.kind {
        ModuleKind::Esm => {
            let url = file_url(path);
            scope.compile_module(&source.code, &CompileOptions { all_functions, ..CompileOptions::new(&url) })?
        }
        ModuleKind::Cjs => commonjs_stencil_of(scope, path, &source.code, all_functions)?,
    };
    let Some(stencil) = scope.encode_stencil(&stencil)? else { return Ok(None) };
    bytes.extend(Entry { kind: source.kind, map: source.map, stencil }.to_bytes());
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_texts_have_code_beside_them() {
        assert!(is_marked("// @bun @bytecode @bun-cjs\n"));
        assert!(is_marked("#!/usr/bin/env bun\n// @bun @bytecode\n"));
        assert!(!is_marked("// @bun\n// @bun @bytecode\n"));
    }

    #[test]
    fn code_is_of_one_text_in_one_place() {
        let of = |build: &str, path: &str, text: &str| head(build, path, text);
        assert_ne!(of("1", "/a.js", "1"), of("1", "/a.js", "2"));
        assert_ne!(of("1", "/a.js", "1"), of("1", "/b.js", "1"));
        assert_ne!(of("1", "/a.js", "1"), of("2", "/a.js", "1"));
    }
}
