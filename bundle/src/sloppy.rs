//! Scripts that are not strict code, as old CommonJS modules are, for chunks, which are: what only sloppy mode has is written in
//! another way. Functions in blocks are variables of the function around them, too
//! (https://tc39.es/ecma262/#sec-block-level-function-declarations-web-legacy-compatibility-semantics).

use oxc::allocator::{Allocator, FromIn, TakeIn, Vec};
use oxc::ast::ast::{
    BindingIdentifier, BindingPattern, BlockStatement, Expression, ForStatementLeft, Function, FunctionType,
    IdentifierName, IdentifierReference, IfStatement, NumericLiteral, ObjectProperty, Program, Statement,
    StringLiteral, UnaryOperator, VariableDeclarationKind, VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{Visit, VisitMut, walk, walk_mut};
use oxc::codegen::{Codegen, CodegenOptions};
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::{Scoping, SemanticBuilder, SymbolId};
use oxc::span::{SPAN, SourceType, Span};
use oxc::str::Ident;
use oxc::syntax::scope::ScopeFlags;
use rolldown_ecmascript::EcmaAst;
use rolldown_sourcemap::SourceMap;
use rustc_hash::FxHashMap;

/// Words that are names in sloppy mode only.
const RESERVED: [&str; 9] =
    ["implements", "interface", "let", "package", "private", "protected", "public", "static", "yield"];

/// Whether a program may have code of sloppy mode at its top.
fn is_sloppy(program: &Program<'_>) -> bool {
    !program.has_use_strict_directive() && !program.body.iter().any(Statement::is_module_declaration)
}

/// A script at a path as strict code, and the map to what it was; `None` for what is a module, strict code, or no script either.
pub(crate) fn strict_text(source: &str, path: &str) -> Option<(String, Option<SourceMap>)> {
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, source, SourceType::cjs().with_jsx(true)).with_options(options).parse();
    let mut program = parsed.program;
    if !parsed.diagnostics.is_empty() || !is_sloppy(&program) {
        return None;
    }
    make_strict(&allocator, &mut program);
    let options = CodegenOptions { source_map_path: Some(path.into()), ..CodegenOptions::default() };
    let printed = Codegen::new().with_options(options).build(&program);
    let is_strict = Parser::new(&allocator, allocator.alloc_str(&printed.code), SourceType::mjs().with_jsx(true))
        .with_options(ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() })
        .parse()
        .diagnostics
        .is_empty();
    is_strict.then(|| (printed.code, printed.map.map(oxc_sourcemap::SourceMap::into_owned)))
}

/// Declares functions in blocks for the function around them, if the module uses them there.
pub(crate) fn hoist_functions(ast: &mut EcmaAst) {
    let has_functions = memchr::memmem::find(ast.source().as_bytes(), b"function").is_some();
    if !has_functions || !is_sloppy(ast.program()) || !uses_functions_of_blocks(ast.program()) {
        return;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        let source_type = program.source_type;
        program.source_type = source_type.with_script(true);
        make_strict(allocator, program);
        program.source_type = source_type;
    });
}

/// Whether functions that are declared in blocks are used outside of these.
fn uses_functions_of_blocks(program: &Program<'_>) -> bool {
    let mut functions = BlockFunctions { found: std::vec::Vec::new(), block: None };
    functions.visit_program(program);
    if functions.found.is_empty() {
        return false;
    }
    let mut uses = OuterUses { functions: &functions.found, is_used: false };
    uses.visit_program(program);
    uses.is_used
}

/// Finds functions that are declared in blocks.
struct BlockFunctions<'a> {
    /// The names, and the blocks that they are declared in.
    found: std::vec::Vec<(Ident<'a>, Span)>,
    block: Option<Span>,
}

impl<'a> Visit<'a> for BlockFunctions<'a> {
    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        let before = self.block.replace(block.span);
        walk::walk_block_statement(self, block);
        self.block = before;
    }

    fn visit_if_statement(&mut self, branch: &IfStatement<'a>) {
        let before = self.block.replace(branch.span);
        walk::walk_if_statement(self, branch);
        self.block = before;
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let (true, Some(id), Some(block)) = (is_plain(function), &function.id, self.block) {
            self.found.push((id.name, block));
        }
        let before = self.block.take();
        walk::walk_function(self, function, flags);
        self.block = before;
    }
}

/// Whether a function of a block is a variable outside of it, too.
fn is_plain(function: &Function<'_>) -> bool {
    function.is_declaration() && !function.r#async && !function.generator
}

/// Looks for uses of functions outside of their blocks.
struct OuterUses<'a, 'f> {
    functions: &'f [(Ident<'a>, Span)],
    is_used: bool,
}

impl<'a> Visit<'a> for OuterUses<'a, '_> {
    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.is_used |= self
            .functions
            .iter()
            .any(|(name, block)| *name == identifier.name && !block.contains_inclusive(identifier.span));
    }
}

fn make_strict<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let builder = AstBuilder::new(allocator);
    let source = program.source_text;
    let mut rewriter = Rewriter { allocator, builder, scoping, source, renamed: FxHashMap::default(), counter: 0 };
    keep_last_functions(&mut program.body);
    rewriter.visit_program(program);
}

/// Of several functions of one name in a list the last one counts; where that is strict code, there may be only one.
fn keep_last_functions(statements: &mut Vec<'_, Statement<'_>>) {
    let name_of = |statement: &Statement<'_>| match statement {
        Statement::FunctionDeclaration(function) => function.id.as_ref().map(|id| id.name.to_string()),
        _ => None,
    };
    let names: std::vec::Vec<Option<String>> = statements.iter().map(name_of).collect();
    let mut at = 0;
    statements.retain(|_| {
        at += 1;
        names[at - 1].is_none() || !names[at..].contains(&names[at - 1])
    });
}

struct Rewriter<'a> {
    allocator: &'a Allocator,
    builder: AstBuilder<'a>,
    scoping: Scoping,
    source: &'a str,
    /// Functions of the blocks around, with the names of their variables in the block.
    renamed: FxHashMap<SymbolId, Ident<'a>>,
    counter: usize,
}

impl<'a> Rewriter<'a> {
    /// A name that the module does not have.
    fn fresh(&mut self, name: &str) -> Ident<'a> {
        loop {
            self.counter += 1;
            let made = format!("{name}_{}", self.counter);
            if !self.source.contains(&made) {
                return Ident::from_in(made.as_str(), self.allocator);
            }
        }
    }

    fn allowed(&self, name: Ident<'a>) -> Option<Ident<'a>> {
        if !RESERVED.contains(&name.as_str()) {
            return None;
        }
        let mut made = format!("_{name}");
        while self.source.contains(&made) {
            made.insert(0, '_');
        }
        Some(Ident::from_in(made.as_str(), self.allocator))
    }

    fn variable(&self, kind: VariableDeclarationKind, name: Ident<'a>, value: Expression<'a>) -> Statement<'a> {
        let builder = &self.builder;
        let pattern = BindingPattern::new_binding_identifier(SPAN, name, builder);
        let declarator = VariableDeclarator::new(SPAN, pattern, None, Some(value), false, builder);
        Statement::new_variable_declaration(SPAN, kind, Vec::from_iter_in([declarator], builder), false, builder)
    }

    /// Whether a function of a block becomes a variable of the function around the block.
    fn is_hoisted(&self, block: &BlockStatement<'a>, name: Ident<'a>) -> bool {
        let Some(scope) = block.scope_id.get() else { return false };
        for around in self.scoping.scope_ancestors(scope).skip(1) {
            let binding = self.scoping.get_binding(around, name);
            if self.scoping.scope_flags(around).is_var() {
                return !binding.is_some_and(|symbol| {
                    let flags = self.scoping.symbol_flags(symbol);
                    flags.is_block_scoped() || flags.is_class() || flags.is_import()
                });
            }
            if binding.is_some() {
                return false;
            }
        }
        false
    }

    /// The assignment that a loop's variable begins with in `for (var a = 1 in b)`.
    fn first_value(&mut self, statement: &mut Statement<'a>) -> Option<Statement<'a>> {
        let each = match statement {
            Statement::ForInStatement(each) => each,
            // The label stays at the loop, for `continue`.
            Statement::LabeledStatement(labeled) => return self.first_value(&mut labeled.body),
            _ => return None,
        };
        let ForStatementLeft::VariableDeclaration(declaration) = &mut each.left else { return None };
        let [declarator] = declaration.declarations.as_mut_slice() else { return None };
        let (Some(value), BindingPattern::BindingIdentifier(id)) = (declarator.init.take(), &declarator.id) else {
            return None;
        };
        Some(self.variable(VariableDeclarationKind::Var, id.name, value))
    }
}

impl<'a> VisitMut<'a> for Rewriter<'a> {
    fn visit_statement(&mut self, statement: &mut Statement<'a>) {
        // A label of a function says nothing.
        while let Statement::LabeledStatement(labeled) = statement
            && matches!(labeled.body, Statement::FunctionDeclaration(_) | Statement::LabeledStatement(_))
            && is_label_of_function(&labeled.body)
        {
            let body = labeled.body.take_in(&self.builder);
            *statement = body;
        }
        if let Some(first) = self.first_value(statement) {
            let rest = statement.take_in(&self.builder);
            let list = Vec::from_iter_in([first, rest], &self.builder);
            *statement = Statement::new_block_statement(SPAN, list, &self.builder);
        }
        walk_mut::walk_statement(self, statement);
    }

    fn visit_if_statement(&mut self, branch: &mut IfStatement<'a>) {
        for body in std::iter::once(&mut branch.consequent).chain(&mut branch.alternate) {
            if matches!(body, Statement::FunctionDeclaration(_)) {
                let function = body.take_in(&self.builder);
                let list = Vec::from_iter_in([function], &self.builder);
                *body = Statement::new_block_statement(SPAN, list, &self.builder);
            }
        }
        walk_mut::walk_if_statement(self, branch);
    }

    fn visit_block_statement(&mut self, block: &mut BlockStatement<'a>) {
        keep_last_functions(&mut block.body);
        let is_strict = block.scope_id.get().is_none_or(|scope| self.scoping.scope_flags(scope).is_strict_mode());
        let mut made: std::vec::Vec<(SymbolId, Ident<'a>, Ident<'a>, bool)> = std::vec::Vec::new();
        if !is_strict {
            for statement in &block.body {
                let Statement::FunctionDeclaration(function) = statement else { continue };
                let Some(id) = function.id.as_ref().filter(|_| is_plain(function)) else { continue };
                let Some(symbol) = id.symbol_id.get() else { continue };
                made.push((symbol, id.name, id.name, self.is_hoisted(block, id.name)));
            }
            for (symbol, name, instead, _) in &mut made {
                *instead = self.fresh(name.as_str());
                self.renamed.insert(*symbol, *instead);
            }
        }
        walk_mut::walk_block_statement(self, block);
        if made.is_empty() {
            return;
        }
        let statements = block.body.take_in(&self.builder);
        let mut first = Vec::new_in(&self.builder);
        let mut rest = Vec::new_in(&self.builder);
        for statement in statements {
            let Statement::FunctionDeclaration(mut function) = statement else {
                rest.push(statement);
                continue;
            };
            let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
            let Some((_, name, instead, is_hoisted)) = made.iter().find(|(own, ..)| Some(*own) == symbol) else {
                rest.push(Statement::FunctionDeclaration(function));
                continue;
            };
            function.r#type = FunctionType::FunctionExpression;
            first.push(self.variable(VariableDeclarationKind::Let, *instead, Expression::FunctionExpression(function)));
            if *is_hoisted {
                let value = Expression::new_identifier(SPAN, *instead, &self.builder);
                rest.push(self.variable(VariableDeclarationKind::Var, *name, value));
            }
        }
        first.extend(rest);
        block.body = first;
        for (symbol, ..) in made {
            self.renamed.remove(&symbol);
        }
    }

    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        if let Expression::UnaryExpression(unary) = expression
            && unary.operator == UnaryOperator::Delete
            && let Expression::Identifier(identifier) = &unary.argument
        {
            let is_own = identifier
                .reference_id
                .get()
                .is_some_and(|reference| self.scoping.get_reference(reference).symbol_id().is_some());
            if is_own {
                *expression = Expression::new_boolean_literal(unary.span, false, &self.builder);
            } else {
                let name = IdentifierName::new(identifier.span, identifier.name, &self.builder);
                let global = Expression::new_identifier(SPAN, "globalThis", &self.builder);
                unary.argument =
                    Expression::new_static_member_expression(unary.span, global, name, false, &self.builder);
            }
            return;
        }
        walk_mut::walk_expression(self, expression);
    }

    fn visit_identifier_reference(&mut self, identifier: &mut IdentifierReference<'a>) {
        let symbol =
            identifier.reference_id.get().and_then(|reference| self.scoping.get_reference(reference).symbol_id());
        if let Some(instead) = symbol.and_then(|symbol| self.renamed.get(&symbol)) {
            identifier.name = *instead;
        } else if symbol.is_some()
            && let Some(instead) = self.allowed(identifier.name)
        {
            identifier.name = instead;
        }
    }

    fn visit_binding_identifier(&mut self, identifier: &mut BindingIdentifier<'a>) {
        if let Some(instead) = self.allowed(identifier.name) {
            identifier.name = instead;
        }
    }

    fn visit_object_property(&mut self, property: &mut ObjectProperty<'a>) {
        walk_mut::walk_object_property(self, property);
        if property.shorthand
            && let Expression::Identifier(value) = &property.value
            && property.key.static_name().is_none_or(|name| name != value.name.as_str())
        {
            property.shorthand = false;
        }
    }

    fn visit_numeric_literal(&mut self, literal: &mut NumericLiteral<'a>) {
        // `010` is 8.
        literal.raw = None;
    }

    fn visit_string_literal(&mut self, literal: &mut StringLiteral<'a>) {
        // `"\\033"` is written by its value.
        literal.raw = None;
    }
}

fn is_label_of_function(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::FunctionDeclaration(_) => true,
        Statement::LabeledStatement(labeled) => is_label_of_function(&labeled.body),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict(source: &str) -> String {
        strict_text(source, "a.js").expect("it can be strict").0.replace(['\n', '\t'], " ")
    }

    #[test]
    fn sloppy_code_becomes_strict() {
        for (source, expected) in [
            ("exports.a = '\\033[31m' + 010;", "exports.a = \"\\x1B[31m\" + 8; "),
            ("var x = 1; delete x; delete y;", "var x = 1; false; delete globalThis.y; "),
            ("for (var a = 1 in b) ;", "{  var a = 1;  for (var a in b); } "),
            ("x: for (var a = 1 in b) continue x;", "{  var a = 1;  x: for (var a in b) continue x; } "),
            ("x: function f() {}", "function f() {} "),
            ("function f() { return 1 } function f() { return 2 }", "function f() {  return 2; } "),
            ("var static = 1; exports.x = { static };", "var _static = 1; exports.x = { static: _static }; "),
        ] {
            assert_eq!(strict(source), expected, "{source}");
        }
        for source in ["export {}; 010", "'use strict'; with (a) ;", "with (a) ;", "var 1", "a(\n"] {
            assert!(strict_text(source, "a.js").is_none(), "{source}");
        }
    }

    #[test]
    fn functions_of_blocks_are_variables() {
        assert_eq!(
            strict("if (1) { f(); function f() { return f } f = null } use(f);"),
            "if (1) {  let f_1 = function f() {   return f_1;  };  f_1();  var f = f_1;  f_1 = null; } use(f); "
        );
        assert_eq!(
            strict("let f = 1; if (1) function f() {} use(f);"),
            "let f = 1; if (1) {  let f_1 = function f() {}; } use(f); "
        );
    }

    #[test]
    fn only_what_is_used_outside_changes() {
        let apply = |source: &str| {
            let mut ast = rolldown_ecmascript::EcmaCompiler::parse("", source, SourceType::mjs()).unwrap();
            hoist_functions(&mut ast);
            Codegen::new().build(ast.program()).code.replace(['\n', '\t'], " ")
        };
        assert_eq!(apply("if (1) { function f() {} f(); }"), "if (1) {  function f() {}  f(); } ");
        assert!(apply("if (1) { function f() {} } f();").contains("var f = f_1"));
        assert!(!apply("if (1) { function f() {} } f(); export {};").contains("var f"));
    }
}
