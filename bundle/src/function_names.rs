//! Variables that have the name of something else, as assignments.
//!
//! `function f() {} { var f = 1 }`: in scripts and in functions the variable is the function's name
//! (https://tc39.es/ecma262/#sec-toplevelvardeclarednames). oxc takes it for another declaration of a name of the block's surroundings and
//! refuses it. `catch (e) { var e = 1 }` gives the value to the parameter, and declares a variable of the function around it
//! (https://tc39.es/ecma262/#sec-variablestatements-in-catch-blocks), which oxc's shorter names do not tell apart.

use std::path::Path;

use oxc::allocator::{Allocator, Vec};
use oxc::ast::ast::{
    AssignmentOperator, BindingIdentifier, BindingPattern, CatchClause, Expression, ForStatementInit, ForStatementLeft,
    FunctionBody, Program, Statement, StaticBlock, TSModuleBlock, VariableDeclaration, VariableDeclarationKind,
    VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::VisitMut;
use oxc::ast_visit::walk_mut;
use oxc::span::SPAN;
use oxc::str::Ident;
use rolldown_ecmascript::EcmaAst;
use rolldown_ecmascript_utils::BindingPatternExt as _;
use rustc_hash::FxHashSet;

use crate::sloppy;
use crate::survey::Survey;

/// Writes variables in blocks that have the name of a function beside the block, or of the parameter of the `catch` around them, as
/// assignments. `survey` is of the tree as it still is.
pub(crate) fn assign(ast: &mut EcmaAst, path: &Path, survey: Option<&Survey>) {
    if survey.is_some_and(|survey| !survey.has_conflicts) {
        return;
    }
    let source = ast.source().as_bytes();
    let has = |word: &str| memchr::memmem::find(source, word.as_bytes()).is_some();
    if !has("var ") || !["function", "catch"].into_iter().any(has) {
        return;
    }
    ast.program.with_mut(|fields| {
        let (allocator, program): (&Allocator, _) = (fields.allocator, fields.program);
        // The functions of a module are no variables.
        let is_script = !program.body.iter().any(Statement::is_module_declaration) && !sloppy::is_module_file(path);
        assign_in(allocator, program, is_script);
    });
}

/// The same for a program that is a script, whose functions are variables, or a module.
pub(crate) fn assign_in<'a>(allocator: &'a Allocator, program: &mut Program<'a>, is_script: bool) {
    let builder = AstBuilder::new(allocator);
    let mut writer = Writer {
        builder,
        is_script,
        functions: FxHashSet::default(),
        caught: Default::default(),
        others: Vec::new_in(&allocator),
        depth: 0,
    };
    writer.visit_program(program);
}

struct Writer<'a> {
    builder: AstBuilder<'a>,
    is_script: bool,
    /// The functions that are declared at the top of the function around a place.
    functions: FxHashSet<Ident<'a>>,
    /// The parameters of the `catch` clauses around a place, up to that function.
    caught: std::vec::Vec<Ident<'a>>,
    /// What is declared beside such names, and is declared anew at the end of that function.
    others: Vec<'a, VariableDeclarator<'a>>,
    /// How many statements of that function are around a place.
    depth: usize,
}

/// The names of the functions among some statements.
pub(crate) fn functions_of<'a>(statements: &[Statement<'a>]) -> FxHashSet<Ident<'a>> {
    let declared = statements.iter().filter_map(|statement| match statement {
        Statement::FunctionDeclaration(function) => function.id.as_ref(),
        _ => None,
    });
    declared.map(|name: &BindingIdentifier<'a>| name.name).collect()
}

impl<'a> Writer<'a> {
    /// Visits what a function or a script consists of.
    fn enter(&mut self, statements: &mut Vec<'a, Statement<'a>>, functions: FxHashSet<Ident<'a>>) {
        let others = std::mem::replace(&mut self.others, Vec::new_in(&self.builder));
        let functions = std::mem::replace(&mut self.functions, functions);
        let (caught, depth) = (std::mem::take(&mut self.caught), std::mem::take(&mut self.depth));
        walk_mut::walk_statements(self, statements);
        (self.functions, self.caught, self.depth) = (functions, caught, depth);
        let others = std::mem::replace(&mut self.others, others);
        if !others.is_empty() {
            let kind = VariableDeclarationKind::Var;
            statements.push(Statement::new_variable_declaration(SPAN, kind, others, false, &self.builder));
        }
    }

    fn is_conflict(&self, declaration: &VariableDeclaration<'a>) -> bool {
        let mut names = declaration.declarations.iter().flat_map(|one| one.id.get_binding_identifiers());
        // Beside the functions oxc allows it.
        self.depth > 1
            && declaration.kind.is_var()
            && !declaration.declare
            && names.any(|name| self.functions.contains(&name.name) || self.caught.contains(&name.name))
    }

    /// Takes the pattern of a declaration, whose other names are declared elsewhere.
    fn take_pattern(&mut self, declarator: &mut VariableDeclarator<'a>) -> BindingPattern<'a> {
        let builder = &self.builder;
        let names = declarator.id.get_binding_identifiers().into_iter();
        for name in names.filter(|name| !self.functions.contains(&name.name)) {
            let pattern = BindingPattern::new_binding_identifier(name.span, name.name, builder);
            self.others.push(VariableDeclarator::new(name.span, pattern, None, None, false, builder));
        }
        let empty = BindingPattern::new_array_pattern(SPAN, Vec::new_in(builder), None, builder);
        std::mem::replace(&mut declarator.id, empty)
    }

    /// The values of a declaration as assignments; `None` if it has none.
    fn assignments(&mut self, declaration: &mut VariableDeclaration<'a>) -> Option<Expression<'a>> {
        let mut all = Vec::new_in(&self.builder);
        for declarator in &mut declaration.declarations {
            let pattern = self.take_pattern(declarator);
            let Some(value) = declarator.init.take() else { continue };
            let builder = &self.builder;
            let target = pattern.into_assignment_target(builder);
            let operator = AssignmentOperator::Assign;
            all.push(Expression::new_assignment_expression(declarator.span, operator, target, value, builder));
        }
        if all.len() > 1 { Some(Expression::new_sequence_expression(SPAN, all, &self.builder)) } else { all.pop() }
    }
}

impl<'a> VisitMut<'a> for Writer<'a> {
    fn visit_program(&mut self, program: &mut Program<'a>) {
        let functions = if self.is_script { functions_of(&program.body) } else { FxHashSet::default() };
        self.enter(&mut program.body, functions);
    }

    fn visit_function_body(&mut self, body: &mut FunctionBody<'a>) {
        let functions = functions_of(&body.statements);
        self.enter(&mut body.statements, functions);
    }

    fn visit_static_block(&mut self, block: &mut StaticBlock<'a>) {
        let functions = functions_of(&block.body);
        self.enter(&mut block.body, functions);
    }

    fn visit_ts_module_block(&mut self, block: &mut TSModuleBlock<'a>) {
        let functions = functions_of(&block.body);
        self.enter(&mut block.body, functions);
    }

    fn visit_catch_clause(&mut self, clause: &mut CatchClause<'a>) {
        // A pattern may not have the name of a variable.
        let parameter = clause.param.as_ref().and_then(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(name) => Some(name.name),
            _ => None,
        });
        self.caught.extend(parameter);
        walk_mut::walk_catch_clause(self, clause);
        if parameter.is_some() {
            self.caught.pop();
        }
    }

    fn visit_statement(&mut self, statement: &mut Statement<'a>) {
        self.depth += 1;
        walk_mut::walk_statement(self, statement);
        if let Statement::VariableDeclaration(declaration) = statement
            && self.is_conflict(declaration)
        {
            let (span, assignments) = (declaration.span, self.assignments(declaration));
            *statement = match assignments {
                Some(assignments) => Statement::new_expression_statement(span, assignments, &self.builder),
                None => Statement::new_empty_statement(span, &self.builder),
            };
        }
        self.depth -= 1;
    }

    fn visit_for_statement_init(&mut self, init: &mut ForStatementInit<'a>) {
        walk_mut::walk_for_statement_init(self, init);
        self.depth += 1;
        if let ForStatementInit::VariableDeclaration(declaration) = init
            && self.is_conflict(declaration)
        {
            // A loop without a first step would need another form of its head: `void 0` does nothing.
            let assignments = self.assignments(declaration);
            *init = assignments.unwrap_or_else(|| crate::rules::undefined(SPAN, &self.builder)).into();
        }
        self.depth -= 1;
    }

    fn visit_for_statement_left(&mut self, left: &mut ForStatementLeft<'a>) {
        walk_mut::walk_for_statement_left(self, left);
        self.depth += 1;
        if let ForStatementLeft::VariableDeclaration(declaration) = left
            && self.is_conflict(declaration)
            && let [declarator] = declaration.declarations.as_mut_slice()
        {
            let pattern = self.take_pattern(declarator);
            *left = ForStatementLeft::from(pattern.into_assignment_target(&self.builder));
        }
        self.depth -= 1;
    }
}
