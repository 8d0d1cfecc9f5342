//! Expressions.

use oxc_ast::ast::*;
use oxc_span::GetSpan;
use oxc_syntax::precedence::{GetPrecedence, Precedence};

use super::{FREE, Level, Limits, NOWHERE, Printer, level, span_of};

/// An operator with two operands, of either kind.
#[derive(Clone, Copy)]
struct Binary<'e, 'a> {
    left: &'e Expression<'a>,
    right: &'e Expression<'a>,
    operator: &'static str,
    precedence: Precedence,
}

impl<'e, 'a> Binary<'e, 'a> {
    fn of(expression: &'e Expression<'a>) -> Option<Self> {
        match expression {
            Expression::BinaryExpression(it) => Some(Binary {
                left: &it.left,
                right: &it.right,
                operator: it.operator.as_str(),
                precedence: it.operator.precedence(),
            }),
            Expression::LogicalExpression(it) => Some(Binary {
                left: &it.left,
                right: &it.right,
                operator: it.operator.as_str(),
                precedence: it.operator.precedence(),
            }),
            _ => None,
        }
    }

    fn level(self) -> Level {
        self.precedence as Level
    }

    fn left_level(self) -> Level {
        match self.precedence {
            // A sign or a keyword may not stand before the base of a power.
            Precedence::Exponentiation => match self.left.without_parentheses() {
                Expression::UnaryExpression(_) | Expression::AwaitExpression(_) | Expression::NumericLiteral(_) => {
                    level::CALL
                }
                _ => level::EXPONENT,
            },
            Precedence::NullishCoalescing if is_and_or(self.left) => level::PREFIX,
            _ => self.level() - 1,
        }
    }

    fn right_level(self) -> Level {
        match self.precedence {
            Precedence::Exponentiation => level::EXPONENT - 1,
            Precedence::NullishCoalescing if is_and_or(self.right) => level::PREFIX,
            _ => self.level(),
        }
    }
}

/// `&&` and `||`, which cannot stand beside `??`.
fn is_and_or(expression: &Expression<'_>) -> bool {
    matches!(expression.without_parentheses(), Expression::LogicalExpression(it) if !it.operator.is_coalesce())
}

impl Printer<'_> {
    /// Prints an expression that stands beside an operator of level `around`.
    pub(super) fn expression(&mut self, expression: &Expression<'_>, around: Level, limits: Limits) {
        match expression {
            Expression::BooleanLiteral(it) => self.put(if it.value { "true" } else { "false" }),
            Expression::NullLiteral(_) => self.put("null"),
            Expression::NumericLiteral(it) => self.number(it.value, around),
            Expression::BigIntLiteral(it) => {
                self.put(&it.value);
                self.put("n");
            }
            Expression::RegExpLiteral(it) => self.regexp(it),
            Expression::StringLiteral(it) => self.text(it, true),
            Expression::TemplateLiteral(it) => self.template(it, false),
            Expression::Identifier(it) => self.identifier(it),
            Expression::Super(_) => self.put("super"),
            Expression::ThisExpression(_) => self.put("this"),
            Expression::ImportMeta(_) => self.put("import.meta"),
            Expression::NewTarget(_) => self.put("new.target"),
            Expression::ArrayExpression(it) => self.array(it),
            Expression::ObjectExpression(it) => {
                let is_wrapped = self.begins_statement_or_body();
                self.wrapped(is_wrapped, |this| this.object(it));
            }
            Expression::FunctionExpression(it) => {
                let is_wrapped = self.begins_statement();
                self.wrapped(is_wrapped, |this| this.function(it));
            }
            Expression::ClassExpression(it) => {
                let is_wrapped = self.begins_statement();
                self.wrapped(is_wrapped, |this| this.class(it));
            }
            Expression::ArrowFunctionExpression(it) => {
                let is_wrapped = around >= level::ASSIGN;
                self.wrapped(is_wrapped, |this| this.arrow(it, if is_wrapped { FREE } else { limits }));
            }
            Expression::AssignmentExpression(it) => self.assignment(it, around, limits),
            Expression::BinaryExpression(_) | Expression::LogicalExpression(_) => {
                self.binary(expression, around, limits);
            }
            Expression::ConditionalExpression(it) => self.conditional(it, around, limits),
            Expression::SequenceExpression(it) => {
                let is_wrapped = around >= level::COMMA;
                let limits = if is_wrapped { FREE } else { limits.only_in() };
                self.wrapped(is_wrapped, |this| this.sequence(it, limits));
            }
            Expression::AwaitExpression(it) => self.wrapped(around >= level::PREFIX, |this| {
                this.word("await");
                this.expression(&it.argument, level::EXPONENT, FREE);
            }),
            Expression::YieldExpression(it) => self.wrapped(around >= level::ASSIGN, |this| {
                this.put(if it.delegate { "yield*" } else { "yield" });
                if let Some(argument) = &it.argument {
                    this.put(" ");
                    this.expression(argument, level::YIELD, limits.only_in());
                }
            }),
            // The name stays that passes before this one have a shorter form for.
            Expression::UnaryExpression(it) if it.operator.is_void() && self.is_in_source(it.span, "undefined") => {
                self.put("undefined");
            }
            Expression::UnaryExpression(it) => self.wrapped(around >= level::PREFIX, |this| {
                if it.operator.is_keyword() {
                    this.word(it.operator.as_str());
                } else {
                    this.sign(it.operator.as_str());
                }
                this.expression(&it.argument, level::EXPONENT, FREE);
            }),
            Expression::UpdateExpression(it) => {
                let own = if it.prefix { level::PREFIX } else { level::POSTFIX };
                self.wrapped(around >= own, |this| {
                    if it.prefix {
                        this.sign(it.operator.as_str());
                        this.simple_target(&it.argument);
                    } else {
                        this.simple_target(&it.argument);
                        this.put(it.operator.as_str());
                    }
                });
            }
            Expression::PrivateInExpression(it) => {
                self.wrapped(around >= level::COMPARE || limits.no_in, |this| {
                    this.put("#");
                    this.put(&it.left.name);
                    this.put(" in ");
                    this.expression(&it.right, level::COMPARE, FREE);
                });
            }
            Expression::CallExpression(it) => {
                self.wrapped(around >= level::NEW || limits.no_call, |this| this.call(it));
            }
            Expression::NewExpression(it) => self.wrapped(around >= level::CALL, |this| {
                this.word("new");
                this.expression(&it.callee, level::NEW, Limits { no_call: true, no_in: false });
                if !it.arguments.is_empty() || around >= level::POSTFIX {
                    this.arguments(&it.arguments);
                }
            }),
            Expression::ImportExpression(it) => {
                self.wrapped(around >= level::NEW || limits.no_call, |this| this.dynamic_import(it));
            }
            // The chain ends here, which parentheses say if something follows.
            Expression::ChainExpression(it) => self.wrapped(around >= level::POSTFIX, |this| match &it.expression {
                ChainElement::CallExpression(call) => this.call(call),
                ChainElement::TSNonNullExpression(inner) => this.expression(&inner.expression, level::LOWEST, FREE),
                element => {
                    if let Some(member) = element.as_member_expression() {
                        this.member(member, FREE);
                    }
                }
            }),
            Expression::TaggedTemplateExpression(it) => {
                self.expression(&it.tag, level::POSTFIX, Limits { no_in: false, ..limits });
                self.template(&it.quasi, true);
            }
            Expression::ParenthesizedExpression(it) => self.expression(&it.expression, around, limits),
            // Types are gone, but for what a transform has left around an expression.
            Expression::TSAsExpression(it) => self.expression(&it.expression, around, limits),
            Expression::TSSatisfiesExpression(it) => self.expression(&it.expression, around, limits),
            Expression::TSTypeAssertion(it) => self.expression(&it.expression, around, limits),
            Expression::TSNonNullExpression(it) => self.expression(&it.expression, around, limits),
            Expression::TSInstantiationExpression(it) => self.expression(&it.expression, around, limits),
            Expression::V8IntrinsicExpression(it) => {
                self.put("%");
                self.put(&it.name.name);
                self.arguments(&it.arguments);
            }
            // The caller asks for this printer only when JSX becomes calls.
            Expression::JSXElement(_) | Expression::JSXFragment(_) => {
                unreachable!("JSX is transformed before it is printed")
            }
            Expression::ComputedMemberExpression(_)
            | Expression::StaticMemberExpression(_)
            | Expression::PrivateFieldExpression(_) => {
                self.member(expression.to_member_expression(), Limits { no_in: false, ..limits });
            }
        }
    }

    fn sequence(&mut self, it: &SequenceExpression<'_>, limits: Limits) {
        for (index, part) in it.expressions.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            match part.without_parentheses() {
                Expression::SequenceExpression(inner) => self.sequence(inner, limits),
                part => self.expression(part, level::COMMA, limits),
            }
        }
    }

    fn wrapped(&mut self, is_wrapped: bool, print: impl FnOnce(&mut Self)) {
        if is_wrapped {
            self.put("(");
        }
        print(self);
        if is_wrapped {
            self.put(")");
        }
    }

    fn begins_statement_or_body(&self) -> bool {
        self.statement_start == self.out.len() || self.arrow_start == self.out.len()
    }

    /// A name; `let` is a word of the language at the beginning of some statements.
    pub(super) fn identifier(&mut self, it: &IdentifierReference<'_>) {
        let is_word = it.name == "let" && (self.begins_statement() || self.loop_start == self.out.len());
        self.wrapped(is_word, |this| this.reference(it));
    }

    fn array(&mut self, it: &ArrayExpression<'_>) {
        let one_line = self.is_on_one_line(it.span, it.elements.iter().map(|it| it.span()), it.elements.len() < 2);
        let ends_open = matches!(it.elements.last(), Some(ArrayExpressionElement::Elision(_)));
        self.list(["[", "]"], "", [one_line, ends_open], it.elements.iter(), |this, element| match element {
            ArrayExpressionElement::SpreadElement(spread) => this.spread(spread),
            ArrayExpressionElement::Elision(_) => {}
            _ => {
                if let Some(expression) = element.as_expression() {
                    this.expression(expression, level::COMMA, FREE);
                }
            }
        });
    }

    fn spread(&mut self, it: &SpreadElement<'_>) {
        self.put("...");
        self.expression(&it.argument, level::COMMA, FREE);
    }

    fn object(&mut self, it: &ObjectExpression<'_>) {
        let one_line = self.is_on_one_line(it.span, it.properties.iter().map(span_of), false);
        self.list(["{", "}"], " ", [one_line, false], it.properties.iter(), |this, property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => this.spread(spread),
            ObjectPropertyKind::ObjectProperty(property) => this.property(property),
        });
    }

    fn property(&mut self, it: &ObjectProperty<'_>) {
        let kind = match it.kind {
            PropertyKind::Init => "",
            PropertyKind::Get => "get ",
            PropertyKind::Set => "set ",
        };
        if (it.method || !kind.is_empty())
            && let Expression::FunctionExpression(function) = &it.value
        {
            return self.method(kind, &it.key, it.computed, function);
        }
        if it.shorthand
            && let (PropertyKey::StaticIdentifier(key), Expression::Identifier(value)) =
                (&it.key, it.value.without_parentheses())
        {
            let start = self.out.len();
            self.reference(value);
            if self.out[start..] == *key.name {
                return;
            }
            self.out.truncate(start);
        }
        self.key(&it.key, it.computed);
        self.put(": ");
        self.expression(&it.value, level::COMMA, FREE);
    }

    fn assignment(&mut self, it: &AssignmentExpression<'_>, around: Level, limits: Limits) {
        let begins_with_brace =
            matches!(it.left, AssignmentTarget::ObjectAssignmentTarget(_)) && self.begins_statement_or_body();
        let is_wrapped = around >= level::ASSIGN || begins_with_brace;
        self.wrapped(is_wrapped, |this| {
            this.target(&it.left);
            this.put(" ");
            this.put(it.operator.as_str());
            this.put(" ");
            this.expression(&it.right, level::YIELD, if is_wrapped { FREE } else { limits.only_in() });
        });
    }

    fn conditional(&mut self, it: &ConditionalExpression<'_>, around: Level, limits: Limits) {
        let is_wrapped = around >= level::CONDITIONAL;
        let limits = if is_wrapped { FREE } else { limits.only_in() };
        self.wrapped(is_wrapped, |this| {
            this.expression(&it.test, level::CONDITIONAL, limits);
            this.put(" ? ");
            this.expression(&it.consequent, level::YIELD, FREE);
            this.put(" : ");
            this.expression(&it.alternate, level::YIELD, limits);
        });
    }

    /// Operators with two operands. Long sums are trees that are as deep to the left as they are long, so these are not descended into
    /// by calls.
    fn binary(&mut self, expression: &Expression<'_>, around: Level, limits: Limits) {
        let mut open = Vec::new();
        let (mut current, mut around, mut limits) = (expression, around, limits.only_in());
        while let Some(binary) = Binary::of(current.without_parentheses()) {
            let is_wrapped = around >= binary.level() || (limits.no_in && binary.operator == "in");
            if is_wrapped {
                self.put("(");
                limits = FREE;
            }
            open.push((binary, is_wrapped, limits));
            current = binary.left;
            around = binary.left_level();
        }
        self.expression(current, around, limits);
        while let Some((binary, is_wrapped, limits)) = open.pop() {
            self.put(" ");
            self.put(binary.operator);
            self.put(" ");
            self.expression(binary.right, binary.right_level(), limits);
            if is_wrapped {
                self.put(")");
            }
        }
    }

    fn call(&mut self, it: &CallExpression<'_>) {
        self.expression(&it.callee, level::POSTFIX, FREE);
        if it.optional {
            self.put("?.");
        }
        self.arguments(&it.arguments);
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) {
        self.put("(");
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            match argument {
                Argument::SpreadElement(spread) => self.spread(spread),
                _ => {
                    if let Some(expression) = argument.as_expression() {
                        self.expression(expression, level::COMMA, FREE);
                    }
                }
            }
        }
        self.put(")");
    }

    fn dynamic_import(&mut self, it: &ImportExpression<'_>) {
        self.put(match it.phase {
            Some(ImportPhase::Source) => "import.source(",
            Some(ImportPhase::Defer) => "import.defer(",
            None => "import(",
        });
        if let Expression::StringLiteral(source) = it.source.without_parentheses() {
            self.text(source, false);
        } else {
            self.expression(&it.source, level::COMMA, FREE);
        }
        if let Some(options) = &it.options {
            self.put(", ");
            self.expression(options, level::COMMA, FREE);
        }
        self.put(")");
    }

    pub(super) fn member(&mut self, member: &MemberExpression<'_>, limits: Limits) {
        let limits = Limits { no_in: false, ..limits };
        match member {
            MemberExpression::ComputedMemberExpression(it) => {
                self.expression(&it.object, level::POSTFIX, limits);
                self.put(if it.optional { "?.[" } else { "[" });
                self.expression(&it.expression, level::LOWEST, FREE);
                self.put("]");
            }
            MemberExpression::StaticMemberExpression(it) => {
                self.object_of_member(&it.object, it.optional, limits);
                self.put(&it.property.name);
            }
            MemberExpression::PrivateFieldExpression(it) => {
                self.object_of_member(&it.object, it.optional, limits);
                self.put("#");
                self.put(&it.field.name);
            }
        }
    }

    fn object_of_member(&mut self, object: &Expression<'_>, optional: bool, limits: Limits) {
        self.expression(object, level::POSTFIX, limits);
        if optional {
            self.put("?.");
        } else {
            if self.number_end == self.out.len() {
                self.put(" ");
            }
            self.put(".");
        }
        self.number_end = NOWHERE;
    }
}
