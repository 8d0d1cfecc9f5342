//! Large index files without side effects: of what they pass on only what somebody asks for is read.
//!
//! Modules ask while others are still being read, so what is asked of a module is kept until it is known to be an index file.

use std::sync::Arc;

use arcstr::ArcStr;
use oxc::str::CompactStr;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Export, Import, Kind, Module, Part, Record, Target};
use crate::shorten::Places;

/// What a resolution says of a module.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    pub side_effects: bool,
    pub is_node: bool,
    pub is_cjs: bool,
}

/// A module, and the name that is asked of it; `None` for all of it.
pub(crate) type Wish = (u32, Option<CompactStr>);

/// A module that is to be read: its number, its id, and what its resolution says of it.
pub(crate) type Found = (u32, ArcStr, About);

#[derive(Default)]
struct Wished {
    names: FxHashSet<CompactStr>,
    is_whole: bool,
}

/// Where the exports of an index file come from.
struct Index {
    exports: FxHashMap<CompactStr, Wish>,
    /// What it passes on whole.
    stars: Vec<u32>,
}

impl Index {
    /// What one wish asks of other modules.
    fn wishes(&self, name: Option<&CompactStr>) -> Vec<Wish> {
        match name {
            None => {
                let stars = self.stars.iter().map(|star| (*star, None));
                self.exports.values().cloned().chain(stars).collect()
            }
            Some(name) => match self.exports.get(name) {
                Some(wish) => vec![wish.clone()],
                None => self.stars.iter().map(|star| (*star, Some(name.clone()))).collect(),
            },
        }
    }
}

/// The index files of a build.
#[derive(Default)]
pub(crate) struct IndexFiles {
    indexes: FxHashMap<u32, Arc<Index>>,
    wished: FxHashMap<u32, Wished>,
    /// Modules that nobody has asked for yet.
    unread: FxHashMap<u32, (ArcStr, About)>,
}

impl IndexFiles {
    /// Leaves a module unread until somebody asks for it.
    pub(crate) fn leave(&mut self, number: u32, id: ArcStr, about: About) {
        self.unread.insert(number, (id, about));
    }

    /// A module that was left unread, which it is no longer.
    pub(crate) fn take(&mut self, number: u32) -> Option<Found> {
        let (id, about) = self.unread.remove(&number)?;
        Some((number, id, about))
    }

    /// Adds an index file; gives what is to be read for those who have asked before.
    pub(crate) fn add(
        &mut self,
        number: u32,
        records: &[Record],
        imports: &FxHashMap<u32, Import>,
        exports: &FxHashMap<CompactStr, Export>,
        stars: &[u32],
    ) -> Vec<Found> {
        let target = |record: u32| match records[record as usize].target {
            Target::Module(number) => Some(number),
            Target::External(_) => None,
        };
        let wish = |export: &Export| match export {
            Export::From(record, name) => Some((target(*record)?, Some(name.clone()))),
            Export::Namespace(record) => Some((target(*record)?, None)),
            Export::Local(symbol) => {
                let import = imports.get(symbol)?;
                Some((target(import.record)?, import.name.clone()))
            }
        };
        let exports = exports.iter().filter_map(|(name, export)| Some((name.clone(), wish(export)?))).collect();
        let stars = stars.iter().filter_map(|star| target(*star)).collect();
        self.indexes.insert(number, Arc::new(Index { exports, stars }));
        let Some(before) = self.wished.remove(&number) else { return Vec::new() };
        let whole = before.is_whole.then_some((number, None));
        let names = before.names.into_iter().map(|name| (number, Some(name)));
        self.ask(names.chain(whole).collect())
    }

    /// Notes what is asked of modules; gives what is to be read for it.
    pub(crate) fn ask(&mut self, mut wishes: Vec<Wish>) -> Vec<Found> {
        let mut found = Vec::new();
        while let Some((number, name)) = wishes.pop() {
            found.extend(self.take(number));
            let wished = self.wished.entry(number).or_default();
            let is_new = match &name {
                Some(name) => !wished.is_whole && wished.names.insert(name.clone()),
                None => !std::mem::replace(&mut wished.is_whole, true),
            };
            if is_new && let Some(index) = self.indexes.get(&number) {
                wishes.extend(index.wishes(name.as_ref()));
            }
        }
        found
    }

    /// Puts modules without anything in them into the places of those that nobody has asked for, and takes from index files what they
    /// import of these. Gives whether there are some.
    pub(crate) fn finish(self, modules: &mut [Option<Box<Module>>]) -> bool {
        for number in self.indexes.keys() {
            if let Some(Some(module)) = modules.get_mut(*number as usize) {
                let Module { imports, records, .. } = &mut **module;
                imports.retain(|_, import| match records[import.record as usize].target {
                    Target::Module(target) => !self.unread.contains_key(&target),
                    Target::External(_) => true,
                });
            }
        }
        let has_unread = !self.unread.is_empty();
        for (number, (id, about)) in self.unread {
            modules[number as usize] = Some(Box::new(unread(id, about)));
        }
        has_unread
    }
}

/// What a module that is no index file asks of others: of its records' targets those that `may_be_index` names.
pub(crate) fn wishes_of(
    records: &[Record],
    parts: &[Part],
    imports: &FxHashMap<u32, Import>,
    exports: &FxHashMap<CompactStr, Export>,
    stars: &[u32],
    may_be_index: &FxHashSet<u32>,
) -> Vec<Wish> {
    let mut wishes = Vec::new();
    if may_be_index.is_empty() {
        return wishes;
    }
    let target = |record: u32| match records[record as usize].target {
        Target::Module(number) => may_be_index.contains(&number).then_some(number),
        Target::External(_) => None,
    };
    // Names of `import * as` of which nothing but members is used.
    let mut namespaces: FxHashMap<u32, u32> = FxHashMap::default();
    for (symbol, import) in imports {
        let Some(number) = target(import.record) else { continue };
        match &import.name {
            Some(name) => wishes.push((number, Some(name.clone()))),
            None => {
                namespaces.insert(*symbol, number);
            }
        }
    }
    let uses = parts.iter().flat_map(|part| &part.uses).copied();
    let passed_on = exports.values().filter_map(|export| match export {
        Export::Local(symbol) => Some(*symbol),
        _ => None,
    });
    for symbol in uses.chain(passed_on) {
        wishes.extend(namespaces.remove(&symbol).map(|number| (number, None)));
    }
    for (symbol, name) in parts.iter().flat_map(|part| &part.members) {
        wishes.extend(namespaces.get(symbol).map(|number| (*number, Some(name.clone()))));
    }
    for export in exports.values() {
        match export {
            Export::From(record, name) => wishes.extend(target(*record).map(|number| (number, Some(name.clone())))),
            Export::Namespace(record) => wishes.extend(target(*record).map(|number| (number, None))),
            Export::Local(_) => {}
        }
    }
    let later = parts.iter().flat_map(|part| &part.records);
    wishes.extend(stars.iter().chain(later).filter_map(|record| Some((target(*record)?, None))));
    wishes
}

/// What stands in the place of a module that is not read.
fn unread(id: ArcStr, about: About) -> Module {
    Module {
        id,
        source: None,
        text: ArcStr::new(),
        symbols: 0,
        own: FxHashMap::default(),
        free: Vec::new(),
        kind: Kind::Esm,
        is_node: about.is_node,
        is_cjs: about.is_cjs,
        side_effects: false,
        parts: Vec::new(),
        records: Vec::new(),
        imports: FxHashMap::default(),
        exports: FxHashMap::default(),
        stars: Vec::new(),
        declared: FxHashMap::default(),
        has_await: false,
        has_marks: false,
        unmarked: FxHashSet::default(),
        uses_meta: false,
        uses_module: false,
        parameters: Vec::new(),
        has_nested: false,
        has_private: false,
        places: Places::default(),
        hashbang: None,
        directives: Vec::new(),
    }
}
