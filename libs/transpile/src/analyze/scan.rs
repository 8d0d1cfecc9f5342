//! One walk over a fresh syntax tree that finds out what the text needs.

use oxc_ast::ast::*;
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::GetSpan;
use oxc_syntax::scope::{ScopeFlags, ScopeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

use super::{FreeNames, LiteralRequest, is_type_only_namespace};

/// What [`scan`] found.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    pub jsx: bool,
    pub decorators: bool,
    /// `accessor x = 1`, which engines do not have yet.
    pub accessors: bool,
    /// A field with decorators whose name is computed.
    pub decorated_computed_fields: bool,
    pub using: bool,
    /// Any public class field, with or without initialiser.
    pub class_fields: bool,
    /// TypeScript that generates code: enums, namespaces, parameter properties, `import =`, `export =`.
    pub generates: bool,
    /// Namespaces that generate code.
    pub namespaces: bool,
    pub import_meta: bool,
    pub top_level_await: bool,
    /// `await` is a name outside functions, as scripts may have it: `await (x)` is a call there, and waits in a module.
    pub named_await: bool,
    pub free: FreeNames,
    /// A wrapper name is declared by top-level let, const or class: an error in CommonJS, so Node takes the
    /// file for an ES module.
    pub redeclares_wrapper: bool,
    /// Imported names (of TypeScript) that some value expression uses.
    pub used_imports: FxHashSet<&'a str>,
    pub dynamic_imports: Vec<LiteralRequest>,
    pub requires: Vec<LiteralRequest>,
}

/// Walks `program`. With `track_imports`, [`Facts::used_imports`] is filled.
pub(crate) fn scan<'a>(program: &Program<'a>, track_imports: bool) -> Facts<'a> {
    let mut scan = Scan::default();
    scan.track_imports(program, track_imports);
    scan.visit_program(program);
    scan.finish()
}

/// Index of a name whose scoping matters: 0..5 the CommonJS names, above them imports.
type NameId = u32;

#[derive(Default)]
struct Scan<'a> {
    facts: Facts<'a>,
    /// Parent of each scope. Scope 0 is the program.
    parents: Vec<u32>,
    /// Whether each scope holds `var` declarations.
    holds_var: Vec<bool>,
    scope: u32,
    function_depth: u32,
    imports: FxHashMap<&'a str, NameId>,
    import_names: Vec<&'a str>,
    bindings: FxHashSet<(u32, NameId)>,
    references: Vec<(u32, NameId)>,
    /// References that are the callee of `require("literal")`: index into `references` and the argument.
    require_calls: Vec<(usize, LiteralRequest)>,
}

impl<'a> Scan<'a> {
    /// Follows what imports declare: `all` of it, or only what has the name of something in CommonJS, which then is not free.
    fn track_imports(&mut self, program: &Program<'a>, all: bool) {
        for statement in &program.body {
            let Statement::ImportDeclaration(import) = statement else {
                continue;
            };
            if import.import_kind.is_type() {
                continue;
            }
            for specifier in import.specifiers.iter().flatten() {
                let name = specifier.local().name.as_str();
                if !all && !FreeNames::NAMES.contains(&name) {
                    continue;
                }
                let id = 5 + self.import_names.len() as NameId;
                if self.imports.insert(name, id).is_none() {
                    self.import_names.push(name);
                }
            }
        }
    }

    /// The number of a name that is followed: one that an import declares, else one of CommonJS.
    fn name_id(&self, name: &str) -> Option<NameId> {
        let common = match name.len() {
            6 if name == "module" => 0,
            7 if name == "exports" => 1,
            7 if name == "require" => 2,
            9 if name == "__dirname" => 3,
            10 if name == "__filename" => 4,
            _ if self.imports.is_empty() => return None,
            _ => return self.imports.get(name).copied(),
        };
        Some(self.imports.get(name).copied().unwrap_or(common))
    }

    fn bind(&mut self, scope: u32, name: &str) {
        if let Some(id) = self.name_id(name) {
            self.bindings.insert((scope, id));
        }
    }

    fn var_scope(&self) -> u32 {
        let mut scope = self.scope;
        while !self.holds_var[scope as usize] {
            scope = self.parents[scope as usize];
        }
        scope
    }

    fn is_bound(&self, mut scope: u32, id: NameId) -> bool {
        loop {
            if self.bindings.contains(&(scope, id)) {
                return true;
            }
            if scope == 0 {
                return false;
            }
            scope = self.parents[scope as usize];
        }
    }

    fn finish(mut self) -> Facts<'a> {
        for &(scope, id) in &self.references {
            if self.is_bound(scope, id) {
                continue;
            }
            match id {
                0..5 => self.facts.free.0 |= 1 << id,
                _ => {
                    self.facts.used_imports.insert(self.import_names[id as usize - 5]);
                }
            }
        }
        for (reference, request) in std::mem::take(&mut self.require_calls) {
            let (scope, id) = self.references[reference];
            if id < 5 && !self.is_bound(scope, id) {
                self.facts.requires.push(request);
            }
        }
        self.facts
    }

    /// Everything about a call except its callee.
    fn call(&mut self, call: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = &call.callee
            && callee.name == "require"
            && let [Argument::StringLiteral(argument)] = call.arguments.as_slice()
        {
            let request = LiteralRequest { specifier: argument.value.to_string(), offset: argument.span.start };
            // The callee is visited right after the arguments; remember which reference it will be.
            self.visit_arguments(&call.arguments);
            self.require_calls.push((self.references.len(), request));
            return;
        }
        self.visit_arguments(&call.arguments);
    }

    fn at_top_level(&mut self) {
        if self.function_depth == 0 {
            self.facts.top_level_await = true;
        }
    }

    fn bind_pattern(&mut self, scope: u32, pattern: &BindingPattern<'a>) {
        match pattern {
            BindingPattern::BindingIdentifier(id) => self.bind(scope, &id.name),
            BindingPattern::AssignmentPattern(it) => self.bind_pattern(scope, &it.left),
            BindingPattern::ObjectPattern(it) => {
                for property in &it.properties {
                    self.bind_pattern(scope, &property.value);
                }
                if let Some(rest) = &it.rest {
                    self.bind_pattern(scope, &rest.argument);
                }
            }
            BindingPattern::ArrayPattern(it) => {
                for element in it.elements.iter().flatten() {
                    self.bind_pattern(scope, element);
                }
                if let Some(rest) = &it.rest {
                    self.bind_pattern(scope, &rest.argument);
                }
            }
        }
    }
}

impl<'a> VisitJs<'a> for Scan<'a> {
    fn enter_scope(&mut self, flags: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        let scope = self.parents.len() as u32;
        self.parents.push(self.scope);
        let holds_var = flags.intersects(
            ScopeFlags::Top | ScopeFlags::Function | ScopeFlags::ClassStaticBlock | ScopeFlags::TsModuleBlock,
        );
        self.holds_var.push(holds_var);
        self.function_depth += u32::from(flags.contains(ScopeFlags::Function));
        self.scope = scope;
    }

    fn leave_scope(&mut self) {
        // Functions correct `function_depth` themselves: the flags are not known here.
        self.scope = self.parents[self.scope as usize];
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.facts.named_await |= self.function_depth == 0 && it.name == "await";
        if let Some(id) = self.name_id(it.name.as_str()) {
            self.references.push((self.scope, id));
        }
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.bind(self.scope, &it.name);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.declare || it.body.is_none() {
            return;
        }
        if it.is_declaration()
            && let Some(id) = &it.id
        {
            self.bind(self.scope, &id.name);
        }
        walk_js::walk_function(self, it, flags);
        self.function_depth -= u32::from(flags.contains(ScopeFlags::Function));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk_js::walk_arrow_function_expression(self, it);
        self.function_depth -= 1;
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return;
        }
        self.facts.decorators |= !it.decorators.is_empty();
        if self.scope == 0
            && it.is_declaration()
            && it.id.as_ref().is_some_and(|id| FreeNames::NAMES.contains(&id.name.as_str()))
        {
            self.facts.redeclares_wrapper = true;
        }
        walk_js::walk_class(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            return;
        }
        walk_js::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.facts.decorators |= !it.decorators.is_empty();
        self.facts.decorated_computed_fields |= it.computed && !it.decorators.is_empty();
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return;
        }
        self.facts.class_fields |= !matches!(it.key, PropertyKey::PrivateIdentifier(_));
        walk_js::walk_property_definition(self, it);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        if it.r#type == AccessorPropertyType::TSAbstractAccessorProperty {
            return;
        }
        self.facts.accessors = true;
        walk_js::walk_accessor_property(self, it);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.facts.decorators = true;
        walk_js::walk_decorator(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.facts.generates |= it.accessibility.is_some() || it.readonly || it.r#override;
        walk_js::walk_formal_parameter(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            return;
        }
        match it.kind {
            VariableDeclarationKind::Var => {
                let scope = self.var_scope();
                for declarator in &it.declarations {
                    self.bind_pattern(scope, &declarator.id);
                }
            }
            VariableDeclarationKind::Let | VariableDeclarationKind::Const => {}
            VariableDeclarationKind::Using => self.facts.using = true,
            VariableDeclarationKind::AwaitUsing => {
                self.facts.using = true;
                self.at_top_level();
            }
        }
        if self.scope == 0 && it.kind.is_lexical() {
            let wrapper_names = |scan: &Self| (0..5).filter(|id| scan.bindings.contains(&(0, *id))).count();
            let before = wrapper_names(self);
            for declarator in &it.declarations {
                self.bind_pattern(0, &declarator.id);
            }
            self.facts.redeclares_wrapper |= wrapper_names(self) > before;
        }
        walk_js::walk_variable_declaration(self, it);
    }

    fn visit_import_declaration(&mut self, _: &ImportDeclaration<'a>) {
        // Bindings of imports are the program's own; they must not count as shadowing themselves.
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        if it.export_kind.is_type() {
            return;
        }
        for specifier in &it.specifiers {
            if !specifier.export_kind.is_type() {
                self.visit_module_export_name(&specifier.local);
            }
        }
    }

    fn visit_export_from_declaration(&mut self, _: &ExportFromDeclaration<'a>) {}

    fn visit_export_all_declaration(&mut self, _: &ExportAllDeclaration<'a>) {}

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if !it.declare {
            self.facts.generates = true;
            walk_js::walk_ts_enum_declaration(self, it);
        }
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if !it.declare && !is_type_only_namespace(it) {
            self.facts.generates = true;
            self.facts.namespaces = true;
            walk_js::walk_ts_namespace_declaration(self, it);
        }
    }

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}

    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        if it.import_kind.is_value() {
            self.facts.generates = true;
            walk_js::walk_ts_import_equals_declaration(self, it);
        }
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.facts.generates = true;
        self.facts.free.0 |= FreeNames::MODULE.0;
        walk_js::walk_ts_export_assignment(self, it);
    }

    fn visit_jsx_element(&mut self, it: &JSXElement<'a>) {
        self.facts.jsx = true;
        walk_js::walk_jsx_element(self, it);
    }

    fn visit_jsx_fragment(&mut self, it: &JSXFragment<'a>) {
        self.facts.jsx = true;
        walk_js::walk_jsx_fragment(self, it);
    }

    fn visit_import_meta(&mut self, _: &ImportMeta) {
        self.facts.import_meta = true;
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.at_top_level();
        walk_js::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if it.r#await {
            self.at_top_level();
        }
        walk_js::walk_for_of_statement(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if let Expression::StringLiteral(literal) = &it.source {
            let request = LiteralRequest { specifier: literal.value.to_string(), offset: literal.span.start };
            self.facts.dynamic_imports.push(request);
        }
        walk_js::walk_import_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.call(it);
        self.visit_expression(&it.callee);
    }

    /// Follows the left spine of chains (`a + b + ...`, `a.b().c()`) and the right spine of `?:` and `=` in a
    /// loop: generated code has them by the ten thousand.
    fn visit_expression(&mut self, it: &Expression<'a>) {
        let mut next = it;
        loop {
            next = match next {
                Expression::BinaryExpression(it) => {
                    self.visit_expression(&it.right);
                    &it.left
                }
                Expression::LogicalExpression(it) => {
                    self.visit_expression(&it.right);
                    &it.left
                }
                Expression::StaticMemberExpression(it) => &it.object,
                Expression::PrivateFieldExpression(it) => &it.object,
                Expression::ComputedMemberExpression(it) => {
                    self.visit_expression(&it.expression);
                    &it.object
                }
                Expression::CallExpression(it) => {
                    self.call(it);
                    &it.callee
                }
                Expression::ConditionalExpression(it) => {
                    self.visit_expression(&it.test);
                    self.visit_expression(&it.consequent);
                    &it.alternate
                }
                Expression::AssignmentExpression(it) => {
                    self.visit_assignment_target(&it.left);
                    &it.right
                }
                Expression::TaggedTemplateExpression(it) => {
                    self.visit_template_literal(&it.quasi);
                    &it.tag
                }
                Expression::ParenthesizedExpression(it) => &it.expression,
                Expression::TSAsExpression(it) => &it.expression,
                Expression::TSSatisfiesExpression(it) => &it.expression,
                Expression::TSNonNullExpression(it) => &it.expression,
                _ => return walk_js::walk_expression(self, next),
            };
        }
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        let mut next = it;
        loop {
            self.visit_expression(&next.test);
            self.visit_statement(&next.consequent);
            match &next.alternate {
                Some(Statement::IfStatement(alternate)) => next = alternate,
                Some(statement) => return self.visit_statement(statement),
                None => return,
            }
        }
    }
}

/// Whether `span` lies outside the source text, as the spans of generated nodes do.
pub(crate) fn is_generated(node: &impl GetSpan) -> bool {
    let span = node.span();
    span.start == 0 && span.end == 0
}
