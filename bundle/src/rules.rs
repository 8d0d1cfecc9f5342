//! What Bun's parser decides about a module before it is linked: `import.meta.hot` of a build without hot replacement,
//! `require.main`, `typeof require`, the places of `feature()`, and imports whose specifier nobody knows.

use std::mem;

use oxc::allocator::{Allocator, TakeIn};
use oxc::ast::ast::{
    Argument, AssignmentExpression, AssignmentOperator, AssignmentTarget, BindingIdentifier, CallExpression,
    ChainElement, ConditionalExpression, Expression, IdentifierName, IdentifierReference, IfStatement,
    ImportDeclarationSpecifier, ImportExpression, JSXAttributeItem, JSXAttributeName, JSXOpeningElement,
    ModuleExportName, NumberBase, Program, Statement, TemplateLiteral, UnaryOperator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{Visit, VisitMut, walk, walk_mut};
use oxc::parser::Parser;
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::{GetSpan, SourceType, Span};
use oxc::syntax::operator::BinaryOperator;
use rolldown_ecmascript::EcmaAst;

use crate::options::{BuildOptions, Format};
use crate::survey::{self, Survey};

/// A mistake in a module.
#[derive(Debug)]
pub(crate) struct Finding {
    pub text: String,
    /// In bytes of the module's text.
    pub span: Span,
    pub notes: Vec<String>,
}

/// Changes what has to be changed, and gives what is wrong. `is_entry`: whether the module is an entry point, so whether it may be what
/// the program began with; nothing if nobody knows.
pub(crate) fn apply(
    ast: &mut EcmaAst,
    options: &BuildOptions,
    is_entry: Option<bool>,
    survey: Option<&Survey>,
) -> Vec<Finding> {
    let source = ast.source().clone();
    let has = |text: &str| memchr::memmem::find(source.as_bytes(), text.as_bytes()).is_some();
    let hot = has("import.meta.hot") && !options.define.contains_key("import.meta.hot");
    let of_file = has("import.meta.main") && !options.define.contains_key("import.meta.main");
    let feature = has("bun:bundle");
    let require = has("require");
    let unknown = options.allow_unresolved.is_some() && (require || has("import("));
    let (of_module, asks_type, asks_main) = match survey {
        _ if !require => (false, false, false),
        Some(survey) => (survey.asks_module, survey.asks_type || survey.asks_module, survey.asks_main),
        None => {
            let (asks_type, asks_main) = questions_about_require(source.as_bytes());
            (has("module.require") || has("module["), asks_type, asks_main)
        }
    };
    let mut findings = Vec::new();
    if has("return") && ast.program().body.iter().any(Statement::is_module_declaration) {
        ast.program().body.iter().for_each(|statement| find_returns(statement, &mut findings));
    }
    if !hot && !of_file && !feature && !unknown && !of_module && !asks_type && !asks_main {
        return findings;
    }
    ast.program.with_mut(|fields| {
        let program = fields.program;
        // Large files often call the parameter of a function `module`.
        let names: &[&str] = if of_module || asks_main { &["require", "module"] } else { &["require"] };
        let free = FreeNames::of(program, names, survey);
        let places = survey.filter(|_| !hot && !of_file && !feature && !unknown);
        let places = places.map(|survey| survey.questions.as_slice());
        let feature = if feature { feature_name(program) } else { None };
        let builder = AstBuilder::new(fields.allocator);
        let mut rules =
            Rules { builder, options, free, places, hot, of_file, is_entry, feature, is_condition: false, findings };
        rules.visit_program(program);
        rules.findings
    })
}

/// Whether a text may have `typeof require`, and whether it may have `require.main`. Comments between the words count as if they had
/// them.
fn questions_about_require(source: &[u8]) -> (bool, bool) {
    let (mut asks_type, mut asks_main) = (false, false);
    for at in memchr::memmem::find_iter(source, b"require") {
        let before = source[..at].trim_ascii_end();
        let before = before.strip_suffix(b"(").unwrap_or(before).trim_ascii_end();
        let behind = source[at + b"require".len()..].trim_ascii_start();
        asks_type |= [b"typeof".as_slice(), b"*/", b"("].iter().any(|end| before.ends_with(end));
        asks_main |= is_member(behind, b"main");
    }
    (asks_type, asks_main)
}

/// Whether a text begins with a member of a name, behind white space, closing brackets or a comment.
fn is_member(text: &[u8], name: &[u8]) -> bool {
    let is_comment = |text: &[u8]| text.starts_with(b"/*") || text.starts_with(b"//");
    let at = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b')').count();
    let text = &text[at..];
    let member = text.strip_prefix(b".").map(<[u8]>::trim_ascii_start);
    is_comment(text) || member.is_some_and(|member| member.starts_with(name) || is_comment(member))
}

/// Takes ambient declarations away, which say what is elsewhere: a declaration of the same name beside them is none too many.
pub(crate) fn remove_ambient(ast: &mut EcmaAst) {
    if memchr::memmem::find(ast.source().as_bytes(), b"declare").is_none() {
        return;
    }
    ast.program.with_mut(|fields| {
        fields.program.body.retain(|statement| match statement {
            Statement::VariableDeclaration(declaration) => !declaration.declare,
            Statement::FunctionDeclaration(function) => !function.declare,
            Statement::ClassDeclaration(class) => !class.declare,
            Statement::TSEnumDeclaration(declaration) => !declaration.declare,
            Statement::TSNamespaceDeclaration(declaration) => !declaration.declare,
            Statement::TSExternalModuleDeclaration(declaration) => !declaration.declare,
            _ => true,
        });
    });
}

/// What is not quite right in a module with JSX, and works all the same.
pub(crate) fn jsx_warnings(ast: &EcmaAst) -> Vec<Finding> {
    let has = |text: &[u8]| memchr::memmem::find(ast.source().as_bytes(), text).is_some();
    if !has(b"{...") || !has(b"key") {
        return Vec::new();
    }
    let mut keys = LateKeys { findings: Vec::new() };
    keys.visit_program(ast.program());
    keys.findings
}

/// Finds keys behind spread properties, which only the classic runtime can make an element of.
struct LateKeys {
    findings: Vec<Finding>,
}

impl<'a> Visit<'a> for LateKeys {
    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        let mut has_spread = false;
        for item in &element.attributes {
            match item {
                JSXAttributeItem::SpreadAttribute(_) => has_spread = true,
                JSXAttributeItem::Attribute(attribute) => {
                    let is_key = matches!(&attribute.name, JSXAttributeName::Identifier(name) if name.name == "key");
                    if has_spread && is_key {
                        self.findings.push(Finding {
                            text: "\"key\" prop after a {...spread} is deprecated in JSX. Falling back to classic runtime."
                                .to_string(),
                            span: attribute.span,
                            notes: Vec::new(),
                        });
                    }
                }
            }
        }
        walk::walk_jsx_opening_element(self, element);
    }
}

/// Whether a text is a module of JavaScript with imports or exports.
pub(crate) fn is_module(text: &str) -> bool {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    !parsed.panicked && parsed.program.body.iter().any(Statement::is_module_declaration)
}

/// Notes `return` outside of functions, which modules cannot have.
fn find_returns(statement: &Statement<'_>, findings: &mut Vec<Finding>) {
    match statement {
        Statement::ReturnStatement(found) => findings.push(Finding {
            text: "Top-level return cannot be used inside an ECMAScript module".to_string(),
            span: Span::new(found.span.start, found.span.start + 6),
            notes: Vec::new(),
        }),
        Statement::BlockStatement(block) => block.body.iter().for_each(|inner| find_returns(inner, findings)),
        Statement::IfStatement(branch) => {
            find_returns(&branch.consequent, findings);
            branch.alternate.iter().for_each(|inner| find_returns(inner, findings));
        }
        Statement::TryStatement(attempt) => attempt.block.body.iter().for_each(|inner| find_returns(inner, findings)),
        _ => {}
    }
}

/// What `feature` of "bun:bundle" is called here.
pub(crate) fn feature_name(program: &Program<'_>) -> Option<String> {
    program.body.iter().find_map(|statement| {
        let Statement::ImportDeclaration(import) = statement else { return None };
        let specifiers = import.specifiers.as_ref().filter(|_| import.source.value == "bun:bundle")?;
        specifiers.iter().find_map(|specifier| match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(specifier) => match &specifier.imported {
                ModuleExportName::IdentifierName(name) if name.name == "feature" => {
                    Some(specifier.local.name.to_string())
                }
                _ => None,
            },
            _ => None,
        })
    })
}

/// Which uses of some names are of what the module does not declare itself.
#[derive(Debug)]
pub(crate) enum FreeNames<'n> {
    /// The module declares none of these names. Of others nothing is known.
    Undeclared(&'n [&'n str]),
    Scopes(Box<Scoping>),
}

impl<'n> FreeNames<'n> {
    /// Only a module that declares one of `names` somewhere needs scopes, which take five times as long as a walk.
    pub(crate) fn of(program: &Program<'_>, names: &'n [&'n str], survey: Option<&Survey>) -> FreeNames<'n> {
        let mut declared = Declared { names, is_found: false };
        match survey {
            Some(survey) => declared.is_found = survey.declares(names),
            None => declared.visit_program(program),
        }
        if declared.is_found { FreeNames::by_scopes(program) } else { FreeNames::Undeclared(names) }
    }

    /// For any names.
    pub(crate) fn by_scopes(program: &Program<'_>) -> FreeNames<'n> {
        FreeNames::Scopes(Box::new(SemanticBuilder::new().build(program).semantic.into_scoping()))
    }

    /// Whether a use is of what the module does not declare.
    pub(crate) fn is_free(&self, identifier: &IdentifierReference<'_>) -> bool {
        match self {
            FreeNames::Undeclared(names) => names.contains(&identifier.name.as_str()),
            FreeNames::Scopes(scoping) => {
                identifier.reference_id.get().is_none_or(|id| scoping.get_reference(id).symbol_id().is_none())
            }
        }
    }
}

/// Looks for declarations of names.
struct Declared<'n> {
    names: &'n [&'n str],
    is_found: bool,
}

impl<'a> Visit<'a> for Declared<'_> {
    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        self.is_found |= self.names.contains(&identifier.name.as_str());
    }
}

/// `void 0`.
pub(crate) fn undefined<'a>(span: Span, builder: &AstBuilder<'a>) -> Expression<'a> {
    let zero = Expression::new_numeric_literal(span, 0.0, None, NumberBase::Decimal, builder);
    Expression::new_unary_expression(span, UnaryOperator::Void, zero, builder)
}

struct Rules<'a, 'b> {
    builder: AstBuilder<'a>,
    options: &'b BuildOptions,
    free: FreeNames<'b>,
    /// Where all is that is to be changed, if that is known.
    places: Option<&'b [u32]>,
    /// Whether `import.meta.hot` goes.
    hot: bool,
    feature: Option<String>,
    /// Whether the module may ask for `import.meta.main`.
    of_file: bool,
    is_entry: Option<bool>,
    /// Whether the expression that comes next is a condition, where `feature()` may stand.
    is_condition: bool,
    findings: Vec<Finding>,
}

impl<'a> Rules<'a, '_> {
    fn is_free_name(&self, expression: &Expression<'a>, name: &str) -> bool {
        matches!(expression, Expression::Identifier(identifier) if identifier.name == name && self.free.is_free(identifier))
    }

    /// Whether an expression is `module.require`, the module's `require` (https://nodejs.org/api/modules.html#modulerequireid).
    fn is_module_require(&self, expression: &Expression<'a>) -> bool {
        let is_require = match expression {
            Expression::StaticMemberExpression(member) => member.property.name == "require",
            Expression::ComputedMemberExpression(member) => {
                matches!(&member.expression, Expression::StringLiteral(name) if name.value == "require")
            }
            _ => false,
        };
        is_require
            && expression.as_member_expression().is_some_and(|member| self.is_free_name(member.object(), "module"))
    }

    /// Whether an expression is a free name with a member: `require.main`.
    fn is_member_of(&self, expression: &Expression<'a>, object: &str, property: &str) -> bool {
        matches!(expression, Expression::StaticMemberExpression(member)
            if member.property.name == property && self.is_free_name(&member.object, object))
    }

    /// Whether the module is what the program began with: its file's answer in an entry point, `false` elsewhere, where the file would
    /// answer for the module that it begins with.
    fn main(&self, span: Span, is_negated: bool) -> Expression<'a> {
        if self.is_entry == Some(false) {
            return Expression::new_boolean_literal(span, is_negated, &self.builder);
        }
        let member = |object, name| {
            let name = IdentifierName::new(span, name, &self.builder);
            Expression::new_static_member_expression(span, object, name, false, &self.builder)
        };
        if self.options.format == Format::Cjs {
            let main = member(Expression::new_identifier(span, "require", &self.builder), "main");
            let module = Expression::new_identifier(span, "module", &self.builder);
            let operator = if is_negated { BinaryOperator::StrictInequality } else { BinaryOperator::StrictEquality };
            return Expression::new_binary_expression(span, main, operator, module, &self.builder);
        }
        let main = member(Expression::new_import_meta(span, &self.builder), "main");
        if is_negated {
            Expression::new_unary_expression(span, UnaryOperator::LogicalNot, main, &self.builder)
        } else {
            main
        }
    }

    /// What stands for an expression with `import.meta.hot` in it.
    fn without_hot(&self, expression: &mut Expression<'a>) -> Option<Expression<'a>> {
        let span = expression.span();
        match expression {
            Expression::CallExpression(call) => is_below_hot(&call.callee).then(|| undefined(span, &self.builder)),
            Expression::ChainExpression(chain) => {
                let is_hot = match &chain.expression {
                    ChainElement::CallExpression(call) => is_below_hot(&call.callee),
                    ChainElement::StaticMemberExpression(member) => is_hot(&member.object),
                    _ => false,
                };
                is_hot.then(|| undefined(span, &self.builder))
            }
            Expression::AssignmentExpression(assignment) => {
                let AssignmentExpression { operator, left, right, .. } = &mut **assignment;
                let is_data = match left {
                    AssignmentTarget::StaticMemberExpression(member) => is_below_hot(&member.object),
                    AssignmentTarget::ComputedMemberExpression(member) => is_below_hot(&member.object),
                    _ => false,
                };
                let takes_value = matches!(
                    operator,
                    AssignmentOperator::Assign | AssignmentOperator::LogicalNullish | AssignmentOperator::LogicalOr
                );
                (is_data && takes_value).then(|| right.take_in(&self.builder))
            }
            Expression::StaticMemberExpression(member) if member.property.name == "data" && is_hot(&member.object) => {
                Some(Expression::new_object_expression(span, [], &self.builder))
            }
            other if is_hot(other) => Some(undefined(span, &self.builder)),
            _ => None,
        }
    }

    /// Checks a specifier that is no text against the option `allowUnresolved`.
    fn check_specifier(&mut self, shape: &str, what: &str, span: Span) {
        let Some(allowed) = &self.options.allow_unresolved else { return };
        if allowed.iter().any(|pattern| pattern == "*" || matches_glob(pattern, shape)) {
            return;
        }
        let note = if shape.is_empty() {
            "To allow opaque dynamic specifiers, use Bun.build({ allowUnresolved: [\"\"] }) or pass --allow-unresolved with an empty-string pattern".to_string()
        } else {
            format!(
                "The specifier shape \"{shape}\" does not match any --allow-unresolved pattern. To allow it, add a matching pattern: Bun.build({{ allowUnresolved: [\"{shape}\"] }}) or --allow-unresolved '{shape}'"
            )
        };
        self.findings.push(Finding {
            text: format!("This {what} expression will not be bundled because the argument is not a string literal"),
            span,
            notes: vec![note],
        });
    }

    fn check_call(&mut self, call: &CallExpression<'a>) {
        let what = if self.is_free_name(&call.callee, "require") {
            "require()"
        } else if self.is_member_of(&call.callee, "require", "resolve") {
            "require.resolve()"
        } else {
            return;
        };
        if let Some(argument) = call.arguments.first().and_then(Argument::as_expression)
            && let Some(shape) = shape_of(argument)
        {
            self.check_specifier(&shape, what, call.span);
        }
    }

    /// Checks a call of `feature()`.
    fn check_feature(&mut self, call: &CallExpression<'a>, is_condition: bool) {
        let text = match call.arguments.as_slice() {
            [Argument::StringLiteral(_)] if is_condition => return,
            [Argument::StringLiteral(_)] => {
                "feature() from \"bun:bundle\" can only be used directly in an if statement or ternary condition"
            }
            [_] => "feature() argument must be a string literal",
            _ => "feature() requires exactly one string argument",
        };
        self.findings.push(Finding { text: text.to_string(), span: call.span, notes: Vec::new() });
    }

    fn visit_condition(&mut self, test: &mut Expression<'a>) {
        self.is_condition = true;
        self.visit_expression(test);
        self.is_condition = false;
    }
}

/// Whether an expression is `import.meta.hot`.
fn is_hot(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::StaticMemberExpression(member)
        if member.property.name == "hot" && matches!(member.object, Expression::ImportMeta(_)))
}

/// Whether an expression is a member of `import.meta.hot`, or of one of its members.
fn is_below_hot(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::StaticMemberExpression(member) => is_hot(&member.object) || is_below_hot(&member.object),
        Expression::ComputedMemberExpression(member) => is_hot(&member.object) || is_below_hot(&member.object),
        _ => false,
    }
}

/// The shape of a specifier that is no text: `*` for what is not known, nothing if all of it is unknown.
fn shape_of(specifier: &Expression<'_>) -> Option<String> {
    match specifier {
        Expression::StringLiteral(_) => None,
        Expression::TemplateLiteral(template) => shape_of_template(template),
        _ => Some(String::new()),
    }
}

fn shape_of_template(template: &TemplateLiteral<'_>) -> Option<String> {
    if template.expressions.is_empty() {
        return None;
    }
    let texts = template.quasis.iter().map(|part| part.value.cooked.as_ref().map_or("", |text| text.as_str()));
    Some(texts.collect::<Vec<_>>().join("*"))
}

/// Whether a text is as a pattern says, in which `*` stands for any text.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

impl<'a> VisitMut<'a> for Rules<'a, '_> {
    fn visit_statement(&mut self, statement: &mut Statement<'a>) {
        if self.places.is_none_or(|places| survey::contains(places, statement.span())) {
            walk_mut::walk_statement(self, statement);
        }
    }

    fn visit_if_statement(&mut self, statement: &mut IfStatement<'a>) {
        self.visit_condition(&mut statement.test);
        self.visit_statement(&mut statement.consequent);
        if let Some(alternate) = &mut statement.alternate {
            self.visit_statement(alternate);
        }
    }

    fn visit_conditional_expression(&mut self, expression: &mut ConditionalExpression<'a>) {
        self.visit_condition(&mut expression.test);
        self.visit_expression(&mut expression.consequent);
        self.visit_expression(&mut expression.alternate);
    }

    fn visit_import_expression(&mut self, import: &mut ImportExpression<'a>) {
        if let Some(shape) = shape_of(&import.source) {
            self.check_specifier(&shape, "import()", import.source.span());
        }
        walk_mut::walk_import_expression(self, import);
    }

    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        let is_condition = mem::take(&mut self.is_condition);
        if self.places.is_some_and(|places| !survey::contains(places, expression.span())) {
            return;
        }
        if self.hot
            && let Some(instead) = self.without_hot(expression)
        {
            *expression = instead;
        }
        if self.is_module_require(expression) {
            *expression = Expression::new_identifier(expression.span(), "require", &self.builder);
        }
        match expression {
            // `delete require` is not what it was, and no code of modules.
            Expression::UnaryExpression(unary)
                if unary.operator == UnaryOperator::Delete && self.is_module_require(&unary.argument) =>
            {
                return;
            }
            Expression::UnaryExpression(unary)
                if unary.operator == UnaryOperator::Typeof
                    && (self.is_free_name(&unary.argument, "require") || self.is_module_require(&unary.argument)) =>
            {
                *expression = Expression::new_string_literal(unary.span, "function", None, &self.builder);
                return;
            }
            // Parts of a condition that are conditions themselves.
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
                self.is_condition = is_condition;
            }
            Expression::LogicalExpression(logical) if is_condition => {
                self.visit_condition(&mut logical.left);
                self.visit_condition(&mut logical.right);
                return;
            }
            Expression::StaticMemberExpression(member)
                if self.of_file
                    && member.property.name == "main"
                    && matches!(member.object, Expression::ImportMeta(_))
                    && (self.is_entry == Some(false) || self.options.format == Format::Cjs) =>
            {
                *expression = self.main(member.span, false);
                return;
            }
            Expression::BinaryExpression(binary)
                if self.options.format == Format::Esm || self.is_entry == Some(false) =>
            {
                let is_negated = match binary.operator {
                    BinaryOperator::Equality | BinaryOperator::StrictEquality => Some(false),
                    BinaryOperator::Inequality | BinaryOperator::StrictInequality => Some(true),
                    _ => None,
                };
                let is_main = |one: &Expression<'a>, other: &Expression<'a>| {
                    self.is_member_of(one, "require", "main") && self.is_free_name(other, "module")
                };
                if let Some(is_negated) = is_negated
                    && (is_main(&binary.left, &binary.right) || is_main(&binary.right, &binary.left))
                {
                    *expression = self.main(binary.span, is_negated);
                    return;
                }
            }
            Expression::CallExpression(call) => {
                if let (Expression::Identifier(callee), Some(feature)) = (&call.callee, &self.feature)
                    && callee.name == feature.as_str()
                {
                    self.check_feature(call, is_condition);
                }
                self.check_call(call);
            }
            _ => {}
        }
        walk_mut::walk_expression(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::{is_module, matches_glob};

    #[test]
    fn modules_are_told_from_data() {
        assert!(is_module("var a = 1;\nexport { a };") && is_module("export default {\"a\": 1};"));
        let data = ["{ \"a\": \"export default 1\" }", "a: 1\nb: export", "[export]\na = 1", "a { color: red }", "1"];
        assert!(!data.into_iter().any(is_module));
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text) in [("", ""), ("./a/*", "./a/*.js"), ("./a/*/b/*.js", "./a/*/b/*.js"), ("*", "x")] {
            assert!(matches_glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "./a/*.js"), ("./locales/*", "./vendor/*.js"), ("./a", "./a/*")] {
            assert!(!matches_glob(pattern, text), "{pattern} {text}");
        }
    }
}
