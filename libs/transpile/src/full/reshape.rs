//! What `Bun.Transpiler` can ask for besides JavaScript: exports that are taken out or replaced, imports that nobody uses, dead code,
//! constants that are folded, and short names. Nothing of it happens to programs that run.

use oxc_allocator::{Allocator, ArenaVec};
use oxc_ast::ast::*;
use oxc_mangler::{MangleOptions, Mangler};
use oxc_minifier::{CompressOptions, CompressOptionsKeepNames, CompressOptionsUnused, Compressor};
use oxc_parser::Parser;
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::SourceType;
use oxc_syntax::keyword::is_reserved_keyword;

use crate::depth::Nesting;
use crate::diagnostic::Diagnostic;
use crate::options::{Replacement, Reshape};

/// Code with a longer chain of operators is not folded: oxc asks for each of them what all below it do, which takes seconds with 4,000.
const MAX_FOLDED_CHAIN: u32 = 1_000;

/// Changes `program`, the file `path`. Gives the new names of its variables, if they have any.
///
/// # Errors
/// Syntax errors of what stands in the place of an export.
pub(super) fn reshape<'a>(
    allocator: &'a Allocator,
    program: &mut Program<'a>,
    path: &str,
    wanted: &Reshape,
) -> Result<Option<Scoping>, Vec<Diagnostic>> {
    if !wanted.replace.is_empty() {
        let mut exports = Exports { allocator, path, wanted, errors: Vec::new() };
        exports.apply(program);
        if !exports.errors.is_empty() {
            return Err(exports.errors);
        }
    }
    if wanted.trim_imports || !wanted.replace.is_empty() {
        trim_imports(program);
    }
    let is_foldable = Nesting::of(program.source_text).chain <= MAX_FOLDED_CHAIN;
    let is_compressed = is_foldable && (wanted.minify_syntax || wanted.fold || wanted.remove_dead_code);
    if is_compressed {
        crate::indirect::keep_indirect_calls(allocator, program);
        crate::indirect::shorten_targets(allocator, program);
    }
    if !is_compressed {
        // The text is right without it.
    } else if wanted.minify_syntax {
        // Names that nobody uses stay: a script's are seen by others, and so they do in Bun.
        let options = CompressOptions { unused: CompressOptionsUnused::Keep, ..CompressOptions::smallest() };
        Compressor::new(allocator).build(program, options);
    } else if wanted.fold {
        Compressor::new(allocator).build(program, readable());
    } else if wanted.remove_dead_code {
        Compressor::new(allocator).dead_code_elimination(program, readable());
    }
    if is_compressed {
        crate::indirect::mend_minified(program);
    }
    let renamed = wanted.minify_identifiers.then(|| {
        let mut semantic = SemanticBuilder::new().with_build_nodes(true).with_class_table(true).build(program).semantic;
        // The names of a script's top level are the global object's.
        let options = MangleOptions { top_level: Some(program.source_type.is_module()), ..MangleOptions::default() };
        Mangler::default().with_options(options).build_with_semantic(&mut semantic, program);
        semantic.into_scoping()
    });
    Ok(renamed)
}

/// Folds, but does not join statements or rename.
fn readable() -> CompressOptions {
    CompressOptions {
        keep_names: CompressOptionsKeepNames::all_true(),
        unused: CompressOptionsUnused::Keep,
        ..CompressOptions::dce()
    }
}

/// Takes imported names out that nobody uses, and declarations that had only such. `import "x"` stays.
pub(super) fn trim_imports(program: &mut Program<'_>) {
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let is_used = |specifier: &ImportDeclarationSpecifier<'_>| {
        specifier.local().symbol_id.get().is_none_or(|symbol| !scoping.symbol_is_unused(symbol))
    };
    program.body.retain_mut(|statement| {
        let Statement::ImportDeclaration(import) = statement else { return true };
        let Some(specifiers) = &mut import.specifiers else { return true };
        let had_any = !specifiers.is_empty();
        specifiers.retain(is_used);
        !(had_any && specifiers.is_empty())
    });
}

struct Exports<'a, 'w> {
    allocator: &'a Allocator,
    path: &'w str,
    wanted: &'w Reshape,
    errors: Vec<Diagnostic>,
}

impl<'a, 'w> Exports<'a, 'w> {
    fn wish(&self, name: &str) -> Option<&'w Option<Replacement>> {
        self.wanted.replace.iter().find(|(export, _)| export == name).map(|(_, wish)| wish)
    }

    fn apply(&mut self, program: &mut Program<'a>) {
        let statements: Vec<Statement<'a>> = program.body.drain(..).collect();
        for statement in statements {
            self.statement(statement, &mut program.body);
        }
    }

    /// Puts what stands in the place of an export behind `out`.
    fn put(&mut self, wish: &Option<Replacement>, name: &str, keyword: &str, out: &mut ArenaVec<'a, Statement<'a>>) {
        let Some(Replacement { name: other, value }) = wish else { return };
        let text = match other.as_deref().unwrap_or(name) {
            "default" => format!("export default {value};"),
            name if is_reserved_keyword(name) || matches!(name, "arguments" | "eval") => {
                let message = format!("\"{name}\" cannot be the name of a variable");
                self.errors.push(Diagnostic::whole_file(self.path, message));
                return;
            }
            name => format!("export {keyword} {name} = {value};"),
        };
        let text = self.allocator.alloc_str(&text);
        let parsed = Parser::new(self.allocator, text, SourceType::mjs()).parse();
        self.errors.extend(Diagnostic::from_oxc_all(text, self.path, &parsed.diagnostics));
        out.extend(parsed.program.body);
    }

    #[expect(clippy::collapsible_match, reason = "a guard cannot change what it looks at")]
    fn statement(&mut self, mut statement: Statement<'a>, out: &mut ArenaVec<'a, Statement<'a>>) {
        match &mut statement {
            Statement::ExportDeclaration(export) => match &mut export.declaration {
                Declaration::VariableDeclaration(declaration) => {
                    let keyword = declaration.kind.as_str();
                    let mut found = Vec::new();
                    declaration.declarations.retain(|declarator| {
                        let BindingPattern::BindingIdentifier(id) = &declarator.id else { return true };
                        match self.wish(&id.name) {
                            Some(wish) => found.push((id.name.to_string(), wish)),
                            None => return true,
                        }
                        false
                    });
                    for (name, wish) in &found {
                        self.put(wish, name, keyword, out);
                    }
                    if declaration.declarations.is_empty() {
                        return;
                    }
                }
                declaration => {
                    if let Some(id) = declaration.id()
                        && let Some(wish) = self.wish(&id.name)
                    {
                        self.put(wish, &id.name, "var", out);
                        return;
                    }
                }
            },
            Statement::ExportDefaultDeclaration(_) => {
                if let Some(wish) = self.wish("default") {
                    self.put(wish, "default", "var", out);
                    return;
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                if self.specifiers(&mut export.specifiers, out) {
                    return;
                }
            }
            Statement::ExportFromDeclaration(export) => {
                if self.specifiers(&mut export.specifiers, out) {
                    return;
                }
            }
            Statement::ExportAllDeclaration(export) => {
                if let Some(name) = &export.exported
                    && let Some(wish) = self.wish(&name.name())
                {
                    self.put(wish, &name.name(), "var", out);
                    return;
                }
            }
            _ => {}
        }
        out.push(statement);
    }

    /// Takes the exported names out that are to go. Whether none is left.
    fn specifiers(
        &mut self,
        specifiers: &mut ArenaVec<'a, ExportSpecifier<'a>>,
        out: &mut ArenaVec<'a, Statement<'a>>,
    ) -> bool {
        let had_any = !specifiers.is_empty();
        let mut found = Vec::new();
        specifiers.retain(|specifier| {
            let name = specifier.exported.name();
            match self.wish(&name) {
                Some(wish) => found.push((name.to_string(), wish)),
                None => return true,
            }
            false
        });
        for (name, wish) in &found {
            self.put(wish, name, "var", out);
        }
        had_any && specifiers.is_empty()
    }
}
