//! `import.meta` for Rollup's hook `resolveImportMeta` (https://rollupjs.org/plugin-development/#resolveimportmeta): it is replaced by
//! a name where modules are parsed, and that by what plugins answer where chunks are rendered, as only then they are known.

use std::sync::PoisonError;

use oxc::ast::ast::{Expression, Str};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{VisitMut, walk_mut};
use oxc::span::GetSpan;
use rolldown_common::OutputFormat;
use rolldown_ecmascript::EcmaAst;
use serde_json::{Value, json};

use crate::shared::Shared;

/// What such names begin with; the place in the table of the build follows, and [`END`].
const NAME: &str = "__bao_import_meta_";
const END: &str = "__";

/// One `import.meta` in a module, with the name of the property that is read, if it is one.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    module: String,
    property: Option<String>,
}

/// Puts names in the place of `import.meta` and its properties, but for those that options define.
pub(crate) fn mark(mut ast: EcmaAst, module: &str, shared: &Shared) -> EcmaAst {
    if memchr::memmem::find(ast.source().as_bytes(), b"import").is_none() {
        return ast;
    }
    ast.program.with_mut(|fields| {
        let mut marker = Marker { builder: AstBuilder::new(fields.allocator), module, shared };
        marker.visit_program(fields.program);
    });
    ast
}

struct Marker<'a, 'b> {
    builder: AstBuilder<'a>,
    module: &'b str,
    shared: &'b Shared,
}

fn is_import_meta(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::ImportMeta(_))
}

impl<'a> VisitMut<'a> for Marker<'a, '_> {
    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        let property = match &*expression {
            Expression::StaticMemberExpression(member) if is_import_meta(&member.object) => {
                Some(member.property.name.to_string())
            }
            Expression::ComputedMemberExpression(member) if is_import_meta(&member.object) => {
                match &member.expression {
                    Expression::StringLiteral(name) => Some(name.value.to_string()),
                    _ => return walk_mut::walk_expression(self, expression),
                }
            }
            other if is_import_meta(other) => None,
            _ => return walk_mut::walk_expression(self, expression),
        };
        let whole = property.as_ref().map_or("import.meta".to_string(), |name| format!("import.meta.{name}"));
        let is_defined = |name: &String| {
            name.strip_prefix(whole.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if self.shared.options.define.keys().any(is_defined) {
            return;
        }
        let mut places = self.shared.metas.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{NAME}{}{END}", places.len());
        places.push(Place { module: self.module.to_string(), property });
        let name = Str::from_str_in(&name, &self.builder);
        *expression = Expression::new_identifier(expression.span(), name, &self.builder);
    }
}

/// Rollup's name of a format.
pub(crate) fn format_name(format: OutputFormat) -> &'static str {
    match format {
        OutputFormat::Esm => "es",
        OutputFormat::Cjs => "cjs",
        OutputFormat::Iife => "iife",
        OutputFormat::Umd => "umd",
    }
}

/// What stands for `import.meta` where no plugin says.
fn default_of(property: Option<&str>, format: OutputFormat) -> String {
    let is_module = matches!(format, OutputFormat::Esm);
    match (property, is_module) {
        (None, true) => "import.meta".to_string(),
        (None, false) => "{}".to_string(),
        (Some(name), true) => format!("import.meta[{}]", Value::from(name)),
        (Some("url"), false) => "require(\"node:url\").pathToFileURL(__filename).href".to_string(),
        (Some("dirname"), false) => "__dirname".to_string(),
        (Some("filename"), false) => "__filename".to_string(),
        (Some(_), false) => "undefined".to_string(),
    }
}

/// Puts what plugins answer in the place of the names in a chunk; `None` if there are none of them.
///
/// # Errors
/// What a plugin has thrown.
pub(crate) async fn resolve(
    code: &str,
    shared: &Shared,
    chunk: &str,
    format: OutputFormat,
) -> anyhow::Result<Option<String>> {
    let mut made = String::new();
    let mut rest = code;
    while let Some(start) = rest.find(NAME) {
        let behind = &rest[start + NAME.len()..];
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let number = behind[..digits].parse::<usize>().ok().filter(|_| behind[digits..].starts_with(END));
        let place =
            number.and_then(|number| shared.metas.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned());
        made.push_str(&rest[..start]);
        let Some(Place { module, property }) = place else {
            made.push_str(NAME);
            rest = behind;
            continue;
        };
        let about = json!({
            "property": property,
            "moduleId": module,
            "chunkId": chunk,
            "format": format_name(format),
            "attributes": {},
        });
        match shared.call("resolveImportMeta", about).await? {
            Some(Value::String(answer)) => made.push_str(&answer),
            _ => made.push_str(&default_of(property.as_deref(), format)),
        }
        rest = &behind[digits + END.len()..];
    }
    if made.is_empty() && rest.len() == code.len() {
        return Ok(None);
    }
    made.push_str(rest);
    Ok(Some(made))
}
