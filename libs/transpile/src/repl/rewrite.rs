//! What is typed into a REPL as a script: top-level `await`, import declarations, declarations that may come again.

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use super::{Goal, Language, SyntaxError, bound_names, parse};
use crate::edits::Edits;
use crate::options::{Loader, Options};

/// Code with `await` at the top level as a script: declarations come first, the rest is in an async function whose promise is
/// the script's value and gives `{ value }` if the last statement is an expression. `None` if there is no such `await`, or a
/// `return`, which makes it no script. The texts are those of Node's REPL.
///
/// # Errors
/// Syntax errors of `code` as the body of an async function.
pub fn top_level_await(code: &str) -> Result<Option<String>, SyntaxError> {
    parse(code, Goal::AsyncBody, Language::JavaScript, |program| {
        let mut body = AsyncBody::default();
        body.statements(program);
        if !body.awaits || body.returns {
            return None;
        }
        Some(format!("{}(async () => {{ {} }})()", body.hoisted, body.edits.apply(code)))
    })
}

/// A text as one expression, as `Bun.Transpiler` gives it with `replMode`: a call of a function, which is async if it has to be. What the
/// text declares is declared before it, with `var`, and the function gives `{ value }` if the last statement is an expression.
///
/// # Errors
/// Syntax errors of `code`.
pub fn immediate_script(code: &str) -> Result<String, SyntaxError> {
    parse(code, Goal::Session, Language::JavaScript, |program| {
        let mut body = AsyncBody { only_var: true, ..AsyncBody::default() };
        body.statements(program);
        for statement in &program.body {
            let Statement::ImportDeclaration(import) = statement else { continue };
            let names = import.specifiers.iter().flatten().map(|specifier| specifier.local().name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            if !names.is_empty() {
                body.hoisted.push_str(&format!("var {names}; "));
            }
            let text = assignments(code, import).into_iter().map(|(target, value)| match target {
                // `({ a, b: c } = await import(…))`
                Some(pattern) if pattern.starts_with('{') => format!("({pattern} = {value});"),
                Some(name) => format!("{name} = {value};"),
                None => format!("{value};"),
            });
            body.edits.replace(import.span.start, import.span.end, text.collect::<String>());
            body.awaits = true;
        }
        let keyword = if body.awaits { "async " } else { "" };
        format!("{}({keyword}() => {{ {}\n}})()", body.hoisted, body.edits.apply(code))
    })
}

/// The statements of a program on their way into an async function.
#[derive(Default)]
struct AsyncBody {
    /// All declarations are hoisted with `var`, so that they may come again.
    only_var: bool,
    /// With `only_var`: where the last statement begins, whose value is given if it is a declaration, too.
    last: Option<u32>,
    awaits: bool,
    returns: bool,
    /// Declarations before the function.
    hoisted: String,
    edits: Edits,
    /// Whether the node that is visited next is a statement of the program itself.
    at_top: bool,
}

impl AsyncBody {
    fn statements(&mut self, program: &Program<'_>) {
        let last = program.body.iter().rfind(|statement| !matches!(statement, Statement::EmptyStatement(_)));
        if self.only_var {
            self.last = last.map(|statement| statement.span().start);
        }
        if let Some(Statement::ExpressionStatement(statement)) = last {
            // `{ value }`, because a promise as the value must not be awaited.
            let inner = statement.expression.span();
            self.edits.replace(statement.span.start, statement.span.start, "return ");
            let opening = if self.only_var { "{ __proto__: null, value: (" } else { "{ value: (" };
            self.edits.replace(inner.start, inner.start, opening);
            self.edits.replace(inner.end, inner.end, ") }");
        }
        for statement in &program.body {
            self.at_top = true;
            self.visit_statement(statement);
        }
    }

    /// A declaration with `var`, or at the top of the program, becomes an assignment. `in_loop`: of `for (… of` or `for (… in`.
    fn declaration(&mut self, declaration: &VariableDeclaration<'_>, at_top: bool, in_loop: bool) {
        let kind = match declaration.kind {
            VariableDeclarationKind::Var => "var",
            // Assigned later than it is declared, so it cannot be const.
            VariableDeclarationKind::Let | VariableDeclarationKind::Const if at_top && self.only_var => "var",
            VariableDeclarationKind::Let | VariableDeclarationKind::Const if at_top => "let",
            _ => return,
        };
        let mut names = Vec::new();
        for declarator in &declaration.declarations {
            bound_names(&declarator.id, &mut names);
        }
        self.hoisted.push_str(&format!("{kind} {}; ", names.join(", ")));
        let start = declaration.span.start;
        if in_loop {
            self.edits.replace(start, declaration.declarations[0].span.start, "");
            return;
        }
        let keyword = start + declaration.kind.as_str().len() as u32;
        let several = declaration.declarations.len() > 1;
        let is_value = at_top && self.last == Some(start);
        let opening = match (is_value, several) {
            (true, _) => "return { __proto__: null, value: (",
            (false, true) => "void (",
            (false, false) => "void",
        };
        self.edits.replace(start, keyword, opening);
        for declarator in &declaration.declarations {
            let Span { start, end, .. } = declarator.span;
            self.edits.replace(start, start, "(");
            self.edits.replace(end, end, if declarator.init.is_none() { "=undefined)" } else { ")" });
        }
        if several || is_value {
            let end = declaration.declarations[declaration.declarations.len() - 1].span.end;
            self.edits.replace(end, end, if is_value { ") }" } else { ")" });
        }
    }

    fn loop_head(&mut self, left: &ForStatementLeft<'_>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = left {
            self.awaits |= declaration.kind == VariableDeclarationKind::AwaitUsing;
            self.declaration(declaration, false, true);
        }
    }
}

impl<'a> VisitJs<'a> for AsyncBody {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let at_top = std::mem::take(&mut self.at_top);
        match it {
            Statement::FunctionDeclaration(function) => {
                if let Some(id) = &function.id {
                    self.hoisted.push_str(&format!("var {}; ", id.name));
                    let assignment = format!("this.{name} = {name}; ", name = id.name);
                    self.edits.replace(function.span.start, function.span.start, assignment);
                }
            }
            Statement::ClassDeclaration(class) => {
                if let (true, Some(id)) = (at_top, &class.id) {
                    let keyword = if self.only_var { "var" } else { "let" };
                    self.hoisted.push_str(&format!("{keyword} {}; ", id.name));
                    let is_value = self.last == Some(class.span.start);
                    let opening = if is_value { "return { __proto__: null, value: " } else { "" };
                    self.edits.replace(class.span.start, class.span.start, format!("{opening}{}=", id.name));
                    if is_value {
                        self.edits.replace(class.span.end, class.span.end, " }");
                    }
                }
                walk_js::walk_statement(self, it);
            }
            Statement::VariableDeclaration(declaration) => {
                self.declaration(declaration, at_top, false);
                walk_js::walk_statement(self, it);
            }
            _ => walk_js::walk_statement(self, it),
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        self.awaits |= it.kind == VariableDeclarationKind::AwaitUsing;
        walk_js::walk_variable_declaration(self, it);
    }

    fn visit_for_statement_init(&mut self, it: &ForStatementInit<'a>) {
        if let ForStatementInit::VariableDeclaration(declaration) = it {
            self.declaration(declaration, false, false);
        }
        walk_js::walk_for_statement_init(self, it);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.loop_head(&it.left);
        walk_js::walk_for_in_statement(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.awaits |= it.r#await;
        self.loop_head(&it.left);
        walk_js::walk_for_of_statement(self, it);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.awaits = true;
        walk_js::walk_await_expression(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        self.returns = true;
        walk_js::walk_return_statement(self, it);
    }

    // `await`, `return` and declarations inside of functions are theirs.
    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
    fn visit_static_block(&mut self, _: &StaticBlock<'a>) {}
}

/// The import declarations of `code` as statements with `import()`, which Node's REPL proposes instead; empty if there are none.
///
/// # Errors
/// Syntax errors.
pub fn dynamic_imports(code: &str) -> Result<String, SyntaxError> {
    parse(code, Goal::Session, Language::JavaScript, |program| {
        let imports = program.body.iter().filter_map(|statement| match statement {
            Statement::ImportDeclaration(import) => Some(dynamic_import(code, import, "const")),
            _ => None,
        });
        imports.collect()
    })
}

/// An import declaration as statements that declare its names with `keyword`.
fn dynamic_import(code: &str, import: &ImportDeclaration<'_>, keyword: &str) -> String {
    let statements = assignments(code, import).into_iter().map(|(target, value)| match target {
        Some(target) => format!("{keyword} {target} = {value};"),
        None => format!("{value};"),
    });
    statements.collect::<Vec<_>>().join(" ")
}

/// What an import declaration assigns: a name or an object pattern, and the value. Without a name it only loads.
fn assignments(code: &str, import: &ImportDeclaration<'_>) -> Vec<(Option<String>, String)> {
    let quoted = import.source.span.source_text(code);
    let source = match quoted.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(text) if !text.contains(['"', '\'', '\\']) => format!("\"{text}\""),
        _ => quoted.to_owned(),
    };
    let attributes = import.with_clause.as_ref().map_or_else(String::new, |clause| {
        let list = clause.with_entries.iter().map(|entry| entry.span.source_text(code));
        format!(", {{ with: {{ {} }} }}", list.collect::<Vec<_>>().join(", "))
    });
    let load = format!("await import({source}{attributes})");
    let mut namespace = None;
    let mut names = Vec::new();
    for specifier in import.specifiers.iter().flatten() {
        match specifier {
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => namespace = Some(it.local.name.as_str()),
            ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => names.push(format!("default: {}", it.local.name)),
            ImportDeclarationSpecifier::ImportSpecifier(it) => {
                let (imported, local) = (it.imported.span(), it.local.span);
                let local_name = local.source_text(code);
                names.push(match imported == local {
                    true => local_name.to_owned(),
                    false => format!("{}: {local_name}", imported.source_text(code)),
                });
            }
        }
    }
    let pattern = format!("{{ {} }}", names.join(", "));
    match namespace {
        None if names.is_empty() => vec![(None, load)],
        None => vec![(Some(pattern), load)],
        Some(namespace) if names.is_empty() => vec![(Some(namespace.to_owned()), load)],
        Some(namespace) => vec![(Some(namespace.to_owned()), load), (Some(pattern), namespace.to_owned())],
    }
}

/// A piece of input of `bao repl` as JavaScript: types are taken out, import declarations become `import()`, and what is
/// declared at the top level may be declared again.
///
/// # Errors
/// The syntax error of `code` as JavaScript, if it is no TypeScript either. It is incomplete if one of the two is.
pub fn session_script(code: &str) -> Result<String, SyntaxError> {
    let error = match session_javascript(code) {
        Err(error) if !error.incomplete => error,
        done => return done,
    };
    if let Err(typescript) = parse(code, Goal::Session, Language::TypeScript, |_| ()) {
        return Err(SyntaxError { incomplete: typescript.incomplete, ..error });
    }
    // A line does not show whether a later one uses what is imported.
    let options = Options { loader: Some(Loader::Ts), verbatim_module_syntax: true, ..Options::default() };
    match crate::transpile(code, "repl.ts", &options) {
        Ok(output) => session_javascript(output.code.as_deref().unwrap_or(code)),
        Err(_) => Err(error),
    }
}

fn session_javascript(code: &str) -> Result<String, SyntaxError> {
    parse(code, Goal::Session, Language::JavaScript, |program| {
        let mut edits = Edits::default();
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import) => {
                    edits.replace(import.span.start, import.span.end, dynamic_import(code, import, "var"));
                }
                Statement::VariableDeclaration(declaration) => {
                    let (VariableDeclarationKind::Let | VariableDeclarationKind::Const) = declaration.kind else {
                        continue;
                    };
                    let start = declaration.span.start;
                    edits.replace(start, start + declaration.kind.as_str().len() as u32, "var");
                    // A declaration without a value gives the name a new start.
                    for declarator in declaration.declarations.iter().filter(|it| it.init.is_none()) {
                        edits.replace(declarator.span.end, declarator.span.end, " = undefined");
                    }
                }
                Statement::ClassDeclaration(class) => {
                    if let Some(id) = &class.id {
                        edits.replace(class.span.start, class.span.start, format!("var {} = ", id.name));
                        edits.replace(class.span.end, class.span.end, ";");
                    }
                }
                _ => {}
            }
        }
        edits.apply(code)
    })
}
