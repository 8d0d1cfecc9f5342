//! Scripts that are not strict code, as old CommonJS modules are, for chunks, which are: what only sloppy mode has is written in
//! another way. Functions in blocks are variables of the function around them, too
//! (https://tc39.es/ecma262/#sec-block-level-function-declarations-web-legacy-compatibility-semantics).

use std::path::Path;

use oxc::allocator::{Allocator, FromIn, TakeIn, Vec};
use oxc::ast::ast::{
    AssignmentOperator, AssignmentTarget, BindingIdentifier, BindingPattern, BlockStatement, CatchClause,
    CatchParameter, Expression, ForStatementLeft, FormalParameters, Function, FunctionType, IdentifierName,
    IdentifierReference, IfStatement, NumericLiteral, ObjectProperty, Program, Statement, StringLiteral,
    SwitchStatement, UnaryOperator, VariableDeclarationKind, VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{Visit, VisitMut, walk, walk_mut};
use oxc::codegen::{Codegen, CodegenOptions};
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::{ScopeId, Scoping, SemanticBuilder, SymbolId};
use oxc::span::{GetSpan, SPAN, SourceType, Span};
use oxc::str::Ident;
use oxc::syntax::scope::ScopeFlags;
use rolldown_ecmascript::EcmaAst;
use rolldown_sourcemap::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::survey::Survey;
use crate::{archived, function_names};

/// Words that are names in sloppy mode only.
const RESERVED: [&str; 9] =
    ["implements", "interface", "let", "package", "private", "protected", "public", "static", "yield"];

/// Names that a script has of the function around it (https://nodejs.org/api/modules.html#the-module-wrapper).
const OF_WRAPPER: [&str; 6] = ["arguments", "exports", "module", "require", "__dirname", "__filename"];

/// Whether a file is a module, and so strict, by its name or its package (https://nodejs.org/api/esm.html#enabling).
pub(crate) fn is_module_file(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("mjs" | "mts") => true,
        Some("cjs" | "cts") => false,
        _ if !path.is_absolute() => false,
        _ => path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.ends_with("node_modules"))
            .find_map(|folder| archived::read_to_string(&folder.join("package.json")).ok())
            .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
            .is_some_and(|manifest| manifest["type"] == "module"),
    }
}

/// Whether a program may have code of sloppy mode at its top.
fn is_sloppy(program: &Program<'_>) -> bool {
    !program.has_use_strict_directive() && !program.body.iter().any(Statement::is_module_declaration)
}

/// What the parser is told of scripts.
fn parse_options() -> ParseOptions {
    ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() }
}

/// Whether a text is strict code without mistakes, those that are found by its scopes among them.
pub(crate) fn is_strict_code(source: &str) -> bool {
    let allocator = Allocator::default();
    let parser = Parser::new(&allocator, source, SourceType::mjs().with_jsx(true)).with_options(parse_options());
    let parsed = parser.parse();
    parsed.diagnostics.is_empty()
        && SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program).diagnostics.is_empty()
}

/// Up to how many bytes texts with marks of sloppy mode are parsed to see whether they are scripts of it: longer ones show some in
/// comments and messages as a rule.
const LOOKED_AT: usize = 1 << 20;

/// A script at a path as strict code, as [`strict_text`] gives it, if it is not strict code already. Only texts that show marks of
/// sloppy mode are parsed: what is found otherwise, [`strict_text`] makes of it when the build has failed for it.
pub(crate) fn repaired(source: &str, path: &str) -> Option<(String, Option<SourceMap>)> {
    // rolldown takes files of this name as they are, and all others for strict code.
    let is_strictly_parsed = !path.split(['?', '#']).next().unwrap_or(path).ends_with(".cjs");
    if source.len() > LOOKED_AT && is_strictly_parsed {
        return None;
    }
    let has_namesakes = || words(source.as_bytes(), b"function").any(has_namesakes);
    (may_be_sloppy(source.as_bytes()) && (has_namesakes() || !is_strict_code(source)))
        .then(|| strict_text(source, path))
        .flatten()
}

/// Whether a text has what may be code of sloppy mode only, and no line that begins with `import` or `export`.
fn may_be_sloppy(text: &[u8]) -> bool {
    has_sloppy_mark(text) && !["import", "export"].iter().any(|word| begins_line(text, word.as_bytes()))
}

/// Whether a line begins with a word of a declaration of modules.
fn begins_line(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find_iter(text, word).any(|at| {
        (at == 0 || text[at - 1] == b'\n') && text.get(at + word.len()).is_some_and(|next| b" {*\"'\t".contains(next))
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The text behind white space.
fn skip_space(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

fn has_sloppy_mark(text: &[u8]) -> bool {
    // `"\033"`, and references of regular expressions.
    memchr::memchr_iter(b'\\', text).any(|at| {
        let next = text.get(at + 1).copied().unwrap_or_default();
        matches!(next, b'1'..=b'9') || next == b'0' && text.get(at + 2).is_some_and(u8::is_ascii_digit)
    })
    // `010`
    || memchr::memchr_iter(b'0', text).any(|at| {
        text.get(at + 1).is_some_and(u8::is_ascii_digit) && (at == 0 || !is_name_byte(text[at - 1]) && text[at - 1] != b'.')
    })
    // `delete name`
    || words(text, b"delete").any(|rest| {
        let name = skip_space(rest);
        let length = name.iter().take_while(|byte| is_name_byte(**byte)).count();
        length > 0 && !skip_space(&name[length..]).first().is_some_and(|next| b".[?(".contains(next))
    })
    || words(text, b"function").any(has_namesakes)
    || words(text, b"with").any(|rest| skip_space(rest).first() == Some(&b'('))
    // Not `{ public: 1 }` or `"public"`, which are names of properties.
    || RESERVED.iter().any(|word| {
        words(text, word.as_bytes()).any(|rest| skip_space(rest).first().is_some_and(|next| b"=,;).+-".contains(next)))
    })
}

/// Bytes of a function's name, and of its parameters, in which two of one name are looked for.
const SHORT_NAME: usize = 256;
const SHORT_LIST: usize = 4096;

/// Whether `function` is followed by parameters of which two have one name: `(_, _)`. Only lists of mere names may.
fn has_namesakes(rest: &[u8]) -> bool {
    let is_text = |byte: &u8| is_name_byte(*byte) || byte.is_ascii_whitespace();
    let head = rest.iter().take(SHORT_NAME).take_while(|byte| is_text(byte)).count();
    let Some(list) = rest[head..].strip_prefix(b"(") else { return false };
    let length = list.iter().take(SHORT_LIST).take_while(|byte| is_text(byte) || **byte == b',').count();
    if list.get(length) != Some(&b')') {
        return false;
    }
    let mut seen = FxHashSet::default();
    let mut names = list[..length].split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
    names.any(|name| !seen.insert(name))
}

/// What follows a word, each time that it stands in a text: not as a part of a longer word, a property, or a string by itself.
fn words<'t>(text: &'t [u8], word: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
    memchr::memmem::find_iter(text, word).filter_map(move |at| {
        let before = at.checked_sub(1).map_or(b' ', |before| text[before]);
        let rest = &text[at + word.len()..];
        let is_word = !is_name_byte(before)
            && !b".\"'`".contains(&before)
            && !rest.first().is_some_and(|next| is_name_byte(*next) || b"\"'`".contains(next));
        is_word.then_some(rest)
    })
}

/// A script at a path as strict code, and the map to what it was; `None` for what is a module, strict code, or no script either.
pub(crate) fn strict_text(source: &str, path: &str) -> Option<(String, Option<SourceMap>)> {
    let allocator = Allocator::default();
    let parser = Parser::new(&allocator, source, SourceType::cjs().with_jsx(true)).with_options(parse_options());
    let parsed = parser.parse();
    let mut program = parsed.program;
    let file = path.split(['?', '#']).next().unwrap_or(path);
    if !parsed.diagnostics.is_empty() || !is_sloppy(&program) || is_module_file(Path::new(file)) {
        return None;
    }
    make_strict(&allocator, &mut program);
    let options = CodegenOptions { source_map_path: Some(path.into()), ..CodegenOptions::default() };
    let printed = Codegen::new().with_options(options).build(&program);
    is_strict_code(&printed.code).then(|| (printed.code, printed.map.map(oxc_sourcemap::SourceMap::into_owned)))
}

/// Declares functions in blocks for the function around them, if the module at `path`, which may be none, uses them there. Gives
/// whether the tree has changed.
pub(crate) fn hoist_functions(ast: &mut EcmaAst, path: &Path, survey: Option<&Survey>) -> bool {
    let may_have_some = match survey {
        Some(survey) => survey.has_block_functions,
        None => memchr::memmem::find(ast.source().as_bytes(), b"function").is_some(),
    };
    if !may_have_some || !is_sloppy(ast.program()) || !uses_functions_of_blocks(ast.program()) || is_module_file(path) {
        return false;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        let source_type = program.source_type;
        program.source_type = source_type.with_script(true);
        make_strict(allocator, program);
        program.source_type = source_type;
    });
    true
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

    fn visit_switch_statement(&mut self, switch: &SwitchStatement<'a>) {
        self.visit_expression(&switch.discriminant);
        let before = self.block.replace(Span::new(switch.discriminant.span().end, switch.span.end));
        for case in &switch.cases {
            self.visit_switch_case(case);
        }
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
pub(crate) fn is_plain(function: &Function<'_>) -> bool {
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

/// Puts functions that are the body of an `if` into blocks, as the language does: before scopes are looked at.
struct Braces<'a> {
    builder: AstBuilder<'a>,
}

impl<'a> VisitMut<'a> for Braces<'a> {
    fn visit_if_statement(&mut self, branch: &mut IfStatement<'a>) {
        for body in std::iter::once(&mut branch.consequent).chain(&mut branch.alternate) {
            if matches!(body, Statement::FunctionDeclaration(_)) {
                let span = body.span();
                let list = Vec::from_iter_in([body.take_in(&self.builder)], &self.builder);
                *body = Statement::new_block_statement(span, list, &self.builder);
            }
        }
        walk_mut::walk_if_statement(self, branch);
    }
}

fn make_strict<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    // The parameter of a `catch` gets another name below, and variables in it give their values to the parameter.
    function_names::assign_in(allocator, program, true);
    Braces { builder: AstBuilder::new(allocator) }.visit_program(program);
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let builder = AstBuilder::new(allocator);
    let source = program.source_text;
    let (renamed, parameters) = (FxHashMap::default(), FxHashSet::default());
    let of_module = program.body.iter().filter_map(|statement| match statement {
        Statement::FunctionDeclaration(function) => function.id.as_ref().map(|id| id.name),
        _ => None,
    });
    let of_module = of_module.collect();
    let mut rewriter = Rewriter { allocator, builder, scoping, source, renamed, parameters, of_module, counter: 0 };
    keep_last_functions(&mut program.body);
    rewriter.visit_program(program);
}

/// Of several functions of one name in a list the last one counts; where that is strict code, there may be only one.
fn keep_last_functions(statements: &mut Vec<'_, Statement<'_>>) {
    let mut seen = FxHashSet::default();
    let is_last = |statement: &Statement<'_>| match statement {
        Statement::FunctionDeclaration(function) => {
            function.id.as_ref().is_none_or(|id| seen.insert(id.name.to_string()))
        }
        _ => true,
    };
    let mut are_last: std::vec::Vec<bool> = statements.iter().rev().map(is_last).collect();
    statements.retain(|_| are_last.pop().unwrap_or(true));
}

struct Rewriter<'a> {
    allocator: &'a Allocator,
    builder: AstBuilder<'a>,
    scoping: Scoping,
    source: &'a str,
    /// Functions of the blocks around, with the names of their variables in the block.
    renamed: FxHashMap<SymbolId, Ident<'a>>,
    parameters: FxHashSet<SymbolId>,
    /// Functions of the module itself, which a chunk has no variables beside.
    of_module: FxHashSet<Ident<'a>>,
    counter: usize,
}

/// A function that a block declares.
struct BlockName<'a> {
    symbol: SymbolId,
    /// What the name means in the block by the scopes: not the function where these have it as a variable around the block, and
    /// another scope between has a variable of its name.
    seen: SymbolId,
    name: Ident<'a>,
    /// Its name in the block, and what `seen` was called before.
    instead: Ident<'a>,
    before: Option<Ident<'a>>,
    is_hoisted: bool,
    /// Whether what it is hoisted to is a function of the module.
    is_of_module: bool,
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
    fn is_hoisted(&self, scope: ScopeId, name: Ident<'a>) -> bool {
        for around in self.scoping.scope_ancestors(scope).skip(1) {
            let binding = self.scoping.get_binding(around, name);
            if self.scoping.scope_flags(around).is_var() {
                // Parameters of the function around a script stay what they are
                // (https://tc39.es/ecma262/#sec-web-compat-functiondeclarationinstantiation).
                let is_of_wrapper = around == self.scoping.root_scope_id() && OF_WRAPPER.contains(&name.as_str());
                return !is_of_wrapper
                    && !binding.is_some_and(|symbol| {
                        let flags = self.scoping.symbol_flags(symbol);
                        flags.is_block_scoped()
                            || flags.is_class()
                            || flags.is_import()
                            || self.parameters.contains(&symbol)
                    });
            }
            // A variable may have the name that `catch` has
            // (https://tc39.es/ecma262/#sec-variablestatements-in-catch-blocks).
            let is_of_catch = |symbol: SymbolId| {
                let flags = self.scoping.symbol_flags(symbol);
                flags.is_catch_variable() && !flags.is_block_scoped()
            };
            if binding.is_some_and(|symbol| !is_of_catch(symbol)) {
                return false;
            }
        }
        false
    }

    /// Gives the functions among the statements of a block other names there, until [`Rewriter::leave`].
    fn enter<'s>(
        &mut self,
        scope: Option<ScopeId>,
        statements: impl Iterator<Item = &'s Statement<'a>>,
    ) -> std::vec::Vec<BlockName<'a>>
    where
        'a: 's,
    {
        let mut names: std::vec::Vec<BlockName<'a>> = std::vec::Vec::new();
        let Some(scope) = scope.filter(|scope| !self.scoping.scope_flags(*scope).is_strict_mode()) else {
            return names;
        };
        for statement in statements {
            let Statement::FunctionDeclaration(function) = statement else { continue };
            let Some(id) = function.id.as_ref().filter(|_| is_plain(function)) else { continue };
            let Some(symbol) = id.symbol_id.get() else { continue };
            if names.iter().any(|known| known.symbol == symbol) {
                continue;
            }
            let (name, instead) = (id.name, self.fresh(id.name.as_str()));
            let seen = self.scoping.find_binding(scope, name).unwrap_or(symbol);
            let is_hoisted = self.is_hoisted(scope, name);
            let before = self.renamed.insert(seen, instead);
            let is_var = |around: &ScopeId| self.scoping.scope_flags(*around).is_var();
            let target = self.scoping.scope_ancestors(scope).skip(1).find(is_var);
            let is_of_module = target == Some(self.scoping.root_scope_id()) && self.of_module.contains(&name);
            names.push(BlockName { symbol, seen, name, instead, before, is_hoisted, is_of_module });
        }
        names
    }

    fn leave(&mut self, names: std::vec::Vec<BlockName<'a>>) {
        for name in names.into_iter().rev() {
            match name.before {
                Some(before) => self.renamed.insert(name.seen, before),
                None => self.renamed.remove(&name.seen),
            };
        }
    }

    /// Takes functions out of a list, where their variables around the block get their value. Gives the declarations for the block
    /// with their names; of several with one name the last counts.
    fn take_functions(
        &self,
        statements: &mut Vec<'a, Statement<'a>>,
        names: &[BlockName<'a>],
        taken: &mut std::vec::Vec<(Ident<'a>, Statement<'a>)>,
    ) {
        let mut rest = Vec::new_in(&self.builder);
        for statement in statements.take_in(&self.builder) {
            let Statement::FunctionDeclaration(mut function) = statement else {
                rest.push(statement);
                continue;
            };
            let symbol = function.id.as_ref().and_then(|id| id.symbol_id.get());
            let Some(known) = names.iter().find(|known| Some(known.symbol) == symbol) else {
                rest.push(Statement::FunctionDeclaration(function));
                continue;
            };
            function.r#type = FunctionType::FunctionExpression;
            let value = Expression::FunctionExpression(function);
            taken.retain(|(name, _)| *name != known.instead);
            taken.push((known.instead, self.variable(VariableDeclarationKind::Let, known.instead, value)));
            if known.is_hoisted {
                let value = Expression::new_identifier(SPAN, known.instead, &self.builder);
                rest.push(if known.is_of_module {
                    let target = AssignmentTarget::new_assignment_target_identifier(SPAN, known.name, &self.builder);
                    let assignment = AssignmentOperator::Assign;
                    let value = Expression::new_assignment_expression(SPAN, assignment, target, value, &self.builder);
                    Statement::new_expression_statement(SPAN, value, &self.builder)
                } else {
                    self.variable(VariableDeclarationKind::Var, known.name, value)
                });
            }
        }
        *statements = rest;
    }

    /// The declarations of functions of the cases, for before the statement.
    fn switch_functions(&mut self, switch: &mut SwitchStatement<'a>) -> std::vec::Vec<Statement<'a>> {
        self.visit_expression(&mut switch.discriminant);
        // What else is declared among the cases the functions would not see from there.
        let mut statements = switch.cases.iter().flat_map(|case| case.consequent.iter());
        let stays = statements.any(|statement| match statement {
            Statement::VariableDeclaration(declaration) => !declaration.kind.is_var(),
            Statement::FunctionDeclaration(function) => !is_plain(function),
            statement => matches!(statement, Statement::ClassDeclaration(_)),
        });
        let scope = switch.scope_id.get().filter(|_| !stays);
        let names = self.enter(scope, switch.cases.iter().flat_map(|case| case.consequent.iter()));
        for case in &mut switch.cases {
            self.visit_switch_case(case);
        }
        let mut taken = std::vec::Vec::new();
        if !names.is_empty() {
            for case in &mut switch.cases {
                self.take_functions(&mut case.consequent, &names, &mut taken);
            }
        }
        self.leave(names);
        taken.into_iter().map(|(_, statement)| statement).collect()
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
        if let Statement::SwitchStatement(switch) = statement {
            let functions = self.switch_functions(switch);
            if !functions.is_empty() {
                let rest = statement.take_in(&self.builder);
                let list = Vec::from_iter_in(functions.into_iter().chain([rest]), &self.builder);
                *statement = Statement::new_block_statement(SPAN, list, &self.builder);
            }
            return;
        }
        walk_mut::walk_statement(self, statement);
    }

    fn visit_formal_parameters(&mut self, parameters: &mut FormalParameters<'a>) {
        let rest = parameters.rest.iter().map(|rest| &rest.rest.argument);
        let patterns = parameters.items.iter().map(|parameter| &parameter.pattern).chain(rest);
        for pattern in patterns {
            self.parameters.extend(pattern.get_binding_identifiers().iter().filter_map(|id| id.symbol_id.get()));
        }
        // Of several parameters of one name the last one counts.
        let mut names = FxHashSet::default();
        for parameter in parameters.items.iter_mut().rev() {
            if let BindingPattern::BindingIdentifier(identifier) = &mut parameter.pattern
                && !names.insert(identifier.name)
            {
                identifier.name = self.fresh(identifier.name.as_str());
            }
        }
        walk_mut::walk_formal_parameters(self, parameters);
    }

    fn visit_catch_clause(&mut self, clause: &mut CatchClause<'a>) {
        let mut functions = BlockFunctions { found: std::vec::Vec::new(), block: None };
        functions.visit_block_statement(&clause.body);
        let mut renamed = None;
        // The variable of a function of a block would get its value in the parameter.
        if let Some(CatchParameter { pattern: BindingPattern::BindingIdentifier(id), .. }) = &mut clause.param
            && functions.found.iter().any(|(name, _)| *name == id.name)
            && let Some(symbol) = id.symbol_id.get()
        {
            id.name = self.fresh(id.name.as_str());
            self.renamed.insert(symbol, id.name);
            renamed = Some(symbol);
        }
        walk_mut::walk_catch_clause(self, clause);
        if let Some(symbol) = renamed {
            self.renamed.remove(&symbol);
        }
    }

    fn visit_block_statement(&mut self, block: &mut BlockStatement<'a>) {
        keep_last_functions(&mut block.body);
        let names = self.enter(block.scope_id.get(), block.body.iter());
        walk_mut::walk_block_statement(self, block);
        if !names.is_empty() {
            let mut taken = std::vec::Vec::new();
            self.take_functions(&mut block.body, &names, &mut taken);
            let rest = block.body.take_in(&self.builder);
            let first = taken.into_iter().map(|(_, statement)| statement);
            block.body = Vec::from_iter_in(first.chain(rest), &self.builder);
        }
        self.leave(names);
    }

    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        if let Expression::UnaryExpression(unary) = expression
            && unary.operator == UnaryOperator::Delete
            && let Expression::Identifier(identifier) = &unary.argument
        {
            let is_of_wrapper = OF_WRAPPER.contains(&identifier.name.as_str());
            let is_own = identifier
                .reference_id
                .get()
                .is_some_and(|reference| self.scoping.get_reference(reference).symbol_id().is_some());
            if is_own || is_of_wrapper {
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
            ("a(delete arguments, delete module);", "a(false, false); "),
            ("for (var a = 1 in b) ;", "{  var a = 1;  for (var a in b); } "),
            ("x: for (var a = 1 in b) continue x;", "{  var a = 1;  x: for (var a in b) continue x; } "),
            ("x: function f() {}", "function f() {} "),
            ("function f() { return 1 } function f() { return 2 }", "function f() {  return 2; } "),
            ("var static = 1; exports.x = { static };", "var _static = 1; exports.x = { static: _static }; "),
        ] {
            assert_eq!(strict(source), expected, "{source}");
        }
        for source in ["export {}; 010", "'use strict'; with (a) ;", "var 1", "a(\n"] {
            assert!(strict_text(source, "a.js").is_none(), "{source}");
        }
        assert!(strict_text("a = 010", "a.cjs").is_some() && strict_text("a = 010", "a.mjs?x").is_none());
    }

    #[test]
    fn marks_of_sloppy_mode() {
        for source in [
            "exports.a = '\\033[31m';",
            "a = 010",
            "var x; delete x;",
            "with (a) b;",
            "var static = 1;",
            "f(yield, 1)",
            "var let;",
            "function f (a, _, _) {}",
        ] {
            assert!(may_be_sloppy(source.as_bytes()), "{source}");
            assert!(!may_be_sloppy(format!("export {{}};\n{source}").as_bytes()), "{source}");
        }
        for source in [
            "a = 0; b = 0.05; c = 100; x00 = 1; '\\0'",
            "delete a.b; delete (a)[0]; delete a?.b;",
            "{ public: 1, 'static': 2 }; a.private = 1; class A { static x = 1; static async y() {} }",
            "let a = 1; for (let b of c) d; function* e() { yield a; }",
            "function f(a, b) { a(b, b); } function g(a = f(b, b)) {} function h({ a }, b, b) {}",
        ] {
            assert!(!may_be_sloppy(source.as_bytes()), "{source}");
        }
        // What is strict code stays, and what cannot be strict code is the bundler's to refuse.
        assert!(repaired("a = '\\033'", "a.js").is_some());
        let (code, _) = repaired("f(function(_, a, _) { return _; })", "a.js").unwrap();
        assert_eq!(code, "f(function(__1, a, _) {\n\treturn _;\n});\n");
        assert!(repaired("a = /(.)\\1/", "a.js").is_none() && repaired("with (a) b;", "a.js").is_none());
        assert!(strict_text("arguments = 1; with (a) b;", "a.js").is_none());
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
        assert_eq!(
            strict("if (1) function f() {} use(f);"),
            "if (1) {  let f_1 = function f() {};  var f = f_1; } use(f); "
        );
    }

    #[test]
    fn only_what_is_used_outside_changes() {
        let apply = |source: &str| {
            let mut ast = rolldown_ecmascript::EcmaCompiler::parse("", source, SourceType::mjs()).unwrap();
            hoist_functions(&mut ast, Path::new("a.js"), None);
            Codegen::new().build(ast.program()).code.replace(['\n', '\t'], " ")
        };
        assert_eq!(apply("if (1) { function f() {} f(); }"), "if (1) {  function f() {}  f(); } ");
        assert!(apply("if (1) { function f() {} } f();").contains("var f = f_1"));
        assert!(!apply("if (1) { function f() {} } f(); export {};").contains("var f"));
    }
}
