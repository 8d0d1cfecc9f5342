//! What there is to complete at the end of a line, and how to look at it without running anything.

use oxc_ast::ast::*;
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};

use super::{Goal, Language, bound_names, parse};

/// The end of a line that can be evaluated for completion: `obj.b` of `const a = obj.b`, `tru` of `{ a: tru`. `None` if there is
/// no such end.
#[must_use]
pub fn completion_target(line: &str) -> Option<String> {
    let mut code = line;
    // Dots at the end, which are no part of an expression yet; the last comes first.
    let mut links = Vec::new();
    loop {
        if code.is_empty() {
            return None;
        }
        if let Some((rest, link)) = ["?.", "."].iter().find_map(|link| Some((code.strip_suffix(link)?, *link))) {
            code = rest;
            links.push(link);
            continue;
        }
        match parse(code, Goal::Session, Language::JavaScript, last_piece) {
            Ok(Piece::Inside(span)) => code = span.source_text(code),
            Ok(Piece::Whole(span)) => {
                links.push(span.source_text(code));
                links.reverse();
                return Some(links.concat());
            }
            Ok(Piece::Nothing) => return None,
            // Perhaps of something that is not closed yet: the last word.
            Err(_) => code = &code[code.rfind(' ')? + 1..],
        }
    }
}

/// What of a program the end may be.
enum Piece {
    Whole(Span),
    /// An expression, which is looked at on its own.
    Inside(Span),
    Nothing,
}

fn last_piece(program: &Program<'_>) -> Piece {
    let Some(last) = program.body.last() else {
        return program.directives.last().map_or(Piece::Nothing, |directive| Piece::Whole(directive.span));
    };
    match last {
        Statement::BlockStatement(_) => return Piece::Nothing,
        Statement::VariableDeclaration(declaration) => {
            let init = declaration.declarations.last().and_then(|declarator| declarator.init.as_ref());
            return init.map_or(Piece::Nothing, |init| Piece::Inside(init.span()));
        }
        Statement::ExpressionStatement(statement) => {
            let part = match &statement.expression {
                Expression::AssignmentExpression(it) => Some(it.right.span()),
                Expression::BinaryExpression(it) => Some(it.right.span()),
                Expression::LogicalExpression(it) => Some(it.right.span()),
                Expression::PrivateInExpression(it) => Some(it.right.span()),
                Expression::UnaryExpression(it) => Some(it.argument.span()),
                Expression::AwaitExpression(it) => Some(it.argument.span()),
                Expression::NewExpression(it) => Some(it.callee.span()),
                _ => None,
            };
            if let Some(span) = part {
                return Piece::Inside(span);
            }
        }
        _ => {}
    }
    let mut effects = Effects(false);
    effects.visit_statement(last);
    if effects.0 { Piece::Nothing } else { Piece::Whole(last.span()) }
}

/// Whether code has parts that do more than to give a value.
struct Effects(bool);

impl<'a> VisitJs<'a> for Effects {
    fn visit_for_in_statement(&mut self, _: &ForInStatement<'a>) {
        self.0 = true;
    }

    fn visit_for_of_statement(&mut self, _: &ForOfStatement<'a>) {
        self.0 = true;
    }

    fn visit_call_expression(&mut self, _: &CallExpression<'a>) {
        self.0 = true;
    }

    fn visit_new_expression(&mut self, _: &NewExpression<'a>) {
        self.0 = true;
    }

    fn visit_tagged_template_expression(&mut self, _: &TaggedTemplateExpression<'a>) {
        self.0 = true;
    }

    fn visit_import_expression(&mut self, _: &ImportExpression<'a>) {
        self.0 = true;
    }

    fn visit_assignment_expression(&mut self, _: &AssignmentExpression<'a>) {
        self.0 = true;
    }

    fn visit_update_expression(&mut self, _: &UpdateExpression<'a>) {
        self.0 = true;
    }
}

/// A step on the way to a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A variable: the first step.
    Variable(String),
    /// The property of a name.
    Name(String),
    /// The property whose name is the value of an expression, which is given as its text.
    Computed(String),
}

/// The steps of a chain of properties such as `a.b['c'][d]`, from the variable on. Empty if the first statement of `code` is no
/// such chain, or begins with something else than a variable; `None` if `code` is no script.
#[must_use]
pub fn member_chain(code: &str) -> Option<Vec<Link>> {
    let chain = parse(code, Goal::Script, Language::JavaScript, |program| {
        let Some(Statement::ExpressionStatement(statement)) = program.body.first() else { return Vec::new() };
        let mut links = Vec::new();
        let mut expression = &statement.expression;
        loop {
            let member = match expression {
                Expression::ChainExpression(chain) => chain.expression.as_member_expression(),
                Expression::Identifier(identifier) if !links.is_empty() => {
                    links.push(Link::Variable(identifier.name.to_string()));
                    links.reverse();
                    return links;
                }
                other => other.as_member_expression(),
            };
            let Some(member) = member else { return Vec::new() };
            links.push(match member {
                MemberExpression::StaticMemberExpression(it) => Link::Name(it.property.name.to_string()),
                MemberExpression::PrivateFieldExpression(it) => Link::Name(format!("#{}", it.field.name)),
                MemberExpression::ComputedMemberExpression(it) => match &it.expression {
                    Expression::StringLiteral(name) => Link::Name(name.value.to_string()),
                    Expression::NumericLiteral(number) => Link::Name(number.value.to_string()),
                    other => Link::Computed(other.span().source_text(code).to_owned()),
                },
            });
            expression = member.object();
        }
    });
    chain.ok()
}

/// The names that `let`, `const`, `using` and `class` declare at the top level of `code`; `None` if it has mistakes.
#[must_use]
pub fn lexical_names(code: &str) -> Option<Vec<String>> {
    let names = parse(code, Goal::Session, Language::JavaScript, |program| {
        let mut names = Vec::new();
        for statement in &program.body {
            match statement {
                Statement::ClassDeclaration(class) => names.extend(class.id.as_ref().map(|id| id.name.to_string())),
                Statement::VariableDeclaration(it) if it.kind != VariableDeclarationKind::Var => {
                    it.declarations.iter().for_each(|declarator| bound_names(&declarator.id, &mut names));
                }
                _ => {}
            }
        }
        names
    });
    names.ok()
}
