//! What a module of JavaScript has that a pass over its tree would look for, found in one walk: each pass over a large module takes a
//! tenth of the time that it takes to parse it, and most find nothing.

use oxc::ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetPropertyProperty, BindingIdentifier,
    BindingPattern, BlockStatement, CallExpression, CatchClause, Class, ComputedMemberExpression,
    ConditionalExpression, Expression, ForStatementInit, ForStatementLeft, Function, FunctionBody, IdentifierReference,
    IfStatement, ImportExpression, JSXElement, JSXFragment, LogicalExpression, PropertyKey, Statement, StaticBlock,
    StaticMemberExpression, SwitchStatement, TaggedTemplateExpression, TemplateElement, UnaryExpression,
    VariableDeclaration,
};
use oxc::ast_visit::{VisitJs, walk_js};
use oxc::span::Span;
use oxc::str::Ident;
use oxc::syntax::operator::UnaryOperator;
use oxc::syntax::scope::ScopeFlags;
use rolldown_common::ModuleType;
use rolldown_ecmascript::EcmaAst;
use rustc_hash::FxHashSet;

use crate::function_names::functions_of;
use crate::sloppy::is_plain;

/// Names of the module's surroundings of which it matters whether a module declares them.
const NAMES: [&str; 4] = ["require", "module", "__dirname", "__filename"];

/// What was found, in the tree as it was parsed.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub has_jsx: bool,
    /// Whether `typeof require`, `require.main` and `module.require` are in it, whoever declares these names.
    pub asks_type: bool,
    pub asks_main: bool,
    pub asks_module: bool,
    /// Where these are.
    pub questions: Vec<u32>,
    /// Where `__dirname` and `__filename` are.
    pub paths: Vec<u32>,
    /// Whether an `import()` has options.
    pub has_import_options: bool,
    /// Whether blocks of sloppy functions declare functions.
    pub has_block_functions: bool,
    /// Whether what a list of expressions, a logical operator or a condition gives is called, and has a `?.`.
    pub has_indirect_calls: bool,
    /// Whether template literals have escapes.
    pub has_template_escapes: bool,
    /// Whether a `var` in a block has the name of a function beside the block, or of the parameter of a `catch` around it.
    pub has_conflicts: bool,
    /// Whether it has `{ a: a = 1 } = b`.
    pub has_same_targets: bool,
    /// Whether names of members are computed of what may become a number.
    pub has_computed_keys: bool,
    declared: [bool; NAMES.len()],
    /// Conditions that are known, or will be, with all that depends on them.
    conditions: Vec<Span>,
    /// Where modules are asked for.
    requests: Vec<u32>,
}

impl Survey {
    /// Looks at a module's tree before anything of it was changed. `None` for modules with types, whose passes look for other things,
    /// and unless it `is_minified` for those whose text has no word that a pass looks for.
    pub(crate) fn of(ast: &EcmaAst, kind: &ModuleType, is_minified: bool) -> Option<Survey> {
        if !matches!(kind, ModuleType::Js | ModuleType::Jsx) {
            return None;
        }
        let program = ast.program();
        let source = ast.source().as_bytes();
        let has = |word: &str| memchr::memmem::find(source, word.as_bytes()).is_some();
        let is_module = program.body.iter().any(Statement::is_module_declaration);
        let words = ["var ", "require", "__dirname", "__filename", "import("];
        let is_wanted = is_minified || matches!(kind, ModuleType::Jsx);
        if !is_wanted && !words.into_iter().any(has) && (is_module || !has("function")) {
            return None;
        }
        let mut surveyor = Surveyor {
            found: Survey::default(),
            functions: if is_module { FxHashSet::default() } else { functions_of(&program.body) },
            caught: Vec::new(),
            depth: 0,
            is_in_block: false,
            is_strict: is_module || program.has_use_strict_directive(),
        };
        surveyor.visit_program(program);
        let mut found = surveyor.found;
        found.questions.sort_unstable();
        found.paths.sort_unstable();
        found.requests.sort_unstable();
        Some(found)
    }

    /// Whether the module declares one of some names somewhere, which are of [`NAMES`].
    pub(crate) fn declares(&self, names: &[&str]) -> bool {
        NAMES.iter().zip(self.declared).any(|(name, is_declared)| is_declared && names.contains(name))
    }

    /// Whether there are conditions that are known; of a large module those count behind which another module is asked for. `None` if
    /// passes over the tree may have made some.
    pub(crate) fn has_known_condition(&self, is_large: bool) -> Option<bool> {
        let is_as_it_was = !self.asks_main && !self.asks_module;
        is_as_it_was.then(|| self.has_condition(is_large))
    }

    fn has_condition(&self, is_large: bool) -> bool {
        self.conditions.iter().any(|span| !is_large || contains(&self.requests, *span))
    }
}

/// Whether one of some places, which are sorted, is in a part of a text. What has no part of its own may have any.
pub(crate) fn contains(places: &[u32], span: Span) -> bool {
    let first = places.partition_point(|place| *place < span.start);
    span.is_empty() || places.get(first).is_some_and(|place| *place < span.end)
}

/// Whether the value of a condition is known. With `early` also what will be a text: `__dirname`, `__filename`, and the type of `require`.
pub(crate) fn is_known(expression: &Expression<'_>, early: bool) -> bool {
    match expression {
        Expression::UnaryExpression(unary) => match unary.operator {
            UnaryOperator::LogicalNot | UnaryOperator::Void | UnaryOperator::Typeof => is_known(&unary.argument, early),
            _ => false,
        },
        Expression::BinaryExpression(binary) => is_known(&binary.left, early) && is_known(&binary.right, early),
        Expression::LogicalExpression(logical) => is_known(&logical.left, early) || is_known(&logical.right, early),
        Expression::Identifier(name) => early && matches!(name.name.as_str(), "__dirname" | "__filename" | "require"),
        other => other.is_literal(),
    }
}

struct Surveyor<'a> {
    found: Survey,
    /// The functions that are declared at the top of the function around a place; see [`crate::function_names`].
    functions: FxHashSet<Ident<'a>>,
    /// The parameters of the `catch` clauses around a place, up to that function.
    caught: Vec<Ident<'a>>,
    /// How many statements of that function are around a place.
    depth: usize,
    /// Whether a block of that function is around a place.
    is_in_block: bool,
    is_strict: bool,
}

impl<'a> Surveyor<'a> {
    /// Visits what a function consists of.
    fn enter(&mut self, functions: FxHashSet<Ident<'a>>, visit: impl FnOnce(&mut Self)) {
        let functions = std::mem::replace(&mut self.functions, functions);
        let (caught, depth) = (std::mem::take(&mut self.caught), std::mem::take(&mut self.depth));
        visit(self);
        (self.functions, self.caught, self.depth) = (functions, caught, depth);
    }

    fn in_block(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_in_block, true);
        visit(self);
        self.is_in_block = before;
    }

    /// Looks at what is called.
    fn call(&mut self, callee: &Expression<'a>) {
        self.found.has_indirect_calls |= match callee.without_parentheses() {
            Expression::ChainExpression(_) => false,
            other => gives_chain(other),
        };
    }

    fn condition(&mut self, test: &Expression<'a>, span: Span) {
        if is_known(test, true) {
            self.found.conditions.push(span);
        }
    }
}

/// Whether an expression is, or may give, one with a `?.`.
fn gives_chain(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ChainExpression(_) => true,
        Expression::SequenceExpression(sequence) => sequence.expressions.last().is_some_and(gives_chain),
        Expression::LogicalExpression(logical) => gives_chain(&logical.right),
        Expression::ConditionalExpression(conditional) => {
            gives_chain(&conditional.consequent) || gives_chain(&conditional.alternate)
        }
        _ => false,
    }
}

impl<'a> VisitJs<'a> for Surveyor<'a> {
    fn visit_jsx_element(&mut self, element: &JSXElement<'a>) {
        self.found.has_jsx = true;
        walk_js::walk_jsx_element(self, element);
    }

    fn visit_jsx_fragment(&mut self, fragment: &JSXFragment<'a>) {
        self.found.has_jsx = true;
        walk_js::walk_jsx_fragment(self, fragment);
    }

    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        if let Some(at) = NAMES.iter().position(|name| *name == identifier.name.as_str()) {
            self.found.declared[at] = true;
        }
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        if matches!(identifier.name.as_str(), "__dirname" | "__filename") {
            self.found.paths.push(identifier.span.start);
        }
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        if unary.operator == UnaryOperator::Typeof && unary.argument.is_specific_id("require") {
            self.found.asks_type = true;
            self.found.questions.push(unary.span.start);
        }
        walk_js::walk_unary_expression(self, unary);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if let Expression::Identifier(object) = &member.object {
            let is_main = member.property.name == "main" && object.name == "require";
            let is_of_module = member.property.name == "require" && object.name == "module";
            self.found.asks_main |= is_main;
            self.found.asks_module |= is_of_module;
            if is_main || is_of_module {
                self.found.questions.push(member.span.start);
            }
        }
        walk_js::walk_static_member_expression(self, member);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        if member.object.is_specific_id("module")
            && matches!(&member.expression, Expression::StringLiteral(name) if name.value == "require")
        {
            self.found.asks_module = true;
            self.found.questions.push(member.span.start);
        }
        walk_js::walk_computed_member_expression(self, member);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.call(&call.callee);
        if call.callee.is_specific_id("require") {
            self.found.requests.push(call.span.start);
        }
        walk_js::walk_call_expression(self, call);
    }

    fn visit_template_element(&mut self, element: &TemplateElement<'a>) {
        self.found.has_template_escapes |= element.value.raw.contains('\\');
    }

    fn visit_tagged_template_expression(&mut self, tagged: &TaggedTemplateExpression<'a>) {
        self.call(&tagged.tag);
        walk_js::walk_tagged_template_expression(self, tagged);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.found.has_import_options |= import.options.is_some();
        self.found.requests.push(import.span.start);
        walk_js::walk_import_expression(self, import);
    }

    fn visit_property_key(&mut self, key: &PropertyKey<'a>) {
        self.found.has_computed_keys |= match key {
            PropertyKey::StaticIdentifier(_)
            | PropertyKey::PrivateIdentifier(_)
            | PropertyKey::StringLiteral(_)
            | PropertyKey::TemplateLiteral(_)
            | PropertyKey::NumericLiteral(_)
            | PropertyKey::BigIntLiteral(_) => false,
            PropertyKey::StaticMemberExpression(member) => !member.object.is_specific_id("Symbol"),
            _ => true,
        };
        walk_js::walk_property_key(self, key);
    }

    fn visit_assignment_target_property_property(&mut self, property: &AssignmentTargetPropertyProperty<'a>) {
        if let AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(value) = &property.binding
            && let AssignmentTarget::AssignmentTargetIdentifier(target) = &value.binding
        {
            let is_same = property.name.static_name().is_some_and(|name| name == target.name.as_str());
            self.found.has_same_targets |= is_same;
        }
        walk_js::walk_assignment_target_property_property(self, property);
    }

    fn visit_conditional_expression(&mut self, expression: &ConditionalExpression<'a>) {
        self.condition(&expression.test, expression.span);
        walk_js::walk_conditional_expression(self, expression);
    }

    fn visit_logical_expression(&mut self, expression: &LogicalExpression<'a>) {
        self.condition(&expression.left, expression.span);
        walk_js::walk_logical_expression(self, expression);
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.condition(&statement.test, statement.span);
        self.in_block(|surveyor| walk_js::walk_if_statement(surveyor, statement));
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        self.in_block(|surveyor| walk_js::walk_block_statement(surveyor, block));
    }

    fn visit_switch_statement(&mut self, switch: &SwitchStatement<'a>) {
        self.in_block(|surveyor| walk_js::walk_switch_statement(surveyor, switch));
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        let before = std::mem::replace(&mut self.is_strict, true);
        walk_js::walk_class(self, class);
        self.is_strict = before;
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.found.has_block_functions |= self.is_in_block && !self.is_strict && is_plain(function);
        let before = (self.is_strict, std::mem::take(&mut self.is_in_block));
        self.is_strict |= function.has_use_strict_directive();
        walk_js::walk_function(self, function, flags);
        (self.is_strict, self.is_in_block) = before;
    }

    fn visit_function_body(&mut self, body: &FunctionBody<'a>) {
        // Bodies of arrow functions come here only.
        let before = (self.is_strict, std::mem::take(&mut self.is_in_block));
        self.is_strict |= body.has_use_strict_directive();
        self.enter(functions_of(&body.statements), |surveyor| walk_js::walk_function_body(surveyor, body));
        (self.is_strict, self.is_in_block) = before;
    }

    fn visit_static_block(&mut self, block: &StaticBlock<'a>) {
        self.enter(functions_of(&block.body), |surveyor| walk_js::walk_static_block(surveyor, block));
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause<'a>) {
        let parameter = clause.param.as_ref().and_then(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(name) => Some(name.name),
            _ => None,
        });
        self.caught.extend(parameter);
        walk_js::walk_catch_clause(self, clause);
        if parameter.is_some() {
            self.caught.pop();
        }
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        self.depth += 1;
        walk_js::walk_statement(self, statement);
        self.depth -= 1;
    }

    fn visit_for_statement_init(&mut self, init: &ForStatementInit<'a>) {
        self.depth += 1;
        walk_js::walk_for_statement_init(self, init);
        self.depth -= 1;
    }

    fn visit_for_statement_left(&mut self, left: &ForStatementLeft<'a>) {
        self.depth += 1;
        walk_js::walk_for_statement_left(self, left);
        self.depth -= 1;
    }

    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        if self.depth > 1 && declaration.kind.is_var() && !(self.functions.is_empty() && self.caught.is_empty()) {
            let mut names = declaration.declarations.iter().flat_map(|one| one.id.get_binding_identifiers());
            self.found.has_conflicts |=
                names.any(|name| self.functions.contains(&name.name) || self.caught.contains(&name.name));
        }
        walk_js::walk_variable_declaration(self, declaration);
    }
}
