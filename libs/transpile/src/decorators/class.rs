//! The lowering of one class. Its nested classes are done already.

use oxc_allocator::{ArenaBox, ArenaVec, TakeIn};
use oxc_ast::ast::*;

use super::await_yield::suspends;
use super::quote::Quote;
use super::{Lowerer, static_name};

/// What a class has become.
pub(super) enum Lowered<'a> {
    /// The class itself was changed; `temps` have to be declared by `let` before it, in the same block.
    InPlace { temps: Vec<String> },
    /// An expression takes its place.
    Replaced(Expression<'a>),
}

/// Kinds of elements, as the runtime helper numbers them.
pub(super) const FIELD: u32 = 0;
pub(super) const ACCESSOR: u32 = 1;
pub(super) const METHOD: u32 = 2;
pub(super) const GETTER: u32 = 3;
pub(super) const SETTER: u32 = 4;
pub(super) const STATIC: u32 = 8;
pub(super) const PRIVATE: u32 = 16;

impl<'a> Lowerer<'a> {
    /// Lowers `class`, whose children are lowered. `name`: what its `name` property will be, if known.
    /// `expression`: it stands where no statement can go before it.
    pub(super) fn lower_class(&mut self, class: &mut Class<'a>, name: Option<&str>, expression: bool) -> Lowered<'a> {
        let replaceable = !class.decorators.is_empty();
        let mut lowering = Lowering {
            quote: self.quote,
            lowerer: self,
            replaceable,
            hoist: (replaceable || expression) && class_suspends(class),
            elements: Vec::new(),
            pending: Vec::new(),
            cleanup: Vec::new(),
            records: Vec::new(),
            results: Vec::new(),
            temps: Vec::new(),
            parameters: Vec::new(),
            arguments: Vec::new(),
            extras: Vec::new(),
            proto: None,
            own: None,
            statics: Vec::new(),
            wrapper: String::new(),
            extraction: String::new(),
            runs: Vec::new(),
        };
        lowering.class(class, name, expression)
    }
}

/// Whether anything that is evaluated with the class definition suspends the function around it.
fn class_suspends(class: &Class<'_>) -> bool {
    let listed = |decorators: &[Decorator<'_>]| decorators.iter().any(|d| suspends(&d.expression));
    let keyed = |key: &PropertyKey<'_>| key.as_expression().is_some_and(suspends);
    listed(&class.decorators)
        || class.heritage.as_ref().is_some_and(|heritage| suspends(&heritage.expression))
        || class.body.body.iter().any(|element| match element {
            ClassElement::MethodDefinition(it) => listed(&it.decorators) || keyed(&it.key),
            ClassElement::PropertyDefinition(it) => listed(&it.decorators) || keyed(&it.key),
            ClassElement::AccessorProperty(it) => listed(&it.decorators) || keyed(&it.key),
            ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => false,
        })
}

/// The name of an element.
pub(super) enum Key<'a> {
    /// Without `#`.
    Private(String),
    Literal(String),
    Computed(Expression<'a>),
}

pub(super) struct Lowering<'a, 'l> {
    pub(super) quote: Quote<'a>,
    pub(super) lowerer: &'l mut Lowerer<'a>,
    /// The class has decorators of its own.
    pub(super) replaceable: bool,
    /// Decorators, keys and the superclass are evaluated as arguments, outside the function around the class.
    pub(super) hoist: bool,
    /// The new body.
    pub(super) elements: Vec<ClassElement<'a>>,
    /// Expressions to evaluate in the next computed key.
    pub(super) pending: Vec<Expression<'a>>,
    /// Temporaries that hold the symbols of static methods to delete.
    pub(super) cleanup: Vec<String>,
    /// Arguments of the runtime helper, one per decorated element, as text.
    pub(super) records: Vec<String>,
    /// Temporaries for what the runtime helper returns per record.
    pub(super) results: Vec<String>,
    pub(super) temps: Vec<String>,
    /// Parameters and arguments of the function around the class.
    pub(super) parameters: Vec<String>,
    pub(super) arguments: Vec<Expression<'a>>,
    /// Functions to call with the instance before the next instance field.
    pub(super) extras: Vec<String>,
    /// Temporary of the function that runs the initialisers of instance methods.
    pub(super) proto: Option<String>,
    /// Temporary of the class itself, after decoration.
    pub(super) own: Option<String>,
    /// Statements of the static elements of a replaceable class, up to the next private one.
    pub(super) statics: Vec<Statement<'a>>,
    /// Elements of the class around a replaceable class, as text.
    pub(super) wrapper: String,
    /// Statements that take functions out of a replaceable class, as text.
    pub(super) extraction: String,
    /// Temporaries of functions that run static elements; all but the last are called by the wrapper.
    pub(super) runs: Vec<String>,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn temp(&mut self) -> String {
        let name = self.lowerer.temp();
        self.temps.push(name.clone());
        name
    }

    /// The temporary of the class itself.
    pub(super) fn own(&mut self) -> String {
        if self.own.is_none() {
            let temp = self.temp();
            self.own = Some(temp);
        }
        self.own.clone().expect("set above")
    }

    /// A name without declaration: parameters, private names.
    pub(super) fn fresh(&mut self) -> String {
        self.lowerer.temp()
    }

    fn class(&mut self, class: &mut Class<'a>, name: Option<&str>, expression: bool) -> Lowered<'a> {
        let class_decorators = self.decorators(class.decorators.take_in(&self.quote.allocator));
        if self.hoist
            && let Some(heritage) = &mut class.heritage
        {
            let old = heritage.expression.take_in(&self.quote.allocator);
            heritage.expression = self.evaluated(old);
        }
        let body = class.body.body.take_in(&self.quote.allocator);
        if body.iter().any(has_instance_initializers) {
            let proto = self.temp();
            self.extras.push(proto.clone());
            self.proto = Some(proto);
        }
        for element in body {
            match element {
                ClassElement::StaticBlock(it) => self.static_block(it),
                ClassElement::MethodDefinition(it) => self.method(it),
                ClassElement::PropertyDefinition(it) => self.field(it),
                ClassElement::AccessorProperty(it) => self.accessor(it),
                ClassElement::TSIndexSignature(_) => {}
            }
        }
        if !self.extras.is_empty() {
            self.slot();
        }
        if self.replaceable {
            return Lowered::Replaced(self.finish_replaceable(class, class_decorators, name));
        }
        self.finish_in_place(class, name, expression)
    }

    fn finish_in_place(&mut self, class: &mut Class<'a>, name: Option<&str>, expression: bool) -> Lowered<'a> {
        self.flush();
        let mut setup = String::new();
        if !self.records.is_empty() {
            let statics = self.temp();
            setup = format!(
                "[, {}, {statics}, {}] = {}(this, [{}], true); {statics}(this); ",
                self.proto.as_deref().unwrap_or(""),
                self.results.join(", "),
                self.lowerer.apply_name(),
                self.records.join(", "),
            );
            self.lowerer.uses_apply = true;
        }
        if let Some(own) = &self.own {
            setup.insert_str(0, &format!("{own} = this; "));
        }
        for symbol in &self.cleanup {
            setup.push_str(&format!("delete this[{symbol}]; "));
        }
        if !setup.is_empty() {
            let block = self.quote.elements(&format!("static {{ {setup} }}"), []);
            self.elements.splice(0..0, block);
        }
        self.install(class);
        if !expression || self.temps.is_empty() {
            return Lowered::InPlace { temps: std::mem::take(&mut self.temps) };
        }
        let anonymous = class.id.is_none();
        let value = Expression::ClassExpression(self.take_class(class));
        let value = match name {
            Some(name) if anonymous => self.named(value, &quoted(name)),
            _ => value,
        };
        let temps = self.temps.join(", ");
        let body = format!("let {temps}; return $0;");
        Lowered::Replaced(self.immediately(&body, value))
    }

    /// A class with class decorators: made, decorated, and only then its static elements run.
    fn finish_replaceable(
        &mut self,
        class: &mut Class<'a>,
        class_decorators: Expression<'a>,
        name: Option<&str>,
    ) -> Expression<'a> {
        let last_run = !self.statics.is_empty();
        if last_run {
            self.end_run();
        }
        self.flush();
        let records = self.temp();
        if !self.records.is_empty() {
            let text = format!("static {{ {records} = [{}]; }}", self.records.join(", "));
            let block = self.quote.elements(&text, []);
            self.elements.splice(0..0, block);
        }
        self.install(class);
        let binding = class.id.take().map(|id| id.name.to_string());
        let result = self.own();
        let [made, finish, class_init, statics_init] = std::array::from_fn(|_| self.temp());
        let class_name = quoted(name.unwrap_or(""));
        let value = Expression::ClassExpression(self.take_class(class));
        let value = self.named(value, &class_name);

        let mut body = format!("let {}; ", self.temps.join(", "));
        let wrapper = self.fresh();
        if self.wrapper.is_empty() {
            body.push_str(&format!("{made} = $0; "));
        } else {
            self.lowerer.uses_return = true;
            // In a computed key the class sees the wrapper's private names, and `this` of the surroundings.
            body.push_str(&format!(
                "class {wrapper} extends {} {{ constructor(value) {{ super(value); }} [({made} = $0, \"\")]() {{}} {} }} ",
                self.lowerer.return_name(),
                self.wrapper,
            ));
        }
        body.push_str(&self.extraction.replace("$class", &made));
        for symbol in &self.cleanup {
            body.push_str(&format!("delete {made}[{symbol}]; "));
        }
        let decorators = self.fresh();
        body.push_str(&format!(
            "[{finish}, {}, {statics_init}, {}] = {}({made}, {records} || []); \
             [{result}, {class_init}] = {finish}({decorators}, {class_name}); ",
            self.proto.as_deref().unwrap_or(""),
            self.results.join(", "),
            self.lowerer.apply_name(),
        ));
        self.lowerer.uses_apply = true;
        if let Some(binding) = binding {
            body.push_str(&format!("const {binding} = {result}; "));
        }
        body.push_str(&format!("{statics_init}({result}); "));
        if !self.wrapper.is_empty() {
            body.push_str(&format!("new {wrapper}({result}); "));
        }
        if last_run && let Some(run) = self.runs.last() {
            body.push_str(&format!("{run}.call({result}); "));
        }
        body.push_str(&format!("{class_init}({result}); return {result};"));
        self.parameters.insert(0, decorators);
        self.arguments.insert(0, class_decorators);
        self.immediately(&body, value)
    }

    /// `((parameters) => { body })(arguments)`, with `value` as the hole of `body`.
    fn immediately(&mut self, body: &str, value: Expression<'a>) -> Expression<'a> {
        let parameters = std::mem::take(&mut self.parameters);
        let arguments = std::mem::take(&mut self.arguments);
        let holes = (1..=arguments.len()).map(|index| format!("${index}")).collect::<Vec<_>>();
        let text = format!("(({}) => {{ {body} }})({})", parameters.join(", "), holes.join(", "));
        self.quote.expression(&text, std::iter::once(value).chain(arguments))
    }

    fn install(&mut self, class: &mut Class<'a>) {
        let elements = std::mem::take(&mut self.elements);
        class.body.body = ArenaVec::from_iter_in(elements, &self.quote.allocator);
    }

    fn take_class(&self, class: &mut Class<'a>) -> ArenaBox<'a, Class<'a>> {
        let mut class = class.take_in_box(&self.quote.allocator);
        class.r#type = ClassType::ClassExpression;
        class
    }

    /// An expression that is evaluated with the class definition: itself, or the parameter that receives it.
    pub(super) fn evaluated(&mut self, expression: Expression<'a>) -> Expression<'a> {
        if !self.hoist {
            return expression;
        }
        let parameter = self.fresh();
        self.arguments.push(expression);
        let reference = self.quote.expression(&parameter, []);
        self.parameters.push(parameter);
        reference
    }

    /// The array of receivers and functions of a decorator list.
    fn decorators(&mut self, decorators: ArenaVec<'a, Decorator<'a>>) -> Expression<'a> {
        let mut text = Vec::new();
        let mut holes = Vec::new();
        for decorator in decorators {
            let mut expression = decorator.expression;
            while let Expression::ParenthesizedExpression(inner) = expression {
                expression = inner.unbox().expression;
            }
            text.push(self.receiver_and_function(expression, &mut holes));
        }
        self.quote.expression(&format!("[{}]", text.join(", ")), holes)
    }

    /// Two array elements as text: the `this` value that a decorator is called with, and the decorator.
    /// The former is the object of a member expression, which must be evaluated only once.
    fn receiver_and_function(&self, decorator: Expression<'a>, holes: &mut Vec<Expression<'a>>) -> String {
        let at = holes.len();
        let simple = |object: &Expression<'a>| {
            matches!(object, Expression::Super(_) | Expression::ThisExpression(_) | Expression::Identifier(_))
        };
        let (object, property) = match decorator {
            Expression::StaticMemberExpression(it) if !simple(&it.object) && !it.optional => {
                let it = it.unbox();
                (it.object, format!("o.{}", it.property.name))
            }
            Expression::PrivateFieldExpression(it) if !simple(&it.object) && !it.optional => {
                let it = it.unbox();
                (it.object, format!("o.#{}", it.field.name))
            }
            Expression::ComputedMemberExpression(it) if !simple(&it.object) && !it.optional => {
                let it = it.unbox();
                holes.extend([it.object, it.expression]);
                return format!("...((o, k) => [o, o[k]])(${at}, ${})", at + 1);
            }
            other => {
                let object = match &other {
                    Expression::StaticMemberExpression(it) => Some(&it.object),
                    Expression::PrivateFieldExpression(it) => Some(&it.object),
                    Expression::ComputedMemberExpression(it) => Some(&it.object),
                    _ => None,
                };
                let receiver = match object {
                    Some(Expression::Identifier(it)) => it.name.to_string(),
                    Some(_) => "this".to_owned(),
                    None => "void 0".to_owned(),
                };
                holes.push(other);
                return format!("{receiver}, ${at}");
            }
        };
        holes.push(object);
        format!("...((o) => [o, {property}])(${at})")
    }

    /// Splits off the decorators of an element: the temporary that will hold their array, and its assignment.
    pub(super) fn decorated(
        &mut self,
        decorators: &mut ArenaVec<'a, Decorator<'a>>,
    ) -> Option<(String, Expression<'a>)> {
        if decorators.is_empty() {
            return None;
        }
        let array = self.decorators(decorators.take_in(&self.quote.allocator));
        let array = self.evaluated(array);
        let temp = self.temp();
        let assignment = self.quote.expression(&format!("{temp} = $0"), [array]);
        Some((temp, assignment))
    }

    pub(super) fn key(&mut self, key: &mut PropertyKey<'a>, computed: bool) -> Key<'a> {
        if let PropertyKey::PrivateIdentifier(it) = key {
            return Key::Private(it.name.to_string());
        }
        match static_name(key, computed) {
            Some(name) => Key::Literal(name),
            None => Key::Computed(key.take_in(&self.quote.allocator).into_expression()),
        }
    }

    /// The computed key that evaluates everything pending and then `last`.
    pub(super) fn sequence(&mut self, last: Expression<'a>) -> Expression<'a> {
        if self.pending.is_empty() {
            return last;
        }
        let mut expressions = std::mem::take(&mut self.pending);
        expressions.push(last);
        let expressions = ArenaVec::from_iter_in(expressions, &self.quote.allocator);
        let builder = oxc_ast::builder::AstBuilder::new(self.quote.allocator);
        Expression::new_sequence_expression(oxc_span::SPAN, expressions, &builder)
    }

    /// Assigns a new temporary in a computed key, with its value as a property key.
    pub(super) fn key_assignment(&mut self, key: Expression<'a>) -> (String, Expression<'a>) {
        let key = self.evaluated(key);
        let temp = self.temp();
        let text = format!("{temp} = Reflect.ownKeys({{ [$0]: 0 }})[0]");
        let assignment = self.quote.expression(&text, [key]);
        (temp, assignment)
    }

    /// A computed key with a fresh symbol, as temporary and key.
    pub(super) fn symbol_key(&mut self) -> (String, Expression<'a>) {
        let temp = self.temp();
        let symbol = self.quote.expression(&format!("{temp} = Symbol()"), []);
        let key = self.sequence(symbol);
        (temp, key)
    }

    /// Evaluates what is pending in the key of a method that is deleted afterwards.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let (symbol, key) = self.symbol_key();
        let method = self.quote.elements("static [$0]() {}", [key]);
        self.elements.extend(method);
        self.cleanup.push(symbol);
    }

    /// Gives an anonymous function its name: `name` is an expression as text.
    pub(super) fn named(&mut self, value: Expression<'a>, name: &str) -> Expression<'a> {
        if !is_anonymous_function(&value) {
            return value;
        }
        self.quote.expression(&format!("({{ [{name}]: $0 }})[{name}]"), [value])
    }

    pub(super) fn record(&mut self, flags: u32, name: &str, decorators: &str, rest: &str) {
        self.records.push(format!("[{flags}, {name}, {decorators}{rest}]"));
    }

    /// A private field that calls the pending functions.
    fn slot(&mut self) {
        let name = self.fresh();
        let calls = self.take_extras();
        let slot = self.quote.elements(&format!("#{name} = ({calls});"), []);
        self.elements.extend(slot);
    }

    fn take_extras(&mut self) -> String {
        let extras = std::mem::take(&mut self.extras);
        extras.iter().map(|extra| format!("{extra}(this)")).collect::<Vec<_>>().join(", ")
    }

    /// The initial value of an instance element: decorated, and after pending calls.
    pub(super) fn instance_value(
        &mut self,
        value: Option<Expression<'a>>,
        init: Option<&(String, String)>,
        name: &str,
    ) -> Option<Expression<'a>> {
        let mut value = self.initial(value, init, name);
        if !self.extras.is_empty() {
            if init.is_none() && value.as_ref().is_some_and(is_anonymous_function) {
                // A sequence would take the function's name away.
                self.slot();
            } else {
                let calls = self.take_extras();
                value = Some(match value {
                    Some(value) => self.quote.expression(&format!("{calls}, $0"), [value]),
                    None => self.quote.expression(&format!("{calls}, void 0"), []),
                });
            }
        }
        if let Some((_, extra)) = init {
            self.extras.push(extra.clone());
        }
        value
    }

    /// `init(this, value)`, or `value`.
    pub(super) fn initial(
        &mut self,
        value: Option<Expression<'a>>,
        init: Option<&(String, String)>,
        name: &str,
    ) -> Option<Expression<'a>> {
        let Some((init, _)) = init else { return value };
        Some(match value {
            Some(value) => {
                let value = self.named(value, name);
                self.quote.expression(&format!("{init}(this, $0)"), [value])
            }
            None => self.quote.expression(&format!("{init}(this)"), []),
        })
    }

    /// Temporaries for the initial value and the initialisers of a field or accessor.
    pub(super) fn init_pair(&mut self) -> (String, String) {
        let pair = (self.temp(), self.temp());
        self.results.extend([pair.0.clone(), pair.1.clone()]);
        pair
    }
}

/// Whether decorators of this element can add initialisers that run at the start of construction.
fn has_instance_initializers(element: &ClassElement<'_>) -> bool {
    matches!(element, ClassElement::MethodDefinition(it) if !it.r#static && !it.decorators.is_empty())
}

pub(super) fn is_anonymous_function(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(it) => it.id.is_none(),
        Expression::ClassExpression(it) => it.id.is_none(),
        Expression::ParenthesizedExpression(it) => is_anonymous_function(&it.expression),
        _ => false,
    }
}

/// `text` as a string literal.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote(text, &mut out);
    out
}
