//! Reads the modules below an entry point, and finds what each declares, uses and asks for.

use std::cell::Cell;
use std::sync::Mutex;

use arcstr::ArcStr;
use oxc::ast::ast::{
    Argument, ArrowFunctionExpression, AwaitExpression, BindingIdentifier, CallExpression, ComputedMemberExpression,
    Declaration, ExportDefaultDeclarationKind, Expression, ForOfStatement, Function, IdentifierReference,
    ImportDeclarationSpecifier, ImportExpression, ImportMeta, ModuleExportName, NewExpression, PrivateIdentifier,
    Program, PropertyDefinition, SimpleAssignmentTarget, Statement, StaticBlock, StaticMemberExpression,
    ThisExpression, UnaryExpression, VariableDeclaration,
};
use oxc::ast_visit::{VisitJs, walk_js};
use oxc::semantic::{ScopeId, Scoping, SymbolId};
use oxc::str::CompactStr;
use oxc::syntax::operator::UnaryOperator;
use oxc::syntax::scope::ScopeFlags;
use rayon::Scope;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constants::{has_constant, may_be_constant};
use crate::graph::{
    Export, Graph, Import, Kind, Module, Modules, Own, Part, RUNTIME, Record, Target, note_reads, parameters_of, top_of,
};
use crate::index_files::{self, About, Found, IndexFiles};
use crate::shorten::Places;
use crate::{Declined, Format, Host, ImportKind, Options, Resolution, Source, effects, runtime};

/// From so many bytes on it is worth while to know in which functions of a module nothing is to be replaced, and to share what is done
/// with one between threads.
pub(crate) const LARGE: usize = 512 << 10;
/// So many modules an index file without side effects may pass on that all of them are read.
const LARGE_INDEX: usize = 40;

/// The tables that the threads of a scan share.
struct Table {
    numbers: FxHashMap<ArcStr, u32>,
    modules: Vec<Option<Box<Module>>>,
    external_numbers: FxHashMap<ArcStr, u32>,
    externals: Vec<ArcStr>,
    indexes: IndexFiles,
    declined: Option<Declined>,
}

impl Table {
    /// The number of a module, and whether it is new.
    fn number(&mut self, id: &ArcStr) -> (u32, bool) {
        if let Some(number) = self.numbers.get(id) {
            return (*number, false);
        }
        let number = self.modules.len() as u32;
        self.modules.push(None);
        self.numbers.insert(id.clone(), number);
        (number, true)
    }
}

struct Scan<'h, H> {
    host: &'h H,
    options: &'h Options,
    table: Mutex<Table>,
}

/// What a scan has found out about the build before it.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// Whether what the modules that were read again declare, use and ask for is as before, and no other was read.
    pub is_linked_as_before: bool,
    /// The modules that were read again.
    pub read: Vec<u32>,
}

/// Reads the modules below an entry point. Of those of an earlier build only some are read again, by id.
pub(crate) fn scan<H: Host>(
    host: &H,
    entry: Resolution,
    options: &Options,
    earlier: Option<(Graph, &[ArcStr])>,
) -> Result<(Graph, Again), Declined> {
    let Resolution::Module { id, is_node, is_cjs, .. } = entry else {
        return Err(Declined::because("the entry point is external"));
    };
    if let Some((graph, changed)) = earlier {
        if graph.modules[graph.entry as usize].id != id {
            return Err(Declined::because("another entry point"));
        }
        return scan_again(host, options, graph, changed);
    }
    let scan = Scan {
        host,
        options,
        table: Mutex::new(Table {
            numbers: FxHashMap::default(),
            modules: Vec::new(),
            external_numbers: FxHashMap::default(),
            externals: Vec::new(),
            indexes: IndexFiles::default(),
            declined: None,
        }),
    };
    let helpers = runtime::source(options)?;
    let about = About { side_effects: true, is_node, is_cjs };
    rayon::scope(|scope| {
        let number = scan.lock().number(&ArcStr::from("\0bao-runtime")).0;
        let outside = |_: &str, specifier: &str, _| Ok(Resolution::External(specifier.into()));
        let inner = About { side_effects: false, is_node: true, is_cjs: false };
        scan.finish(scope, number, ArcStr::from("\0bao-runtime"), helpers, inner, &outside);
        let (number, _) = scan.lock().number(&id);
        scan.read(scope, number, id, about);
    });
    debug_assert_eq!(RUNTIME, 0);
    Ok((scan.graph(1, None)?, Again::default()))
}

/// Reads some modules of an earlier build again, and what they have come to ask for.
fn scan_again<H: Host>(
    host: &H,
    options: &Options,
    graph: Graph,
    changed: &[ArcStr],
) -> Result<(Graph, Again), Declined> {
    let entry = graph.entry;
    let counts = (graph.modules.len(), graph.externals.len());
    let external_numbers =
        graph.externals.iter().enumerate().map(|(number, name)| (name.clone(), number as u32)).collect();
    let mut modules: Vec<Option<Box<Module>>> = graph.modules.into_iter().map(Some).collect();
    let old: Vec<(u32, Box<Module>)> = changed
        .iter()
        .filter_map(|id| {
            let number = *graph.numbers.get(id)?;
            Some((number, modules[number as usize].take()?))
        })
        .collect();
    let had_unread = graph.has_unread;
    let indexes = IndexFiles::default();
    let table = Table {
        numbers: graph.numbers,
        modules,
        external_numbers,
        externals: graph.externals,
        indexes,
        declined: None,
    };
    let scan = Scan { host, options, table: Mutex::new(table) };
    rayon::scope(|scope| {
        for (number, module) in &old {
            let about = About { side_effects: module.side_effects, is_node: module.is_node, is_cjs: module.is_cjs };
            let (scan, id) = (&scan, module.id.clone());
            scope.spawn(move |scope| scan.read(scope, *number, id, about));
        }
    });
    let read: Vec<u32> = old.iter().map(|(number, _)| *number).collect();
    let mut graph = scan.graph(entry, Some(&read))?;
    graph.has_unread |= had_unread;
    if counts == (graph.modules.len(), graph.externals.len())
        && old.iter().all(|(number, module)| graph.modules[*number as usize].is_linked_as(module))
    {
        return Ok((graph, Again { is_linked_as_before: true, read }));
    }
    note_reads(&mut graph.modules, None);
    if graph.has_unread {
        return Err(Declined::because("more of an index file may be asked for"));
    }
    // What nobody asks for any more would be linked all the same.
    let mut reached = vec![false; graph.modules.len()];
    reached[RUNTIME as usize] = true;
    let mut stack = vec![entry];
    while let Some(number) = stack.pop() {
        if std::mem::replace(&mut reached[number as usize], true) {
            continue;
        }
        stack.extend(graph.modules[number as usize].records.iter().filter_map(|record| match record.target {
            Target::Module(target) => Some(target),
            Target::External(_) => None,
        }));
    }
    if reached.contains(&false) {
        return Err(Declined::because("a module has gone"));
    }
    Ok((graph, Again { is_linked_as_before: false, read }))
}

impl<H: Host> Scan<'_, H> {
    /// What was found. Effects of reading members are noted for `some` modules, or for all.
    fn graph(self, entry: u32, some: Option<&[u32]>) -> Result<Graph, Declined> {
        let table = self.table.into_inner().map_err(|_| Declined::because("a thread of the scan panicked"))?;
        if let Some(declined) = table.declined {
            return Err(declined);
        }
        let mut modules = table.modules;
        let has_unread = table.indexes.finish(&mut modules);
        let modules: Option<Modules> = modules.into_iter().collect();
        let mut modules = modules.ok_or_else(|| Declined::because("a module is missing"))?;
        note_reads(&mut modules, some);
        Ok(Graph { modules, numbers: table.numbers, externals: table.externals, entry, has_unread })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The number of a module, which is read if it was not. With `is_left` it waits until somebody asks for it.
    fn target<'s>(&'s self, scope: &Scope<'s>, id: ArcStr, about: About, is_left: bool) -> u32 {
        let mut table = self.lock();
        let (number, is_new) = table.number(&id);
        if is_new && is_left {
            table.indexes.leave(number, id, about);
        } else if is_new {
            self.spawn(scope, (number, id, about));
        } else if !is_left && let Some(found) = table.indexes.take(number) {
            self.spawn(scope, found);
        }
        number
    }

    fn spawn<'s>(&'s self, scope: &Scope<'s>, (number, id, about): Found) {
        scope.spawn(move |scope| self.read(scope, number, id, about));
    }

    fn external(&self, name: ArcStr) -> u32 {
        let mut table = self.lock();
        if let Some(number) = table.external_numbers.get(&name) {
            return *number;
        }
        let number = table.externals.len() as u32;
        table.externals.push(name.clone());
        table.external_numbers.insert(name, number);
        number
    }

    fn decline(&self, declined: Declined) {
        self.lock().declined.get_or_insert(declined);
    }

    fn read<'s>(&'s self, scope: &Scope<'s>, number: u32, id: ArcStr, about: About) {
        if self.lock().declined.is_some() {
            return;
        }
        match self.host.load(&id, about.is_cjs) {
            Ok(source) => {
                let resolve = |importer: &str, specifier: &str, kind| self.host.resolve(importer, specifier, kind);
                self.finish(scope, number, id, source, about, &resolve);
            }
            Err(declined) => self.decline(declined),
        }
    }

    fn finish<'s>(
        &'s self,
        scope: &Scope<'s>,
        number: u32,
        id: ArcStr,
        source: Source,
        about: About,
        resolve: &dyn Fn(&str, &str, ImportKind) -> Result<Resolution, Declined>,
    ) {
        let mut scanned = match scan_module(&source, self.options, about.is_node) {
            Ok(scanned) => scanned,
            Err(declined) => return self.decline(Declined(format!("{id}: {}", declined.0))),
        };
        let requests = std::mem::take(&mut scanned.requests);
        let is_index = !about.side_effects && requests.len() > LARGE_INDEX && scanned.parts.iter().all(Part::is_link);
        let mut may_be_index: FxHashSet<u32> = FxHashSet::default();
        let mut records = Vec::with_capacity(scanned.requests.len());
        let mut known: FxHashMap<(CompactStr, bool, bool), Target> = FxHashMap::default();
        for request in requests {
            let key = (request.specifier.clone(), request.kind == ImportKind::Require, request.is_caught);
            let target = match known.get(&key) {
                Some(target) => *target,
                None => {
                    let target = match resolve(&id, &request.specifier, request.kind) {
                        Ok(Resolution::External(name)) => Target::External(self.external(name)),
                        Ok(Resolution::Module { id, side_effects, is_node, is_cjs }) => {
                            let is_left = is_index && !side_effects;
                            let about = About { side_effects, is_node, is_cjs };
                            let number = self.target(scope, id, about, is_left);
                            if !side_effects {
                                may_be_index.insert(number);
                            }
                            Target::Module(number)
                        }
                        Ok(Resolution::Nowhere) if request.is_caught => {
                            Target::External(self.external(ArcStr::from(request.specifier.as_str())))
                        }
                        Ok(Resolution::Nowhere) => {
                            return self.decline(Declined(format!("{id}: \"{}\" is not found", request.specifier)));
                        }
                        Err(declined) => return self.decline(declined),
                    };
                    known.insert(key, target);
                    target
                }
            };
            records.push(Record {
                kind: request.kind,
                target,
                specifier: request.specifier,
                is_whole: request.is_whole,
            });
        }
        let kind = match scanned.kind {
            Kind::None if about.is_cjs => Kind::Cjs,
            Kind::None if about.is_node => Kind::Esm,
            kind => kind,
        };
        let scoping = &source.scoping;
        let top = top_of(scoping);
        let own = top.iter().enumerate().map(|(number, symbol)| {
            let symbol = *symbol;
            let own = Own {
                name: CompactStr::from(scoping.symbol_name(symbol)),
                uses: scoping.get_resolved_reference_ids(symbol).len(),
                is_mutated: scoping.symbol_is_mutated(symbol),
            };
            (number as u32, own)
        });
        let module = Module {
            id,
            kind,
            text: source.ast.source().clone(),
            symbols: top.len() as u32,
            own: own.collect(),
            free: scoping.root_unresolved_references().keys().map(|name| CompactStr::from(name.as_str())).collect(),
            is_node: about.is_node,
            is_cjs: about.is_cjs,
            side_effects: about.side_effects,
            parts: scanned.parts,
            records,
            imports: scanned.imports,
            exports: scanned.exports,
            stars: scanned.stars,
            declared: scanned.declared,
            has_await: scanned.has_await,
            has_marks: scanned.has_marks,
            unmarked: scanned.unmarked,
            uses_meta: scanned.uses_meta,
            uses_module: scanned.uses_module,
            parameters: scanned.parameters,
            has_nested: scanned.has_nested,
            has_private: scanned.has_private,
            places: scanned.places,
            hashbang: scanned.hashbang,
            directives: scanned.directives,
            source: Some(source),
        };
        let mut table = self.lock();
        let Module { records, parts, imports, exports, stars, .. } = &module;
        let found = if is_index {
            table.indexes.add(number, records, imports, exports, stars)
        } else {
            let wishes = index_files::wishes_of(records, parts, imports, exports, stars, &may_be_index);
            table.indexes.ask(wishes)
        };
        table.modules[number as usize] = Some(Box::new(module));
        drop(table);
        found.into_iter().for_each(|found| self.spawn(scope, found));
    }
}

struct Request {
    specifier: CompactStr,
    kind: ImportKind,
    /// Whether all of what an `import()` gives may be used.
    is_whole: bool,
    /// Whether it is a `require` in a `try`.
    is_caught: bool,
}

struct Scanned {
    kind: Kind,
    parts: Vec<Part>,
    requests: Vec<Request>,
    imports: FxHashMap<u32, Import>,
    exports: FxHashMap<CompactStr, Export>,
    stars: Vec<u32>,
    declared: FxHashMap<u32, Vec<u32>>,
    has_await: bool,
    has_marks: bool,
    unmarked: FxHashSet<ScopeId>,
    uses_meta: bool,
    uses_module: bool,
    parameters: Vec<u32>,
    has_nested: bool,
    has_private: bool,
    places: Places,
    hashbang: Option<String>,
    directives: Vec<String>,
}

/// Whether a statement declares names of a module's top itself, and not inside of it.
fn is_plain_declaration(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::VariableDeclaration(declaration) => !declaration.kind.is_using(),
        Statement::FunctionDeclaration(_)
        | Statement::ClassDeclaration(_)
        | Statement::ExportDeclaration(_)
        | Statement::ExportDefaultDeclaration(_) => true,
        _ => false,
    }
}

/// What a module declares, uses and asks for. `is_node`: whether it is an ES module by its name or package.
fn scan_module(source: &Source, options: &Options, is_node: bool) -> Result<Scanned, Declined> {
    let program: &Program<'_> = source.ast.program();
    let scoping = &source.scoping;
    let top = top_of(scoping);
    let mut numbers = vec![u32::MAX; scoping.symbols_len()];
    for (number, symbol) in top.iter().enumerate() {
        numbers[symbol.index()] = number as u32;
    }
    let mut scanner = Scanner {
        scoping,
        numbers,
        made: top.len() as u32,
        root: scoping.root_scope_id(),
        last_part: vec![0; scoping.symbols_len()],
        part: 0,
        current: Part::default(),
        requests: Vec::new(),
        imports: FxHashMap::default(),
        exports: FxHashMap::default(),
        stars: Vec::new(),
        namespaces: FxHashMap::default(),
        depth: 0,
        this_depth: 0,
        is_esm: false,
        uses_cjs: false,
        uses_module: false,
        uses_meta: false,
        has_await: false,
        marks: 0,
        unmarked: FxHashSet::default(),
        is_large: source.ast.source().len() > LARGE,
        has_return: false,
        has_private: false,
        keeps_imports: options.format == Format::Esm,
        specifiers: FxHashSet::default(),
        scopes: vec![scoping.root_scope_id()],
        places: Places {
            deeper: Vec::new(),
            this: Vec::new(),
            statements: vec![0; if options.mangle { scoping.scopes_len() } else { 0 }],
        },
        tries: 0,
        whole: None,
        declined: None,
    };
    for statement in &program.body {
        scanner.link(statement)?;
    }
    let mut parts = Vec::with_capacity(program.body.len());
    let mut declared: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut has_nested = false;
    for (index, statement) in program.body.iter().enumerate() {
        scanner.part = index as u32 + 1;
        scanner.statement(statement);
        let mut part = std::mem::take(&mut scanner.current);
        let namespace_of = |name: &IdentifierReference<'_>| scanner.namespaces.get(&scanner.number(name)?).copied();
        (part.has_effects, part.reads) = effects::of_statement(statement, scoping, &namespace_of);
        has_nested |= !part.declares.is_empty() && !is_plain_declaration(statement);
        for symbol in &part.declares {
            declared.entry(*symbol).or_default().push(index as u32);
        }
        parts.push(part);
    }
    if !scanner.specifiers.is_empty() && has_constant(program, &scanner.specifiers) {
        return Err(Declined::because("a constant specifier"));
    }
    if let Some(text) = scanner.declined {
        return Err(Declined::because(text));
    }
    let exports = |statement: &Statement<'_>| {
        statement.is_module_declaration() && !matches!(statement, Statement::ImportDeclaration(_))
    };
    if scanner.is_esm && scanner.uses_cjs && !program.body.iter().any(exports) {
        return Err(Declined::because("a CommonJS module with imports"));
    }
    let parameters = if scanner.is_esm || is_node { Vec::new() } else { parameters_of(scoping) };
    scanner.uses_cjs |= !parameters.is_empty();
    scanner.uses_module |= parameters.iter().any(|symbol| scoping.symbol_name(*symbol) == "module");
    let parameters = parameters.iter().map(|symbol| scanner.numbers[symbol.index()]).collect();
    let kind = if scanner.is_esm {
        Kind::Esm
    } else if scanner.uses_cjs || scanner.has_return {
        Kind::Cjs
    } else if scanner.has_await || scanner.uses_meta {
        Kind::Esm
    } else {
        Kind::None
    };
    // What runs at the top, without being CommonJS, may use `this`.
    Ok(Scanned {
        kind,
        parts,
        requests: scanner.requests,
        imports: scanner.imports,
        exports: scanner.exports,
        stars: scanner.stars,
        declared,
        has_await: scanner.has_await,
        has_marks: scanner.marks > 0,
        unmarked: scanner.unmarked,
        uses_meta: scanner.uses_meta,
        uses_module: scanner.uses_module,
        parameters,
        has_nested,
        has_private: scanner.has_private,
        places: scanner.places,
        directives: program.directives.iter().map(|one| one.directive.to_string()).collect(),
        hashbang: program.hashbang.as_ref().map(|line| line.value.to_string()),
    })
}

struct Scanner<'s> {
    scoping: &'s Scoping,
    /// The numbers of names of the top, by symbol; `u32::MAX` for others. That of the linker's.
    numbers: Vec<u32>,
    made: u32,
    root: ScopeId,
    /// For each name the part that was last seen to use it.
    last_part: Vec<u32>,
    part: u32,
    current: Part,
    requests: Vec<Request>,
    imports: FxHashMap<u32, Import>,
    exports: FxHashMap<CompactStr, Export>,
    stars: Vec<u32>,
    /// Names of `import * as`.
    namespaces: FxHashMap<u32, u32>,
    /// Functions around, and functions with a `this` around.
    depth: u32,
    this_depth: u32,
    is_esm: bool,
    uses_cjs: bool,
    uses_module: bool,
    uses_meta: bool,
    has_await: bool,
    /// How many places are to be replaced, and the scopes of functions without one, if the module is large.
    marks: u32,
    unmarked: FxHashSet<ScopeId>,
    is_large: bool,
    has_return: bool,
    has_private: bool,
    /// Whether an `import()` of what is not known stays as it is.
    keeps_imports: bool,
    /// Variables that specifiers are made of.
    specifiers: FxHashSet<SymbolId>,
    /// The scopes around.
    scopes: Vec<ScopeId>,
    places: Places,
    /// Blocks around whose failure is caught.
    tries: u32,
    /// Where the `import()` is that is passed on as it is.
    whole: Option<u32>,
    declined: Option<&'static str>,
}

fn text_of(name: &ModuleExportName<'_>) -> CompactStr {
    CompactStr::from(name.name().as_str())
}

impl Scanner<'_> {
    /// Visits what runs later than the module's top, with a `this` of its own.
    fn with_own_this(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.this_depth += 1;
        visit(self);
        self.this_depth -= 1;
        self.depth -= 1;
    }

    /// Notes a function behind which there are as many marks as before.
    fn leave_function(&mut self, before: u32, scope: &Cell<Option<ScopeId>>) {
        if self.is_large && self.marks == before {
            self.unmarked.extend(scope.get());
        }
    }

    fn request(&mut self, specifier: &str, kind: ImportKind) -> u32 {
        self.requests.push(Request {
            specifier: CompactStr::from(specifier),
            kind,
            is_whole: false,
            is_caught: self.tries > 0 && kind == ImportKind::Require,
        });
        self.requests.len() as u32 - 1
    }

    /// The number of a name that is declared at the top.
    fn number_of(&self, identifier: &BindingIdentifier<'_>) -> u32 {
        identifier.symbol_id.get().map_or(u32::MAX, |symbol| self.numbers[symbol.index()])
    }

    /// The number of a name of the top that is used.
    fn number(&self, identifier: &IdentifierReference<'_>) -> Option<u32> {
        self.symbol(identifier).map(|symbol| self.numbers[symbol.index()]).filter(|number| *number != u32::MAX)
    }

    fn symbol(&self, identifier: &IdentifierReference<'_>) -> Option<SymbolId> {
        identifier.reference_id.get().and_then(|id| self.scoping.get_reference(id).symbol_id())
    }

    fn is_free(&self, identifier: &IdentifierReference<'_>) -> bool {
        self.symbol(identifier).is_none()
    }

    /// Notes the imports and exports of a statement.
    fn link(&mut self, statement: &Statement<'_>) -> Result<(), Declined> {
        match statement {
            Statement::ImportDeclaration(import) => {
                self.is_esm = true;
                if import.phase.is_some() || import.with_clause.is_some() {
                    return Err(Declined::because("an import with attributes or a phase"));
                }
                let record = self.request(&import.source.value, ImportKind::Import);
                for specifier in import.specifiers.iter().flatten() {
                    let (symbol, name) = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(one) => {
                            (self.number_of(&one.local), Some(text_of(&one.imported)))
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                            (self.number_of(&one.local), Some(CompactStr::from("default")))
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                            let symbol = self.number_of(&one.local);
                            self.namespaces.insert(symbol, record);
                            (symbol, None)
                        }
                    };
                    self.imports.insert(symbol, Import { record, name });
                }
            }
            Statement::ExportFromDeclaration(export) => {
                self.is_esm = true;
                if export.with_clause.is_some() {
                    return Err(Declined::because("an export with attributes"));
                }
                let record = self.request(&export.source.value, ImportKind::Import);
                for specifier in &export.specifiers {
                    self.exports.insert(text_of(&specifier.exported), Export::From(record, text_of(&specifier.local)));
                }
            }
            Statement::ExportAllDeclaration(export) => {
                self.is_esm = true;
                if export.with_clause.is_some() {
                    return Err(Declined::because("an export with attributes"));
                }
                let record = self.request(&export.source.value, ImportKind::Import);
                match &export.exported {
                    Some(name) => {
                        self.exports.insert(text_of(name), Export::Namespace(record));
                    }
                    None => self.stars.push(record),
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                self.is_esm = true;
                for specifier in &export.specifiers {
                    let ModuleExportName::IdentifierReference(local) = &specifier.local else {
                        return Err(Declined::because("an export of a text"));
                    };
                    let Some(symbol) = self.number(local) else {
                        return Err(Declined::because("an export of what is not declared"));
                    };
                    self.exports.insert(text_of(&specifier.exported), Export::Local(symbol));
                }
            }
            Statement::ExportDeclaration(export) => {
                self.is_esm = true;
                let mut names = Vec::new();
                match &export.declaration {
                    Declaration::VariableDeclaration(variables) => {
                        for declarator in &variables.declarations {
                            for identifier in declarator.id.get_binding_identifiers() {
                                names.push((identifier.name.as_str(), self.number_of(identifier)));
                            }
                        }
                    }
                    Declaration::FunctionDeclaration(function) => {
                        names.extend(function.id.iter().map(|id| (id.name.as_str(), self.number_of(id))));
                    }
                    Declaration::ClassDeclaration(class) => {
                        names.extend(class.id.iter().map(|id| (id.name.as_str(), self.number_of(id))));
                    }
                    _ => return Err(Declined::because("a declaration of types")),
                }
                for (name, symbol) in names {
                    self.exports.insert(CompactStr::from(name), Export::Local(symbol));
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                self.is_esm = true;
                let id = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
                    _ => None,
                };
                let symbol = id.map_or(self.made, |id| self.number_of(id));
                self.exports.insert(CompactStr::from("default"), Export::Local(symbol));
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes what a statement declares and uses.
    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportNamedDeclaration(_) => {}
            Statement::ExportDefaultDeclaration(export) => {
                let id = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
                    _ => None,
                };
                if id.is_none() {
                    self.current.declares.push(self.made);
                }
                self.visit_statement(statement);
            }
            _ => self.visit_statement(statement),
        }
    }

    fn note_use(&mut self, symbol: SymbolId) {
        let place = &mut self.last_part[symbol.index()];
        if *place != self.part {
            *place = self.part;
            let number = self.numbers[symbol.index()];
            if number != u32::MAX {
                self.current.uses.push(number);
            }
        }
    }

    /// Declines a change of a namespace's member, which is another bundler's to report.
    fn refuse_change(&mut self, object: &Expression<'_>) {
        if let Expression::Identifier(identifier) = object
            && let Some(symbol) = self.symbol(identifier)
        {
            if self.namespaces.contains_key(&self.numbers[symbol.index()]) {
                self.declined = Some("a change of an import");
            }
            // A namespace by another name has to be whole.
            self.note_use(symbol);
        }
    }

    /// Declines what asks for a module by a constant, which another bundler finds out. What is known only when it runs stays.
    fn computed(&mut self, specifier: &Expression<'_>) {
        let mut names = Vec::new();
        if !may_be_constant(specifier, &mut names) {
            return;
        }
        if names.is_empty() {
            self.declined = Some("a constant specifier");
        }
        let symbols = names.into_iter().filter_map(|name| self.scoping.get_reference(name).symbol_id());
        self.specifiers.extend(symbols);
    }

    /// Notes a member of a namespace, or of what may be one: an import by name, which another module may pass on as one.
    fn member(&mut self, object: &Expression<'_>, name: &str) -> bool {
        let Expression::Identifier(identifier) = object else {
            return false;
        };
        let Some(symbol) = self.number(identifier) else {
            return false;
        };
        let import = self.imports.get(&symbol);
        if import.is_none_or(|import| import.name.as_deref() == Some("default")) {
            return false;
        }
        self.current.members.push((symbol, CompactStr::from(name)));
        true
    }
}

impl<'a> VisitJs<'a> for Scanner<'_> {
    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        let Some(symbol) = identifier.symbol_id.get() else { return };
        let scope = self.scoping.symbol_scope_id(symbol);
        if scope == self.root {
            self.current.declares.push(self.numbers[symbol.index()]);
        }
        if let Some(inner) = self.scopes.last()
            && *inner > scope
            && !self.places.statements.is_empty()
        {
            self.places.deeper.push((symbol.index() as u32, inner.index() as u32));
        }
    }

    fn enter_scope(&mut self, _: ScopeFlags, scope: &Cell<Option<ScopeId>>) {
        let scope = scope.get().unwrap_or(self.root);
        if let Some(statement) = self.places.statements.get_mut(scope.index()) {
            *statement = self.part;
        }
        self.scopes.push(scope);
    }

    fn leave_scope(&mut self) {
        self.scopes.pop();
    }

    fn visit_private_identifier(&mut self, _: &PrivateIdentifier<'a>) {
        self.has_private = true;
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        match self.symbol(identifier) {
            Some(symbol) => self.note_use(symbol),
            None => match identifier.name.as_str() {
                "exports" => self.uses_cjs = true,
                "module" => {
                    self.uses_cjs = true;
                    self.uses_module = true;
                }
                "require" => {
                    self.current.uses_require = true;
                    self.marks += 1;
                }
                "arguments" if self.this_depth == 0 => self.declined = Some("the arguments of a module"),
                _ => {}
            },
        }
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if !self.member(&member.object, &member.property.name) {
            walk_js::walk_static_member_expression(self, member);
        }
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        if let Expression::StringLiteral(name) = &member.expression
            && self.member(&member.object, &name.value)
        {
            return;
        }
        walk_js::walk_computed_member_expression(self, member);
    }

    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        if let Some(member) = target.as_member_expression() {
            self.refuse_change(member.object());
        }
        walk_js::walk_simple_assignment_target(self, target);
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        if unary.operator == UnaryOperator::Delete {
            let member = match &unary.argument {
                Expression::ChainExpression(chain) => chain.expression.as_member_expression(),
                other => other.as_member_expression(),
            };
            if let Some(member) = member {
                self.refuse_change(member.object());
            }
        }
        walk_js::walk_unary_expression(self, unary);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = &call.callee
            && self.is_free(callee)
        {
            if callee.name == "require"
                && let [Argument::StringLiteral(specifier)] = call.arguments.as_slice()
            {
                let record = self.request(&specifier.value, ImportKind::Require);
                self.current.records.push(record);
                self.marks += 1;
                return;
            }
            if callee.name == "require" {
                call.arguments.iter().for_each(|argument| match argument.as_expression() {
                    Some(argument) => self.computed(argument),
                    None => self.declined = Some("a computed require"),
                });
            }
            if callee.name == "eval" {
                self.declined = Some("eval");
            }
        }
        self.visit_expression(&call.callee);
        for argument in &call.arguments {
            if let Argument::ImportExpression(import) = argument {
                self.whole = Some(import.span.start);
            }
            self.visit_argument(argument);
        }
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        if let Expression::Identifier(callee) = &new.callee
            && callee.name == "URL"
            && matches!(new.arguments.as_slice(), [Argument::StringLiteral(_), second]
                if second.as_expression().is_some_and(|second| second.is_specific_member_access("meta", "url")
                    || matches!(second, Expression::StaticMemberExpression(member)
                        if matches!(member.object, Expression::ImportMeta(_)))))
        {
            self.declined = Some("a URL beside the module");
        }
        walk_js::walk_new_expression(self, new);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.marks += 1;
        if import.phase.is_some() {
            self.declined = Some("an import with a phase");
        }
        if let (Expression::StringLiteral(specifier), None) = (&import.source, &import.options) {
            let record = self.request(&specifier.value, ImportKind::Dynamic);
            self.requests[record as usize].is_whole = self.whole == Some(import.span.start);
            self.current.records.push(record);
            return;
        }
        if matches!(import.source, Expression::StringLiteral(_)) {
            self.declined = Some("an import with options");
        } else if !self.keeps_imports || import.options.is_some() {
            self.declined = Some("a computed import");
        } else {
            self.computed(&import.source);
        }
        walk_js::walk_import_expression(self, import);
    }

    fn visit_import_meta(&mut self, _: &ImportMeta) {
        self.uses_meta = true;
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        if self.this_depth == 0 {
            self.marks += 1;
            let inner = self.scopes.last().map_or(0, |scope| scope.index() as u32);
            if !self.places.statements.is_empty() && self.places.this.last() != Some(&inner) {
                self.places.this.push(inner);
            }
        }
    }

    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        self.has_await |= self.depth == 0;
        walk_js::walk_await_expression(self, expression);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.has_await |= self.depth == 0 && statement.r#await;
        walk_js::walk_for_of_statement(self, statement);
    }

    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        if declaration.kind.is_using() && self.depth == 0 {
            self.has_await |= declaration.kind.is_await();
        }
        walk_js::walk_variable_declaration(self, declaration);
    }

    fn visit_return_statement(&mut self, statement: &oxc::ast::ast::ReturnStatement<'a>) {
        self.has_return |= self.depth == 0;
        if let Some(Expression::ImportExpression(import)) = &statement.argument {
            self.whole = Some(import.span.start);
        }
        walk_js::walk_return_statement(self, statement);
    }

    fn visit_try_statement(&mut self, statement: &oxc::ast::ast::TryStatement<'a>) {
        let is_caught = statement.handler.is_some();
        self.tries += u32::from(is_caught);
        self.visit_block_statement(&statement.block);
        self.tries -= u32::from(is_caught);
        if let Some(handler) = &statement.handler {
            self.visit_catch_clause(handler);
        }
        if let Some(finalizer) = &statement.finalizer {
            self.visit_block_statement(finalizer);
        }
    }

    fn visit_with_statement(&mut self, _: &oxc::ast::ast::WithStatement<'a>) {
        self.declined = Some("a `with` statement");
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let before = self.marks;
        if let Some(id) = &function.id {
            self.visit_binding_identifier(id);
        }
        self.enter_scope(flags, &function.scope_id);
        self.with_own_this(|scanner| {
            scanner.visit_formal_parameters(&function.params);
            if let Some(body) = &function.body {
                scanner.visit_function_body(body);
            }
        });
        self.leave_scope();
        self.leave_function(before, &function.scope_id);
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        self.depth += 1;
        if let Some(Expression::ImportExpression(import)) = function.get_expression() {
            self.whole = Some(import.span.start);
        }
        let before = self.marks;
        walk_js::walk_arrow_function_expression(self, function);
        self.leave_function(before, &function.scope_id);
        self.depth -= 1;
    }

    fn visit_property_definition(&mut self, property: &PropertyDefinition<'a>) {
        for decorator in &property.decorators {
            self.visit_decorator(decorator);
        }
        self.visit_property_key(&property.key);
        if let Some(value) = &property.value {
            self.with_own_this(|scanner| scanner.visit_expression(value));
        }
    }

    fn visit_accessor_property(&mut self, property: &oxc::ast::ast::AccessorProperty<'a>) {
        self.visit_property_key(&property.key);
        if let Some(value) = &property.value {
            self.with_own_this(|scanner| scanner.visit_expression(value));
        }
    }

    fn visit_static_block(&mut self, block: &StaticBlock<'a>) {
        self.with_own_this(|scanner| walk_js::walk_static_block(scanner, block));
    }
}
