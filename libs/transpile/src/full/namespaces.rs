//! References between the blocks of a TypeScript namespace.
//!
//! oxc turns every block of a namespace into a function with local variables. Two things are lost that way: a
//! name that another block of the same namespace exports, and assignments to an exported `let` or `var`, which
//! TypeScript treats as a property everywhere. Both are restored before the transform, by writing the property
//! out: `x` becomes `Namespace.x`.

use oxc_allocator::{Allocator, ArenaBox, TakeIn};
use oxc_ast::ast::*;
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_semantic::{ScopeId, Scoping, SymbolId};
use oxc_span::SPAN;
use oxc_syntax::scope::ScopeFlags;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyze::{is_type_only, is_type_only_namespace};

/// Rewrites `program`. Returns whether anything changed; then `scoping` is outdated.
pub(super) fn qualify<'a>(allocator: &'a Allocator, program: &mut Program<'a>, scoping: &Scoping) -> bool {
    let mut exports = Exports::default();
    exports.statements(&program.body, "");
    if !exports.matters {
        return false;
    }
    let builder = AstBuilder::new(allocator);
    let mut qualifier = Qualifier { builder, scoping, exports, open: Vec::new(), changed: false };
    qualifier.visit_program(program);
    qualifier.changed
}

/// Whether `program` has namespaces, which stand at its top and in each other only.
pub(super) fn has_some(program: &Program<'_>) -> bool {
    program.body.iter().any(|statement| match statement {
        Statement::TSNamespaceDeclaration(_) => true,
        Statement::ExportDeclaration(it) => matches!(&it.declaration, Declaration::TSNamespaceDeclaration(_)),
        _ => false,
    })
}

/// What the blocks of all namespaces export, by the namespace's key: its path for exported ones, made unique
/// by the scope for others.
#[derive(Default)]
struct Exports {
    /// Names and the blocks (by scope) that export them.
    names: FxHashMap<String, FxHashMap<String, Vec<ScopeId>>>,
    /// Exported `let` and `var` of a block.
    variables: FxHashMap<ScopeId, FxHashSet<String>>,
    /// Keys that were seen.
    seen: FxHashSet<String>,
    /// There are namespaces of several blocks, or exported variables.
    matters: bool,
}

impl Exports {
    fn statements(&mut self, statements: &[Statement<'_>], parent: &str) {
        for statement in statements {
            match statement {
                Statement::TSNamespaceDeclaration(it) => self.namespace(it, parent, false),
                Statement::ExportDeclaration(it) => {
                    if let Declaration::TSNamespaceDeclaration(it) = &it.declaration {
                        self.namespace(it, parent, true);
                    }
                }
                _ => {}
            }
        }
    }

    fn namespace(&mut self, it: &TSNamespaceDeclaration<'_>, parent: &str, exported: bool) {
        if it.declare || is_type_only_namespace(it) {
            return;
        }
        let Some(scope) = it.scope_id.get() else {
            return;
        };
        let key = key(parent, it, exported);
        if !self.seen.insert(key.clone()) {
            self.matters = true;
        }
        match &it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                self.export(&key, scope, inner.id.name.as_str());
                self.namespace(inner, &key, true);
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                for statement in &block.body {
                    if let Statement::ExportDeclaration(it) = statement {
                        self.declaration(&key, scope, &it.declaration);
                    }
                }
                self.statements(&block.body, &key);
            }
        }
    }

    fn export(&mut self, key: &str, scope: ScopeId, name: &str) {
        self.names.entry(key.to_owned()).or_default().entry(name.to_owned()).or_default().push(scope);
    }

    fn declaration(&mut self, key: &str, scope: ScopeId, declaration: &Declaration<'_>) {
        if is_type_only(declaration) {
            return;
        }
        if let Declaration::VariableDeclaration(it) = declaration {
            for id in it.declarations.iter().flat_map(|declarator| declarator.id.get_binding_identifiers()) {
                self.export(key, scope, id.name.as_str());
                if !it.kind.is_const() {
                    self.variables.entry(scope).or_default().insert(id.name.to_string());
                    self.matters = true;
                }
            }
        } else if let Some(id) = declaration.id() {
            self.export(key, scope, id.name.as_str());
        }
    }
}

fn key(parent: &str, it: &TSNamespaceDeclaration<'_>, exported: bool) -> String {
    // The blocks of a namespace that is not exported are all in the same scope, so they share the symbol.
    match (parent.is_empty() || !exported, it.id.symbol_id.get()) {
        (true, Some(symbol)) => format!("{parent}#{}", symbol.index()),
        _ => format!("{parent}.{}", it.id.name),
    }
}

/// A namespace block that is being visited.
struct Block {
    key: String,
    scope: ScopeId,
    name: String,
    symbol: Option<SymbolId>,
}

struct Qualifier<'a, 's> {
    builder: AstBuilder<'a>,
    scoping: &'s Scoping,
    exports: Exports,
    open: Vec<Block>,
    changed: bool,
}

impl<'a> Qualifier<'a, '_> {
    /// The name of the namespace that `it` is a property of, if it has to be written out.
    fn owner(&self, it: &IdentifierReference<'a>) -> Option<&str> {
        let reference = self.scoping.get_reference(it.reference_id.get()?);
        let declared = reference.symbol_id().map(|symbol| self.scoping.symbol_scope_id(symbol));
        let name = it.name.as_str();
        for block in self.open.iter().rev() {
            let inside = declared
                .is_some_and(|scope| self.scoping.scope_ancestors(scope).any(|ancestor| ancestor == block.scope));
            if inside {
                let own = declared == Some(block.scope);
                let variable = self.exports.variables.get(&block.scope).is_some_and(|names| names.contains(name));
                return (own && variable && self.is_visible(block, reference.scope_id())).then_some(&block.name);
            }
            if self.exports.names.get(&block.key).is_some_and(|names| names.contains_key(name)) {
                return self.is_visible(block, reference.scope_id()).then_some(&block.name);
            }
        }
        None
    }

    /// Whether the namespace's own name means the namespace in a scope.
    fn is_visible(&self, block: &Block, scope: ScopeId) -> bool {
        let found = self.scoping.find_binding(scope, block.name.as_str().into());
        found.is_some() && found == block.symbol
    }

    fn member(&mut self, it: &IdentifierReference<'a>) -> Option<MemberExpression<'a>> {
        let owner = self.owner(it)?.to_owned();
        self.changed = true;
        let owner = self.builder_str(&owner);
        let object = Expression::new_identifier(SPAN, owner, &self.builder);
        let property = IdentifierName::new(it.span, it.name, &self.builder);
        Some(MemberExpression::new_static_member_expression(it.span, object, property, false, &self.builder))
    }

    fn builder_str(&self, text: &str) -> Ident<'a> {
        Ident::from_str_in(text, &self.builder)
    }

    fn enter(&mut self, it: &TSNamespaceDeclaration<'a>, exported: bool) -> bool {
        let parent = self.open.last().map_or("", |block| block.key.as_str());
        let Some(scope) = it.scope_id.get() else {
            return false;
        };
        let key = key(parent, it, exported);
        self.open.push(Block { key, scope, name: it.id.name.to_string(), symbol: it.id.symbol_id.get() });
        true
    }

    fn namespace(&mut self, it: &mut TSNamespaceDeclaration<'a>, exported: bool) {
        if it.declare || is_type_only_namespace(it) || !self.enter(it, exported) {
            return;
        }
        match &mut it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => self.namespace(inner, true),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => self.visit_ts_module_block(block),
        }
        self.open.pop();
    }
}

impl<'a> VisitMut<'a> for Qualifier<'a, '_> {
    fn visit_ts_namespace_declaration(&mut self, it: &mut TSNamespaceDeclaration<'a>) {
        self.namespace(it, false);
    }

    fn visit_export_declaration(&mut self, it: &mut ExportDeclaration<'a>) {
        if let Declaration::TSNamespaceDeclaration(it) = &mut it.declaration {
            self.namespace(it, true);
        } else {
            walk_mut::walk_export_declaration(self, it);
        }
    }

    fn visit_function(&mut self, it: &mut Function<'a>, flags: ScopeFlags) {
        // Functions outside namespaces have nothing to qualify.
        if !self.open.is_empty() {
            walk_mut::walk_function(self, it, flags);
        }
    }

    fn visit_expression(&mut self, it: &mut Expression<'a>) {
        if let Expression::Identifier(identifier) = it {
            if !self.open.is_empty()
                && let Some(member) = self.member(identifier)
            {
                *it = Expression::from(member);
            }
            return;
        }
        walk_mut::walk_expression(self, it);
    }

    fn visit_object_property(&mut self, it: &mut ObjectProperty<'a>) {
        walk_mut::walk_object_property(self, it);
        it.shorthand &= matches!(it.value, Expression::Identifier(_));
    }

    fn visit_simple_assignment_target(&mut self, it: &mut SimpleAssignmentTarget<'a>) {
        if let SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) = it {
            if let Some(member) = self.member(identifier) {
                *it = SimpleAssignmentTarget::from(member);
            }
            return;
        }
        walk_mut::walk_simple_assignment_target(self, it);
    }

    fn visit_assignment_target(&mut self, it: &mut AssignmentTarget<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(identifier) = it {
            if let Some(member) = self.member(identifier) {
                *it = AssignmentTarget::from(member);
            }
            return;
        }
        walk_mut::walk_assignment_target(self, it);
    }

    fn visit_assignment_target_property(&mut self, it: &mut AssignmentTargetProperty<'a>) {
        if let AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) = it
            && let Some(member) = self.member(&property.binding)
        {
            let name = PropertyKey::new_static_identifier(property.span, property.binding.name, &self.builder);
            let target = AssignmentTarget::from(member);
            let binding = match property.init.take() {
                Some(mut init) => {
                    self.visit_expression(&mut init);
                    AssignmentTargetMaybeDefault::new_assignment_target_with_default(
                        property.span,
                        target,
                        init,
                        &self.builder,
                    )
                }
                None => AssignmentTargetMaybeDefault::from(target),
            };
            let property = AssignmentTargetPropertyProperty::new(property.span, name, binding, false, &self.builder);
            *it = AssignmentTargetProperty::AssignmentTargetPropertyProperty(ArenaBox::new_in(property, &self.builder));
            return;
        }
        walk_mut::walk_assignment_target_property(self, it);
    }

    fn visit_jsx_element_name(&mut self, it: &mut JSXElementName<'a>) {
        if let JSXElementName::IdentifierReference(identifier) = it
            && let Some(owner) = self.owner(identifier).map(str::to_owned)
        {
            self.changed = true;
            let name = identifier.name.as_str();
            let identifier = identifier.take_in(&self.builder);
            let owner = self.builder_str(&owner);
            let object = JSXMemberExpressionObject::new_identifier_reference(SPAN, owner, &self.builder);
            let property = JSXIdentifier::new(identifier.span, name, &self.builder);
            *it = JSXElementName::new_member_expression(identifier.span, object, property, &self.builder);
        }
    }
}
