//! Short names for what is declared inside of modules, from the table of scopes that they were scanned by.
//!
//! A name of an outer scope stays visible where it is used, and is hidden elsewhere: what stands in scopes that do not need each
//! other has the same short name. The idea is that of esbuild's slots
//! (https://github.com/evanw/esbuild/blob/main/docs/architecture.md#symbol-minification), with the places where names are used.

use oxc::mangler::base54;
use oxc::semantic::{ReferenceId, Scoping, SymbolId};
use oxc::span::SPAN;
use oxc::str::{CompactStr, Ident};
use oxc::syntax::keyword::is_reserved_keyword;
use oxc::syntax::node::NodeId;
use oxc::syntax::symbol::SymbolFlags;
use rustc_hash::FxHashSet;

/// What a table of scopes does not tell of a module.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Names of which a declaration stands in a deeper scope than the one that they belong to, with that scope: `var` in blocks.
    pub deeper: Vec<(u32, u32)>,
    /// Scopes in which `this` is that of the module: CommonJS has `exports` there.
    pub this: Vec<u32>,
    /// By scope: the statement of the module's top that it stands in, counted from 1.
    pub statements: Vec<u32>,
}

/// Numbers of names, as a set.
#[derive(Clone, Default)]
struct Slots {
    low: u64,
    high: Vec<u64>,
}

impl Slots {
    fn first_free(&self) -> u32 {
        if self.low != u64::MAX {
            return self.low.trailing_ones();
        }
        let at = self.high.iter().position(|word| *word != u64::MAX).unwrap_or(self.high.len());
        64 * (at as u32 + 1) + self.high.get(at).map_or(0, |word| word.trailing_ones())
    }

    /// Adds a number; gives whether it is new.
    fn add(&mut self, slot: u32) -> bool {
        let bit = 1 << (slot % 64);
        let word = match (slot / 64) as usize {
            0 => &mut self.low,
            at => {
                if self.high.len() < at {
                    self.high.resize(at, 0);
                }
                &mut self.high[at - 1]
            }
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// Makes a name of what a module takes from elsewhere one of its top, as the parameter of a function around it is. One of
/// `declared` that has the name is this parameter.
pub(crate) fn declare_free(scoping: &mut Scoping, name: &'static str, declared: &[SymbolId]) -> SymbolId {
    if let Some(symbol) = declared.iter().find(|symbol| scoping.symbol_name(**symbol) == name) {
        return *symbol;
    }
    let root = scoping.root_scope_id();
    let flags = SymbolFlags::FunctionScopedVariable;
    let symbol = scoping.create_symbol(SPAN, Ident::from(name), flags, root, NodeId::DUMMY);
    let references: Vec<ReferenceId> =
        scoping.root_unresolved_references().get(name).map(|found| found.iter().copied().collect()).unwrap_or_default();
    for reference in references {
        scoping.get_reference_mut(reference).set_symbol_id(symbol);
        scoping.add_resolved_reference(symbol, reference);
    }
    symbol
}

/// Gives short names to what is declared inside of a module, and with `has_top` to what is at its top. `included` tells of each
/// statement of its top whether it is in the result; the names of `reserved` are none of these. `exports` is what the module's
/// `this` becomes.
pub(crate) fn shorten(
    scoping: &mut Scoping,
    places: &Places,
    included: &[bool],
    has_top: bool,
    reserved: &FxHashSet<CompactStr>,
    exports: Option<SymbolId>,
) {
    let root = scoping.root_scope_id().index();
    let is_in = |scope: usize| match places.statements.get(scope) {
        _ if scope == root => has_top,
        Some(0) | None => true,
        Some(statement) => included.get(*statement as usize - 1).copied().unwrap_or(true),
    };
    // Names by their scopes, each list in the order of declarations. A scope comes behind those around it.
    let mut ends = vec![0u32; scoping.scopes_len() + 1];
    let mut candidates = Vec::with_capacity(scoping.symbols_len());
    for symbol in scoping.symbol_ids() {
        let scope = scoping.symbol_scope_id(symbol).index();
        if is_in(scope) && scoping.symbol_name(symbol) != "arguments" {
            candidates.push((symbol, scope));
            ends[scope + 1] += 1;
        }
    }
    for scope in 1..ends.len() {
        ends[scope] += ends[scope - 1];
    }
    let mut sorted = vec![(0u32, 0u32); candidates.len()];
    for (symbol, scope) in candidates {
        sorted[ends[scope] as usize] = (symbol.index() as u32, scope as u32);
        ends[scope] += 1;
    }
    let parents: Vec<u32> = scoping
        .scope_descendants_from_root()
        .map(|scope| scoping.scope_parent_id(scope).map_or(u32::MAX, |parent| parent.index() as u32))
        .collect();
    let mut deeper = places.deeper.clone();
    if let Some(exports) = exports {
        deeper.extend(places.this.iter().map(|scope| (exports.index() as u32, *scope)));
    }
    deeper.sort_unstable();
    let mut taken: Vec<Slots> = vec![Slots::default(); scoping.scopes_len()];
    let mut slots: Vec<Vec<SymbolId>> = Vec::new();
    let mut uses: Vec<usize> = Vec::new();
    for (symbol, scope) in sorted {
        let slot = taken[scope as usize].first_free();
        let mut occupy = |mut inner: u32| {
            while inner != u32::MAX && taken[inner as usize].add(slot) && inner != scope {
                inner = parents[inner as usize];
            }
        };
        // Before the others, which end where the name is known already.
        occupy(scope);
        let id = SymbolId::from_usize(symbol as usize);
        for reference in scoping.get_resolved_references(id) {
            occupy(reference.scope_id().index() as u32);
        }
        let first = deeper.partition_point(|(other, _)| *other < symbol);
        for (_, inner) in deeper[first..].iter().take_while(|(other, _)| *other == symbol) {
            occupy(*inner);
        }
        let slot = slot as usize;
        if slots.len() <= slot {
            slots.resize_with(slot + 1, Vec::new);
            uses.resize(slot + 1, 0);
        }
        slots[slot].push(id);
        uses[slot] += scoping.get_resolved_reference_ids(id).len() + 1;
    }
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|slot| std::cmp::Reverse(uses[*slot]));
    let free = scoping.root_unresolved_references();
    let mut next = 0;
    let names: Vec<_> = order
        .iter()
        .map(|_| {
            loop {
                let name = base54(next);
                next += 1;
                let text = name.as_str();
                if !is_reserved_keyword(text) && !reserved.contains(text) && !free.contains_key(text) {
                    break name;
                }
            }
        })
        .collect();
    // Of names of one length neighbours get those that follow each other, which packs better.
    let mut at = 0;
    while at < order.len() {
        let length = names[at].as_str().len();
        let end = at + names[at..].iter().take_while(|name| name.as_str().len() == length).count();
        order[at..end].sort_unstable();
        at = end;
    }
    for (slot, name) in order.into_iter().zip(&names) {
        scoping.set_symbol_names(&slots[slot], Ident::from(name.as_str()));
    }
}
