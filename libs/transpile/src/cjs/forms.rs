//! The exact shapes of generated code that re-exports a module.

use oxc_ast::ast::*;
use oxc_syntax::operator::{BinaryOperator, LogicalOperator, UnaryOperator};

fn is_name(expression: &Expression<'_>, name: &str) -> bool {
    matches!(expression, Expression::Identifier(it) if it.name == name)
}

/// `module.exports`, given as object and property.
pub(super) fn is_module_exports(object: &Expression<'_>, property: &str) -> bool {
    property == "exports" && is_name(object, "module")
}

/// `exports` or `module.exports`.
pub(super) fn is_exports(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::Identifier(it) => it.name == "exports",
        Expression::StaticMemberExpression(it) => is_module_exports(&it.object, &it.property.name),
        _ => false,
    }
}

/// `Object.method`.
pub(super) fn is_object_method(callee: &Expression<'_>, method: &str) -> bool {
    matches!(callee, Expression::StaticMemberExpression(it)
        if it.property.name == method && is_name(&it.object, "Object"))
}

/// The specifier of `require("x")`.
pub(super) fn require_literal<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    match call.arguments.as_slice() {
        [Argument::StringLiteral(it)] if is_name(&call.callee, "require") && !it.lone_surrogates => {
            Some(it.value.as_str())
        }
        _ => None,
    }
}

/// The specifier of a `require("x")` that an expression starts with, and whether it is the whole expression.
pub(super) fn leading_require<'a>(expression: &Expression<'a>) -> Option<(&'a str, bool)> {
    let mut next = expression;
    let mut whole = true;
    loop {
        next = match next {
            Expression::CallExpression(call) => {
                if let Some(specifier) = require_literal(call) {
                    return Some((specifier, whole));
                }
                &call.callee
            }
            Expression::StaticMemberExpression(it) => &it.object,
            Expression::ComputedMemberExpression(it) => &it.object,
            Expression::LogicalExpression(it) => &it.left,
            Expression::BinaryExpression(it) => &it.left,
            Expression::ConditionalExpression(it) => &it.test,
            _ => return None,
        };
        whole = false;
    }
}

/// The specifier of `require("x")` or `_interopRequireWildcard(require("x"))`.
pub(super) fn required_module<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    let Expression::CallExpression(call) = expression else {
        return None;
    };
    if let Some(specifier) = require_literal(call) {
        return Some(specifier);
    }
    match call.arguments.first() {
        Some(Argument::CallExpression(inner)) if callee_name(call) == Some("_interopRequireWildcard") => {
            require_literal(inner)
        }
        _ => None,
    }
}

/// The name of a function that is called directly or as a member.
fn callee_name<'c>(call: &'c CallExpression<'_>) -> Option<&'c str> {
    match &call.callee {
        Expression::Identifier(it) => Some(it.name.as_str()),
        Expression::StaticMemberExpression(it) => Some(it.property.name.as_str()),
        _ => None,
    }
}

/// The specifier in `__export(require("x"))` and `__exportStar(require("x"), exports)`.
pub(super) fn export_star<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    if !matches!(callee_name(call), Some("__export" | "__exportStar")) {
        return None;
    }
    match call.arguments.first() {
        Some(Argument::CallExpression(inner)) => require_literal(inner),
        _ => None,
    }
}

/// The address of a property, to tell whether it is the last one.
pub(super) fn property_address<'a>(property: &ObjectPropertyKind<'a>) -> *const ObjectProperty<'a> {
    match property {
        ObjectPropertyKind::ObjectProperty(it) => &raw const **it,
        ObjectPropertyKind::SpreadProperty(_) => std::ptr::null(),
    }
}

/// Whether a function has no parameters and does nothing but return `a`, `a.b` or `a["b"]`. With `wanted`
/// (object, key), it must return exactly `object[key]`.
pub(super) fn returns_member(function: &Expression<'_>, wanted: Option<(&str, &str)>) -> bool {
    let Expression::FunctionExpression(function) = function else {
        return false;
    };
    let Some(body) = &function.body else {
        return false;
    };
    let plain = !function.r#async && !function.generator && function.params.items.is_empty();
    if !plain || function.params.rest.is_some() || !body.directives.is_empty() {
        return false;
    }
    let [Statement::ReturnStatement(statement)] = body.statements.as_slice() else {
        return false;
    };
    let Some(value) = &statement.argument else {
        return false;
    };
    if let Some((object, key)) = wanted {
        return is_element(value, object, key);
    }
    match value {
        Expression::Identifier(_) => true,
        Expression::StaticMemberExpression(it) => matches!(it.object, Expression::Identifier(_)) && !it.optional,
        Expression::ComputedMemberExpression(it) => {
            matches!(it.object, Expression::Identifier(_)) && matches!(it.expression, Expression::StringLiteral(_))
        }
        _ => false,
    }
}

/// `object[key]` with two names.
fn is_element(expression: &Expression<'_>, object: &str, key: &str) -> bool {
    matches!(expression, Expression::ComputedMemberExpression(it)
        if is_name(&it.object, object) && is_name(&it.expression, key))
}

/// `exports[key]`.
fn is_exports_element(object: &Expression<'_>, property: &Expression<'_>, key: &str) -> bool {
    is_exports(object) && is_name(property, key)
}

/// The variable `m` of `Object.keys(m).forEach(function (k) { copies m[k] to exports[k] })`.
pub(super) fn keys_loop<'c>(call: &'c CallExpression<'_>) -> Option<&'c str> {
    let Expression::StaticMemberExpression(callee) = &call.callee else {
        return None;
    };
    let Expression::CallExpression(keys) = &callee.object else {
        return None;
    };
    let ([Argument::Identifier(module)], [Argument::FunctionExpression(function)]) =
        (keys.arguments.as_slice(), call.arguments.as_slice())
    else {
        return None;
    };
    if callee.property.name != "forEach" || !is_object_method(&keys.callee, "keys") || function.r#async {
        return None;
    }
    let [parameter] = function.params.items.as_slice() else {
        return None;
    };
    let key = parameter.pattern.get_identifier_name()?;
    let module = module.name.as_str();
    copies(&function.body.as_ref()?.statements, module, key.as_str()).then_some(module)
}

/// Whether the statements skip `default` (and perhaps others) and copy the rest.
fn copies(statements: &[Statement<'_>], module: &str, key: &str) -> bool {
    let [Statement::IfStatement(first), rest @ ..] = statements else {
        return false;
    };
    if first.alternate.is_some() {
        return false;
    }
    if returns(&first.consequent) {
        // if (k === "default" || k === "__esModule") return;
        let Expression::LogicalExpression(test) = &first.test else {
            return false;
        };
        let skips = test.operator == LogicalOperator::Or
            && compares(&test.left, BinaryOperator::StrictEquality, key, "default")
            && compares(&test.right, BinaryOperator::StrictEquality, key, "__esModule");
        let Some((last, guards)) = rest.split_last() else {
            return false;
        };
        return skips && are_guards(guards, module, key) && is_copy(last, module, key);
    }
    // if (k !== "default" && !exports.hasOwnProperty(k)) copy
    let tests = match &first.test {
        Expression::LogicalExpression(test) if test.operator == LogicalOperator::And => {
            compares(&test.left, BinaryOperator::StrictInequality, key, "default")
                && matches!(&test.right, Expression::UnaryExpression(it)
                    if it.operator == UnaryOperator::LogicalNot && has_own_property(&it.argument, key))
        }
        test => compares(test, BinaryOperator::StrictInequality, key, "default"),
    };
    rest.is_empty() && tests && is_copy(&first.consequent, module, key)
}

fn returns(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::ReturnStatement(it) if it.argument.is_none())
}

fn compares(expression: &Expression<'_>, operator: BinaryOperator, key: &str, text: &str) -> bool {
    matches!(expression, Expression::BinaryExpression(it)
        if it.operator == operator
            && is_name(&it.left, key)
            && matches!(&it.right, Expression::StringLiteral(right) if right.value == text))
}

/// The optional statements between: `if (Object.prototype.hasOwnProperty.call(_exportNames, k)) return;` and
/// `if (k in exports && exports[k] === m[k]) return;`, in this order.
fn are_guards(statements: &[Statement<'_>], module: &str, key: &str) -> bool {
    let own = |test: &Expression<'_>| has_own_property_call(test, key);
    let same = |test: &Expression<'_>| is_already_exported(test, module, key);
    let test = |statement: &Statement<'_>, check: &dyn Fn(&Expression<'_>) -> bool| {
        matches!(statement, Statement::IfStatement(it)
            if it.alternate.is_none() && returns(&it.consequent) && check(&it.test))
    };
    match statements {
        [] => true,
        [one] => test(one, &own) || test(one, &same),
        [first, second] => test(first, &own) && test(second, &same),
        _ => false,
    }
}

/// `k in exports && exports[k] === m[k]`
fn is_already_exported(test: &Expression<'_>, module: &str, key: &str) -> bool {
    let Expression::LogicalExpression(test) = test else {
        return false;
    };
    let (Expression::BinaryExpression(left), Expression::BinaryExpression(right)) = (&test.left, &test.right) else {
        return false;
    };
    test.operator == LogicalOperator::And
        && left.operator == BinaryOperator::In
        && is_name(&left.left, key)
        && is_exports(&left.right)
        && right.operator == BinaryOperator::StrictEquality
        && matches!(&right.left, Expression::ComputedMemberExpression(it)
            if is_exports_element(&it.object, &it.expression, key))
        && is_element(&right.right, module, key)
}

/// `Object.prototype.hasOwnProperty.call(name, k)`, with or without `prototype`.
fn has_own_property_call(expression: &Expression<'_>, key: &str) -> bool {
    let Expression::CallExpression(call) = expression else {
        return false;
    };
    let Expression::StaticMemberExpression(callee) = &call.callee else {
        return false;
    };
    let Expression::StaticMemberExpression(method) = &callee.object else {
        return false;
    };
    let on_object = is_name(&method.object, "Object")
        || matches!(&method.object, Expression::StaticMemberExpression(it)
            if it.property.name == "prototype" && is_name(&it.object, "Object"));
    let arguments = matches!(call.arguments.as_slice(), [Argument::Identifier(_), Argument::Identifier(second)]
        if second.name == key);
    on_object && method.property.name == "hasOwnProperty" && callee.property.name == "call" && arguments
}

/// [`has_own_property_call`], or `name.hasOwnProperty(k)`.
fn has_own_property(expression: &Expression<'_>, key: &str) -> bool {
    if has_own_property_call(expression, key) {
        return true;
    }
    let Expression::CallExpression(call) = expression else {
        return false;
    };
    let Expression::StaticMemberExpression(callee) = &call.callee else {
        return false;
    };
    matches!(callee.object, Expression::Identifier(_))
        && callee.property.name == "hasOwnProperty"
        && matches!(call.arguments.as_slice(), [Argument::Identifier(argument)] if argument.name == key)
}

/// `exports[k] = m[k]`, or the definition of a getter for it.
fn is_copy(statement: &Statement<'_>, module: &str, key: &str) -> bool {
    let Statement::ExpressionStatement(statement) = statement else {
        return false;
    };
    match &statement.expression {
        Expression::AssignmentExpression(it) => {
            it.operator.is_assign()
                && matches!(&it.left, AssignmentTarget::ComputedMemberExpression(left)
                    if is_exports_element(&left.object, &left.expression, key))
                && is_element(&it.right, module, key)
        }
        Expression::CallExpression(call) => is_getter_definition(call, module, key),
        _ => false,
    }
}

/// `Object.defineProperty(exports, k, { enumerable: true, get: function () { return m[k]; } })`
fn is_getter_definition(call: &CallExpression<'_>, module: &str, key: &str) -> bool {
    let [object, Argument::Identifier(name), Argument::ObjectExpression(descriptor)] = call.arguments.as_slice() else {
        return false;
    };
    let [ObjectPropertyKind::ObjectProperty(enumerable), ObjectPropertyKind::ObjectProperty(getter)] =
        descriptor.properties.as_slice()
    else {
        return false;
    };
    let is_key = |property: &ObjectProperty<'_>, name: &str| matches!(&property.key, PropertyKey::StaticIdentifier(it) if it.name == name);
    is_object_method(&call.callee, "defineProperty")
        && object.as_expression().is_some_and(is_exports)
        && name.name == key
        && is_key(enumerable, "enumerable")
        && matches!(&enumerable.value, Expression::BooleanLiteral(it) if it.value)
        && is_key(getter, "get")
        && returns_member(&getter.value, Some((module, key)))
}
