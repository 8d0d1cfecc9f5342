//! The option `splitRequire`: an ES module that is only required is a chunk of its own, which `import.meta.require` loads where the
//! program asks for it (https://bun.com/docs/bundler#splitting). Until then nothing of it is read.
//!
//! Which modules these are is known when a build has read all of them. It is made once more then, with an `import()` in the place of
//! each such `require`, for which rolldown makes a chunk, and a call around it, by which it is found among the code of the chunks.

use std::path::Path;
use std::sync::PoisonError;

use oxc::allocator::Allocator;
use oxc::ast::ast::{Argument, CallExpression, Expression};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{Visit, VisitMut, walk, walk_mut};
use oxc::parser::Parser;
use oxc::span::{SourceType, Span};
use rolldown_ecmascript::EcmaAst;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::options::{BuildOptions, Format, Loader, Target};
use crate::public::relative;
use crate::rules::FreeNames;
use crate::settings::Entry;
use crate::shared::{LOADER_MARK, Shared, parts_of};

/// What stands around the `import()` of a chunk that is required.
const CALL: &str = "__baoRequireChunk";
/// Begins the specifier of such an `import()`, before the id of the module.
const SPECIFIER: &str = "\0bao-required:";

/// The modules that calls of `require` lead to, by the module that calls and the specifier.
pub(crate) type Requires = FxHashMap<String, FxHashMap<String, String>>;

/// Whether modules that are required may be chunks.
pub(crate) fn is_wanted(options: &BuildOptions) -> bool {
    options.splitting
        && options.split_require
        && options.target == Target::Bun
        && options.format == Format::Esm
        && options.manual_chunks.is_empty()
}

/// The id of the module that the specifier of an `import()` stands for, if a `require` was there.
pub(crate) fn required(specifier: &str) -> Option<&str> {
    specifier.strip_prefix(SPECIFIER)
}

/// The calls by which a build requires modules that can be chunks: ES modules that nothing imports and that are no entry points.
pub(crate) fn find(shared: &Shared, entries: &[Entry]) -> Requires {
    let real = |entry: &Entry| store::real_path(Path::new(&entry.specifier)).ok();
    let entries: FxHashSet<String> =
        entries.iter().filter_map(real).map(|path| path.to_string_lossy().into_owned()).collect();
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let of_kind =
        |kind: &'static str| seen.values().flat_map(|module| &module.records).filter(move |record| record.kind == kind);
    let imported: FxHashSet<&str> = of_kind("import-statement").map(|record| record.id.as_str()).collect();
    let may_be_chunk = |id: &str| {
        let is_code =
            |loader: Option<Loader>| matches!(loader, Some(Loader::Js | Loader::Jsx | Loader::Ts | Loader::Tsx));
        parts_of(id).0 == "file"
            && !id.contains(LOADER_MARK)
            && !entries.contains(id)
            && !imported.contains(id)
            && seen.get(id).is_some_and(|module| module.format == Some("esm") && is_code(module.loader))
    };
    let mut requires = Requires::default();
    for (id, module) in seen.iter() {
        for record in module.records.iter().filter(|record| record.kind == "require-call" && may_be_chunk(&record.id)) {
            requires.entry(id.clone()).or_default().insert(record.specifier.clone(), record.id.clone());
        }
    }
    requires
}

/// Puts an `import()` in the place of the calls of `require` with some specifiers.
pub(crate) fn mark(ast: &mut EcmaAst, calls: &FxHashMap<String, String>) {
    ast.program.with_mut(|fields| {
        let free = FreeNames::by_scopes(fields.program);
        let mut marker = Marker { builder: AstBuilder::new(fields.allocator), calls, free };
        marker.visit_program(fields.program);
    });
}

struct Marker<'a, 'c> {
    builder: AstBuilder<'a>,
    calls: &'c FxHashMap<String, String>,
    free: FreeNames<'c>,
}

impl<'a> VisitMut<'a> for Marker<'a, '_> {
    fn visit_call_expression(&mut self, call: &mut CallExpression<'a>) {
        walk_mut::walk_call_expression(self, call);
        let [Argument::StringLiteral(specifier)] = call.arguments.as_slice() else { return };
        let Expression::Identifier(callee) = &mut call.callee else { return };
        if callee.name != "require" || call.optional || !self.free.is_free(callee) {
            return;
        }
        let Some(id) = self.calls.get(specifier.value.as_str()) else { return };
        let text = oxc::ast::ast::Str::from_str_in(&format!("{SPECIFIER}{id}"), &self.builder);
        let source = Expression::new_string_literal(specifier.span, text, None, &self.builder);
        let import = Expression::new_import_expression(specifier.span, source, None, None, &self.builder);
        call.callee = Expression::new_identifier(callee.span, CALL, &self.builder);
        call.arguments[0] = Argument::from(import);
    }
}

/// The code of the chunk `file` whose marked `import()` load their chunks at once; `None` if there are none. Specifiers of `others`,
/// the chunks that it imports later, begin with `public_path` if there is one.
///
/// # Errors
/// If rolldown has made something else of one.
pub(crate) fn loading<'n>(
    code: &str,
    file: &str,
    others: impl Iterator<Item = &'n str> + Clone,
    public_path: &str,
) -> Result<Option<String>, ()> {
    let marks = memchr::memmem::find_iter(code.as_bytes(), CALL).count();
    if marks == 0 {
        return Ok(None);
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code, SourceType::mjs().with_jsx(true)).parse();
    let mut finder = Finder::default();
    finder.visit_program(&parsed.program);
    if finder.found.len() != marks {
        return Err(());
    }
    finder.found.sort_unstable_by_key(|(call, _)| call.start);
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    for (call, specifier) in finder.found {
        out.push_str(&code[at..call.start as usize]);
        let public = others
            .clone()
            .find(|other| !public_path.is_empty() && relative(file, other) == specifier)
            .map(|other| format!("{public_path}{other}"));
        out.push_str(&format!("import.meta.require({})", serde_json::Value::from(public.unwrap_or(specifier))));
        at = call.end as usize;
    }
    out.push_str(&code[at..]);
    Ok(Some(out))
}

/// Looks for the marked `import()`: where each call is, and its specifier.
#[derive(Default)]
struct Finder {
    found: Vec<(Span, String)>,
}

impl<'a> Visit<'a> for Finder {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = &call.callee
            && callee.name == CALL
            && let [Argument::ImportExpression(import)] = call.arguments.as_slice()
            && let Expression::StringLiteral(specifier) = &import.source
        {
            self.found.push((call.span, specifier.value.to_string()));
        }
        walk::walk_call_expression(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::loading;

    #[test]
    fn chunks_are_loaded_by_the_call() {
        let code = "const a = () => __baoRequireChunk(import(\"./a.js\")).x;";
        let made = "const a = () => import.meta.require(\"./a.js\").x;";
        let none = || std::iter::empty();
        assert_eq!(loading(code, "x/b.js", none(), ""), Ok(Some(made.to_string())));
        let public = loading(code, "x/b.js", ["a.js", "x/a.js"].into_iter(), "/p/");
        assert_eq!(public, Ok(Some(made.replace("./a.js", "/p/x/a.js"))));
        assert_eq!(loading("import(\"./a.js\")", "b.js", none(), ""), Ok(None));
        assert_eq!(loading("__baoRequireChunk(Promise.resolve().then(() => a))", "b.js", none(), ""), Err(()));
    }
}
