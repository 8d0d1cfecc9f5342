//! The lowering of the elements of a class, one by one.

use oxc_allocator::{ArenaBox, ArenaVec};
use oxc_ast::ast::*;
use oxc_span::Span;

use super::class::{ACCESSOR, FIELD, GETTER, Key, Lowering, METHOD, PRIVATE, SETTER, STATIC, quoted};

impl<'a> Lowering<'a, '_> {
    pub(super) fn static_block(&mut self, block: ArenaBox<'a, StaticBlock<'a>>) {
        if !self.replaceable {
            self.elements.push(ClassElement::StaticBlock(block));
            return;
        }
        let mut call = self.quote.statements("(() => {})();", []);
        if let Some(Statement::ExpressionStatement(statement)) = call.first_mut()
            && let Expression::CallExpression(call) = &mut statement.expression
            && let Expression::ArrowFunctionExpression(arrow) = &mut call.callee
            && let ArrowFunctionBody::FunctionBody(body) = &mut arrow.body
        {
            body.statements = block.unbox().body;
        }
        self.statics.extend(call);
    }

    pub(super) fn method(&mut self, mut it: ArenaBox<'a, MethodDefinition<'a>>) {
        let decorated = self.decorated(&mut it.decorators);
        let kind = match it.kind {
            MethodDefinitionKind::Constructor => {
                self.elements.push(ClassElement::MethodDefinition(it));
                return;
            }
            MethodDefinitionKind::Method => METHOD,
            MethodDefinitionKind::Get => GETTER,
            MethodDefinitionKind::Set => SETTER,
        };
        let computed = it.computed;
        let flags = kind | if it.r#static { STATIC } else { 0 };
        match (self.key(&mut it.key, computed), decorated) {
            (Key::Private(name), None) => {
                if it.r#static && self.replaceable {
                    self.private_static_method(it, kind, &name);
                } else {
                    self.elements.push(ClassElement::MethodDefinition(it));
                }
                return;
            }
            (Key::Private(name), Some((decorators, assignment))) => {
                self.pending.push(assignment);
                let (symbol, key) = self.symbol_key();
                it.key = PropertyKey::from(key);
                let (get, set) = match kind {
                    SETTER => ("undefined".to_owned(), format!("(o, v) => {{ o.#{name} = v; }}")),
                    _ => (format!("(o) => o.#{name}"), "undefined".to_owned()),
                };
                let rest = format!(", (o) => #{name} in o, {get}, {set}, {symbol}");
                self.record(flags | PRIVATE, &format!("\"#{name}\""), &decorators, &rest);
                let function = self.temp();
                self.results.push(function.clone());
                self.forwarder(kind, &name, &function, it.r#static);
            }
            (Key::Literal(_), None) => {
                self.elements.push(ClassElement::MethodDefinition(it));
                return;
            }
            (Key::Literal(name), Some((decorators, assignment))) => {
                self.pending.push(assignment);
                let literal = self.quote.expression(&quoted(&name), []);
                it.key = PropertyKey::from(self.sequence(literal));
                self.record(flags, &quoted(&name), &decorators, "");
            }
            (Key::Computed(key), None) => {
                let key = self.evaluated(key);
                it.key = PropertyKey::from(self.sequence(key));
            }
            (Key::Computed(key), Some((decorators, assignment))) => {
                self.pending.push(assignment);
                let (name, key) = self.key_assignment(key);
                it.key = PropertyKey::from(self.sequence(key));
                self.record(flags, &name, &decorators, "");
            }
        }
        it.computed = true;
        self.elements.push(ClassElement::MethodDefinition(it));
    }

    /// The private element that calls, or is, the function in a temporary.
    fn forwarder(&mut self, kind: u32, name: &str, function: &str, is_static: bool) {
        let text = match kind {
            METHOD => format!("get #{name}() {{ return {function}; }}"),
            GETTER => format!("get #{name}() {{ return {function}.call(this); }}"),
            _ => format!("set #{name}(value) {{ {function}.call(this, value); }}"),
        };
        if is_static && self.replaceable {
            self.wrapper.push_str(&text);
            return;
        }
        let text = if is_static { format!("static {text}") } else { text };
        let element = self.quote.elements(&text, []);
        self.elements.extend(element);
    }

    /// An undecorated static private method of a replaceable class: a public one that is taken out.
    fn private_static_method(&mut self, mut it: ArenaBox<'a, MethodDefinition<'a>>, kind: u32, name: &str) {
        let (symbol, key) = self.symbol_key();
        it.key = PropertyKey::from(key);
        it.computed = true;
        self.elements.push(ClassElement::MethodDefinition(it));
        let function = self.temp();
        let (slot, prefix) = match kind {
            METHOD => ("value", ""),
            GETTER => ("get", "get "),
            _ => ("set", "set "),
        };
        self.extraction.push_str(&format!(
            "{function} = Object.getOwnPropertyDescriptor($class, {symbol}).{slot}; delete $class[{symbol}]; \
             Object.defineProperty({function}, \"name\", {{ value: \"{prefix}#{name}\", configurable: true }}); "
        ));
        self.forwarder(kind, name, &function, true);
    }

    pub(super) fn field(&mut self, mut it: ArenaBox<'a, PropertyDefinition<'a>>) {
        let decorated = self.decorated(&mut it.decorators);
        let computed = it.computed;
        let flags = FIELD | if it.r#static { STATIC } else { 0 };
        let moved = it.r#static && self.replaceable;
        let key = self.key(&mut it.key, computed);
        // The element's name as an expression, for the record and for naming functions.
        let mut decorators = None;
        if let Some((temp, assignment)) = decorated {
            self.pending.push(assignment);
            decorators = Some(temp);
        }
        let name = match key {
            Key::Private(name) => format!("\"#{name}\""),
            Key::Literal(name) => quoted(&name),
            Key::Computed(key) if decorators.is_some() || moved => {
                let (temp, assignment) = self.key_assignment(key);
                if moved {
                    self.pending.push(assignment);
                } else {
                    it.key = PropertyKey::from(self.sequence(assignment));
                    it.computed = true;
                }
                temp
            }
            Key::Computed(key) => {
                let key = self.evaluated(key);
                it.key = PropertyKey::from(self.sequence(key));
                it.computed = true;
                String::new()
            }
        };
        let private = match &it.key {
            PropertyKey::PrivateIdentifier(id) => Some(id.name.to_string()),
            _ => None,
        };
        let init = decorators.map(|decorators| {
            let rest = private.as_ref().map_or_else(String::new, |name| private_access(name));
            let private_flag = if private.is_some() { PRIVATE } else { 0 };
            self.record(flags | private_flag, &name, &decorators, &rest);
            self.init_pair()
        });
        let value = it.value.take();
        if moved {
            self.moved_static(private.as_deref(), &name, value, init.as_ref());
        } else if it.r#static {
            it.value = self.initial(value, init.as_ref(), &name);
            self.elements.push(ClassElement::PropertyDefinition(it));
            self.static_extra(init.as_ref());
        } else {
            it.value = self.instance_value(value, init.as_ref(), &name);
            self.elements.push(ClassElement::PropertyDefinition(it));
        }
    }

    /// A static field of a replaceable class, whose initialiser runs on the replacement.
    fn moved_static(
        &mut self,
        private: Option<&str>,
        name: &str,
        value: Option<Expression<'a>>,
        init: Option<&(String, String)>,
    ) {
        let value = match self.initial(value, init, name) {
            Some(value) => self.named(value, name),
            None => self.quote.expression("void 0", []),
        };
        if let Some(private) = private {
            let statement = self.quote.statements("return $0;", [value]);
            self.statics.extend(statement);
            let run = self.end_run();
            self.wrapper.push_str(&format!("#{private} = {run}.call(this);"));
        } else {
            let text = format!(
                "Object.defineProperty(this, {name}, \
                 {{ value: $0, writable: true, enumerable: true, configurable: true }});"
            );
            let statement = self.quote.statements(&text, [value]);
            self.statics.extend(statement);
        }
        if let Some((_, extra)) = init {
            let statement = self.quote.statements(&format!("{extra}(this);"), []);
            self.statics.extend(statement);
        }
    }

    /// Puts the collected static statements into a method of the class and returns the temporary for it.
    pub(super) fn end_run(&mut self) -> String {
        let (symbol, key) = self.symbol_key();
        let mut method = self.quote.elements("static [$0]() {}", [key]);
        if let Some(ClassElement::MethodDefinition(method)) = method.first_mut()
            && let Some(body) = &mut method.value.body
        {
            body.statements = ArenaVec::from_iter_in(self.statics.drain(..), &self.quote.allocator);
        }
        self.elements.extend(method);
        let run = self.temp();
        self.extraction.push_str(&format!("{run} = $class[{symbol}]; delete $class[{symbol}]; "));
        self.runs.push(run.clone());
        run
    }

    fn static_extra(&mut self, init: Option<&(String, String)>) {
        if let Some((_, extra)) = init {
            let block = self.quote.elements(&format!("static {{ {extra}(this); }}"), []);
            self.elements.extend(block);
        }
    }

    pub(super) fn accessor(&mut self, mut it: ArenaBox<'a, AccessorProperty<'a>>) {
        let decorated = self.decorated(&mut it.decorators);
        let computed = it.computed;
        let key = self.key(&mut it.key, computed);
        let storage = self.fresh();
        let is_static = it.r#static;
        let flags = ACCESSOR | if is_static { STATIC } else { 0 };
        let prefix = if is_static { "static " } else { "" };
        // Static accessors work on subclasses too: they use the class, not `this`.
        let owner = if is_static { self.own() } else { "this".to_owned() };
        let value = it.value.take();
        let mut decorators = None;
        if let Some((temp, assignment)) = decorated {
            self.pending.push(assignment);
            decorators = Some(temp);
        }
        let mut init = None;
        let name = match key {
            Key::Private(name) => {
                let text = quoted(&format!("#{name}"));
                let (mut getter, mut setter) = (format!("{owner}.#{storage}"), format!("{owner}.#{storage} = value"));
                if let Some(decorators) = &decorators {
                    let rest = format!(
                        "{}, function () {{ return {owner}.#{storage}; }}, function (value) {{ {owner}.#{storage} = value; }}",
                        private_access(&name)
                    );
                    self.record(flags | PRIVATE, &text, decorators, &rest);
                    init = Some(self.init_pair());
                    let pair = [self.temp(), self.temp()];
                    getter = format!("{}.call(this)", pair[0]);
                    setter = format!("{}.call(this, value)", pair[1]);
                    self.results.extend(pair);
                }
                let moved = is_static && self.replaceable;
                let prefix = if moved { "" } else { prefix };
                let pair =
                    format!("{prefix}get #{name}() {{ return {getter}; }} {prefix}set #{name}(value) {{ {setter}; }}");
                if moved {
                    self.wrapper.push_str(&pair);
                } else {
                    let elements = self.quote.elements(&pair, []);
                    self.elements.extend(elements);
                }
                text
            }
            Key::Literal(name) => {
                let text = quoted(&name);
                let literal = self.quote.expression(&text, []);
                let key = if decorators.is_some() { self.sequence(literal) } else { literal };
                self.accessor_pair(prefix, key, &text, &format!("{owner}.#{storage}"), it.span);
                text
            }
            Key::Computed(key) => {
                let (temp, assignment) = self.key_assignment(key);
                let key = self.sequence(assignment);
                self.accessor_pair(prefix, key, &temp, &format!("{owner}.#{storage}"), it.span);
                temp
            }
        };
        if let Some(decorators) = &decorators
            && init.is_none()
        {
            self.record(flags, &name, decorators, "");
            init = Some(self.init_pair());
        }
        let value = value.map(|value| self.named(value, &name));
        if is_static && self.replaceable {
            self.moved_static(Some(&storage), &name, value, init.as_ref());
            return;
        }
        let value = if is_static {
            self.initial(value, init.as_ref(), &name)
        } else {
            self.instance_value(value, init.as_ref(), &name)
        };
        let field = match value {
            Some(value) => self.quote.elements(&format!("{prefix}#{storage} = $0;"), [value]),
            None => self.quote.elements(&format!("{prefix}#{storage};"), []),
        };
        self.elements.extend(field);
        if is_static {
            self.static_extra(init.as_ref());
        }
    }

    /// Getter and setter of a public accessor. `key` is the getter's key, `name` that of the setter, `storage`
    /// the private field that they use.
    fn accessor_pair(&mut self, prefix: &str, key: Expression<'a>, name: &str, storage: &str, span: Span) {
        let text =
            format!("{prefix}get [$0]() {{ return {storage}; }} {prefix}set [{name}](value) {{ {storage} = value; }}");
        let mut pair = self.quote.elements(&text, [key]);
        for element in &mut pair {
            if let ClassElement::MethodDefinition(method) = element {
                method.span = span;
            }
        }
        self.elements.extend(pair);
    }
}

/// `has`, `get` and `set` of a private name, for a record.
fn private_access(name: &str) -> String {
    format!(", (o) => #{name} in o, (o) => o.#{name}, (o, v) => {{ o.#{name} = v; }}")
}
