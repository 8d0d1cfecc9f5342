//! The modules of a build, by number.

use arcstr::ArcStr;
use oxc::semantic::{ScopeId, Scoping, SymbolId};
use oxc::str::{CompactStr, Ident};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::shorten::Places;
use crate::{ImportKind, Source};

/// The runtime's helpers.
pub(crate) const RUNTIME: u32 = 0;

/// A name at the top of a module: the number among the names of its top, or behind those one that the linker makes. Names inside of
/// functions have none, so that a change there changes no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolRef {
    pub module: u32,
    pub symbol: u32,
}

/// What a module asks for.
#[derive(Debug, PartialEq)]
pub(crate) struct Record {
    pub kind: ImportKind,
    pub target: Target,
    /// As it is written: trees that were changed have calls without places of their own.
    pub specifier: CompactStr,
    /// Whether all of what an `import()` gives may be used.
    pub is_whole: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Module(u32),
    /// A number of `Graph::externals`.
    External(u32),
}

/// What a local name of an `import` is.
#[derive(Debug, PartialEq)]
pub(crate) struct Import {
    pub record: u32,
    /// `None` for `* as`.
    pub name: Option<CompactStr>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Export {
    Local(u32),
    From(u32, CompactStr),
    Namespace(u32),
}

/// A statement at the top of a module.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub declares: Vec<u32>,
    /// Names of the module's top that it uses.
    pub uses: Vec<u32>,
    /// Members of imports that it uses, other than of defaults.
    pub members: Vec<(u32, CompactStr)>,
    /// What it requires.
    pub records: Vec<u32>,
    pub has_effects: bool,
    /// Records of `import * as` of which it reads members when it runs.
    pub reads: Vec<u32>,
    /// Whether it uses the `require` of the environment.
    pub uses_require: bool,
}

impl Part {
    /// Whether a statement only imports or exports.
    pub(crate) fn is_link(&self) -> bool {
        !self.has_effects && self.declares.is_empty() && self.uses.is_empty() && self.records.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Esm,
    Cjs,
    /// Neither imports nor exports.
    None,
}

/// A name that a module declares at its top.
#[derive(Debug, PartialEq)]
pub(crate) struct Own {
    pub name: CompactStr,
    /// How often it is used.
    pub uses: usize,
    pub is_mutated: bool,
}

#[derive(Debug)]
pub(crate) struct Module {
    pub id: ArcStr,
    /// Its tree, until it is printed: what is printed again is read again.
    pub source: Option<Source>,
    pub text: ArcStr,
    /// How many names its top has: those behind are the linker's.
    pub symbols: u32,
    /// The names of its top.
    pub own: FxHashMap<u32, Own>,
    /// Names that it uses without declaring them.
    pub free: Vec<CompactStr>,
    pub kind: Kind,
    pub is_node: bool,
    pub is_cjs: bool,
    pub side_effects: bool,
    pub parts: Vec<Part>,
    pub records: Vec<Record>,
    pub imports: FxHashMap<u32, Import>,
    pub exports: FxHashMap<CompactStr, Export>,
    /// Records of `export * from`.
    pub stars: Vec<u32>,
    /// The parts that declare a name.
    pub declared: FxHashMap<u32, Vec<u32>>,
    pub has_await: bool,
    /// Whether the tree has something to replace beside names: `this`, `require`, `import.meta`.
    pub has_marks: bool,
    /// The scopes of the functions of a large module that have nothing of that in them.
    pub unmarked: FxHashSet<ScopeId>,
    pub uses_meta: bool,
    pub uses_module: bool,
    /// Variables of its top that are the parameters `exports` and `module` of CommonJS: `var` declares these again.
    pub parameters: Vec<u32>,
    /// Whether statements declare names of the module's top inside of them, as `for (var …)` does.
    pub has_nested: bool,
    /// Whether it has private members of classes, `#name`.
    pub has_private: bool,
    /// Where its names and scopes stand, if names become short.
    pub places: Places,
    pub hashbang: Option<String>,
    /// Its directives, as they are written between quotes.
    pub directives: Vec<String>,
}

impl Module {
    pub(crate) fn is_made(&self, symbol: u32) -> bool {
        symbol >= self.symbols
    }

    /// Whether another text of the module declares, uses and asks for the same, so that links and names of a build stay.
    pub(crate) fn is_linked_as(&self, other: &Module) -> bool {
        let flags = |module: &Module| {
            [
                module.is_node,
                module.is_cjs,
                module.side_effects,
                module.has_await,
                module.has_marks,
                module.uses_meta,
                module.uses_module,
                module.has_nested,
            ]
        };
        (self.kind, self.symbols, flags(self)) == (other.kind, other.symbols, flags(other))
            && self.parts == other.parts
            && self.records == other.records
            && self.own == other.own
            && self.free == other.free
            && self.imports == other.imports
            && self.exports == other.exports
            && self.stars == other.stars
            && self.parameters == other.parameters
            && (&self.hashbang, &self.directives) == (&other.hashbang, &other.directives)
    }

    pub(crate) fn own_name(&self, symbol: u32) -> &str {
        self.own.get(&symbol).map_or("", |own| own.name.as_str())
    }
}

/// In boxes, as they are large, and a rebuild puts all of them into another table and back.
pub(crate) type Modules = Vec<Box<Module>>;

#[derive(Debug)]
pub(crate) struct Graph {
    pub modules: Modules,
    /// The numbers of modules, by id.
    pub numbers: FxHashMap<ArcStr, u32>,
    pub externals: Vec<ArcStr>,
    pub entry: u32,
    /// Whether modules have not been read as nobody asks for what they export.
    pub has_unread: bool,
}

/// The names of a module's top, by their numbers.
pub(crate) fn top_of(scoping: &Scoping) -> Vec<SymbolId> {
    let root = scoping.root_scope_id();
    scoping.symbol_ids().filter(|symbol| scoping.symbol_scope_id(*symbol) == root).collect()
}

/// The variables of a script's top that CommonJS has as parameters.
pub(crate) fn parameters_of(scoping: &Scoping) -> Vec<SymbolId> {
    let root = scoping.root_scope_id();
    let found = ["exports", "module"].map(|name| scoping.get_binding(root, Ident::from(name)));
    let is_var = |symbol: &SymbolId| {
        let flags = scoping.symbol_flags(*symbol);
        flags.is_function_scoped_declaration() && !flags.is_function()
    };
    found.into_iter().flatten().filter(is_var).collect()
}

/// Notes effects of reading members of what `import * as` gives of CommonJS: of some modules, or of all.
pub(crate) fn note_reads(modules: &mut [Box<Module>], some: Option<&[u32]>) {
    let all: Vec<u32> = if some.is_none() { (0..modules.len() as u32).collect() } else { Vec::new() };
    for number in some.unwrap_or(&all) {
        // Others are looked at meanwhile.
        let mut parts = std::mem::take(&mut modules[*number as usize].parts);
        let records = &modules[*number as usize].records;
        for part in parts.iter_mut().filter(|part| !part.reads.is_empty()) {
            let mut targets = part.reads.iter().map(|record| records[*record as usize].target);
            part.has_effects |= targets
                .any(|target| matches!(target, Target::Module(number) if modules[number as usize].kind == Kind::Cjs));
        }
        modules[*number as usize].parts = parts;
    }
}
