//! Names that V8 gives functions without one: after what they are assigned to.

use oxc_ast::ast::*;

/// The name of a property, as a function in it is called.
pub(super) fn key_name(key: &PropertyKey<'_>, computed: bool) -> Option<String> {
    match key {
        PropertyKey::PrivateIdentifier(it) => Some(format!("#{}", it.name)),
        _ if computed => None,
        _ => key.static_name().map(|name| name.into_owned()),
    }
}

/// `a.b.c` of a target of an assignment; without `this` and `prototype`. `None` if there is no name in it.
pub(super) fn target_name(target: &AssignmentTarget<'_>) -> Option<String> {
    let mut parts = Vec::new();
    match target {
        AssignmentTarget::AssignmentTargetIdentifier(it) => parts.push(it.name.to_string()),
        AssignmentTarget::StaticMemberExpression(it) => {
            parts.push(it.property.name.to_string());
            object_parts(&it.object, &mut parts);
        }
        AssignmentTarget::ComputedMemberExpression(it) => {
            if let Expression::StringLiteral(key) = &it.expression {
                parts.push(key.value.to_string());
            }
            object_parts(&it.object, &mut parts);
        }
        AssignmentTarget::PrivateFieldExpression(it) => {
            parts.push(format!("#{}", it.field.name));
            object_parts(&it.object, &mut parts);
        }
        _ => {}
    }
    parts.reverse();
    parts.retain(|part| part != "prototype");
    (!parts.is_empty()).then(|| parts.join("."))
}

/// From the last name to the first.
fn object_parts(object: &Expression<'_>, parts: &mut Vec<String>) {
    match object.get_inner_expression() {
        Expression::Identifier(it) => parts.push(it.name.to_string()),
        Expression::StaticMemberExpression(it) => {
            parts.push(it.property.name.to_string());
            object_parts(&it.object, parts);
        }
        Expression::ComputedMemberExpression(it) => {
            if let Expression::StringLiteral(key) = &it.expression {
                parts.push(key.value.to_string());
            }
            object_parts(&it.object, parts);
        }
        _ => {}
    }
}

/// Whether a literal is true or false; `None` for everything else.
pub(super) fn literal_truth(expression: &Expression<'_>) -> Option<bool> {
    match expression.get_inner_expression() {
        Expression::BooleanLiteral(it) => Some(it.value),
        Expression::NumericLiteral(it) => Some(it.value != 0.0 && !it.value.is_nan()),
        Expression::StringLiteral(it) => Some(!it.value.is_empty()),
        Expression::NullLiteral(_) => Some(false),
        _ => None,
    }
}

/// Whether the value is that of a call: functions in one are not called after what the value is assigned to.
pub(super) fn is_call(expression: &Expression<'_>) -> bool {
    matches!(expression.get_inner_expression(), Expression::CallExpression(_) | Expression::NewExpression(_))
}
