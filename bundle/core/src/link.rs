//! What imports are: names of other modules, objects of exports, members of what CommonJS gives, names of externals.

use std::collections::hash_map::Entry;

use oxc::str::CompactStr;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Export, Graph, Kind, Module, SymbolRef, Target};
use crate::{Declined, Format, ImportKind, Options};

/// What an import, or a member of a namespace, is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Symbol(SymbolRef),
    /// The object of a module's exports.
    Namespace(u32),
    /// A member of what a record of a module gives, which is CommonJS; `None` for all of it.
    Member {
        module: u32,
        record: u32,
        name: Option<CompactStr>,
    },
    External {
        external: u32,
        name: Option<CompactStr>,
    },
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    None,
    /// `__commonJS`
    Cjs,
    /// `__esm`
    Esm,
}

#[derive(Debug, Default)]
pub(crate) struct ModuleLinks {
    pub imports: FxHashMap<u32, Found>,
    pub members: FxHashMap<(u32, CompactStr), Found>,
}

#[derive(Debug)]
pub(crate) struct Links {
    pub modules: Vec<ModuleLinks>,
    pub wraps: Vec<Wrap>,
    /// All exports of a module by name, also those of its stars, of modules whose namespace matters.
    pub entry_exports: Vec<(CompactStr, Found)>,
    /// Externals whose names the entry point passes on.
    pub entry_stars: Vec<u32>,
}

pub(crate) fn link(graph: &Graph, options: &Options) -> Result<Links, Declined> {
    let wraps = wraps(graph, options)?;
    let linker = Linker { graph, options };
    let modules: Result<Vec<ModuleLinks>, Declined> =
        graph.modules.par_iter().enumerate().map(|(number, module)| linker.module(number as u32, module)).collect();
    let mut entry_stars = Vec::new();
    let entry = &graph.modules[graph.entry as usize];
    let entry_exports = if entry.kind == Kind::Cjs {
        Vec::new()
    } else {
        linker.external_stars(graph.entry, &mut FxHashSet::default(), &mut entry_stars)?;
        if options.format != Format::Esm && !entry_stars.is_empty() {
            return Err(Declined::because("all names of an external, outside of an ES module"));
        }
        linker.all_exports(graph.entry)?
    };
    Ok(Links { modules: modules?, wraps, entry_exports, entry_stars })
}

/// Which modules run by a call.
fn wraps(graph: &Graph, options: &Options) -> Result<Vec<Wrap>, Declined> {
    let mut wraps: Vec<Wrap> =
        graph.modules.iter().map(|module| if module.kind == Kind::Cjs { Wrap::Cjs } else { Wrap::None }).collect();
    let mut stack = Vec::new();
    for module in &graph.modules {
        for record in &module.records {
            let Target::Module(number) = record.target else {
                continue;
            };
            let target = &graph.modules[number as usize];
            match record.kind {
                ImportKind::Import => {}
                ImportKind::Require if target.kind == Kind::None => wraps[number as usize] = Wrap::Cjs,
                ImportKind::Require | ImportKind::Dynamic if target.kind == Kind::Cjs => {}
                // Who sees which exports are used leaves the others out.
                ImportKind::Dynamic if record.is_whole => stack.push(number),
                _ => {
                    return Err(Declined::because(format!("{}: some exports of a later module", module.id)));
                }
            }
        }
    }
    // What a wrapped module imports has to wait for it.
    while let Some(number) = stack.pop() {
        if wraps[number as usize] != Wrap::None {
            continue;
        }
        wraps[number as usize] = Wrap::Esm;
        let module = &graph.modules[number as usize];
        for record in &module.records {
            if let (ImportKind::Import, Target::Module(target)) = (record.kind, record.target) {
                stack.push(target);
            }
        }
    }
    // CommonJS that nobody asks for is the result itself.
    let is_asked_for = || {
        let records = graph.modules.iter().flat_map(|module| &module.records);
        records.into_iter().any(|record| record.target == Target::Module(graph.entry))
    };
    if options.format == Format::Cjs && wraps[graph.entry as usize] == Wrap::Cjs && !is_asked_for() {
        wraps[graph.entry as usize] = Wrap::None;
    }
    for (number, module) in graph.modules.iter().enumerate() {
        if module.has_await && (options.format != Format::Esm || wraps[number] != Wrap::None) {
            return Err(Declined::because(format!("{}: await at the top", module.id)));
        }
        if wraps[number] == Wrap::Esm && module.has_nested {
            return Err(Declined::because(format!(
                "{}: a variable of a block, in a module that runs later",
                module.id
            )));
        }
        if module.uses_meta && options.format != Format::Esm && number != 0 {
            return Err(Declined::because(format!("{}: import.meta", module.id)));
        }
        if module.kind == Kind::Cjs && module.uses_meta {
            return Err(Declined::because(format!("{}: import.meta in CommonJS", module.id)));
        }
    }
    Ok(wraps)
}

pub(crate) struct Linker<'g> {
    pub graph: &'g Graph,
    pub options: &'g Options,
}

impl Linker<'_> {
    fn module(&self, number: u32, module: &Module) -> Result<ModuleLinks, Declined> {
        let mut links = ModuleLinks::default();
        for (symbol, import) in &module.imports {
            let found = self.record(number, import.record, import.name.as_ref(), &mut FxHashSet::default())?;
            if found == Found::Missing {
                return Err(Declined::because(format!("{}: an import that is missing", module.id)));
            }
            links.imports.insert(*symbol, found);
        }
        for part in &module.parts {
            for (symbol, name) in &part.members {
                if let Some(Found::Namespace(target)) = links.imports.get(symbol) {
                    let target = *target;
                    if let Entry::Vacant(member) = links.members.entry((*symbol, name.clone())) {
                        let found = self.export(target, name, &mut FxHashSet::default())?;
                        if found == Found::Missing {
                            let text = format!("{}: a member of a namespace that is missing", module.id);
                            return Err(Declined::because(text));
                        }
                        member.insert(found);
                    }
                }
            }
        }
        Ok(links)
    }

    /// What a record of a module gives by a name, or all of it.
    fn record(
        &self,
        number: u32,
        record: u32,
        name: Option<&CompactStr>,
        visited: &mut FxHashSet<(u32, CompactStr)>,
    ) -> Result<Found, Declined> {
        let module = &self.graph.modules[number as usize];
        match module.records[record as usize].target {
            // Only ES modules have imports: elsewhere what `require` gives is a variable's, as of CommonJS in the bundle.
            Target::External(_) if self.options.format != Format::Esm => {
                Ok(Found::Member { module: number, record, name: name.cloned() })
            }
            Target::External(external) => Ok(Found::External { external, name: name.cloned() }),
            Target::Module(target) => {
                if self.graph.modules[target as usize].kind == Kind::Cjs {
                    return Ok(Found::Member { module: number, record, name: name.cloned() });
                }
                match name {
                    None => Ok(Found::Namespace(target)),
                    Some(name) => self.export(target, name, visited),
                }
            }
        }
    }

    /// What a module exports by a name.
    pub(crate) fn export(
        &self,
        number: u32,
        name: &CompactStr,
        visited: &mut FxHashSet<(u32, CompactStr)>,
    ) -> Result<Found, Declined> {
        let module = &self.graph.modules[number as usize];
        match module.exports.get(name) {
            Some(Export::Local(symbol)) => match module.imports.get(symbol) {
                Some(import) => {
                    if !visited.insert((number, name.clone())) {
                        return Ok(Found::Missing);
                    }
                    self.record(number, import.record, import.name.as_ref(), visited)
                }
                None => Ok(Found::Symbol(SymbolRef { module: number, symbol: *symbol })),
            },
            Some(Export::From(record, inner)) => {
                if !visited.insert((number, name.clone())) {
                    return Ok(Found::Missing);
                }
                self.record(number, *record, Some(inner), visited)
            }
            Some(Export::Namespace(record)) => self.record(number, *record, None, visited),
            None => self.starred(number, name, visited),
        }
    }

    /// What the stars of a module export by a name.
    fn starred(
        &self,
        number: u32,
        name: &CompactStr,
        visited: &mut FxHashSet<(u32, CompactStr)>,
    ) -> Result<Found, Declined> {
        let module = &self.graph.modules[number as usize];
        if name == "default" || module.stars.is_empty() || !visited.insert((number, name.clone())) {
            return Ok(Found::Missing);
        }
        let mut found = Found::Missing;
        let mut is_open = false;
        for star in &module.stars {
            match module.records[*star as usize].target {
                Target::External(_) => is_open = true,
                Target::Module(target) if self.graph.modules[target as usize].kind == Kind::Cjs => is_open = true,
                Target::Module(target) => {
                    // What another way has led to already was found then.
                    let one = self.export(target, name, visited)?;
                    if one == Found::Missing || one == found {
                        continue;
                    }
                    if found != Found::Missing {
                        return Err(Declined::because(format!("{}: {name} is ambiguous", module.id)));
                    }
                    found = one;
                }
            }
        }
        if found == Found::Missing && is_open {
            return Err(Declined::because(format!("{}: {name} may be of an external or CommonJS", module.id)));
        }
        Ok(found)
    }

    /// All names that a module exports, sorted.
    pub(crate) fn all_exports(&self, number: u32) -> Result<Vec<(CompactStr, Found)>, Declined> {
        let mut names = Vec::new();
        self.names_of(number, true, &mut FxHashSet::default(), &mut names);
        names.sort_unstable();
        names.dedup();
        let mut exports = Vec::with_capacity(names.len());
        for name in names {
            let found = self.export(number, &name, &mut FxHashSet::default())?;
            if found == Found::Missing {
                let id = &self.graph.modules[number as usize].id;
                return Err(Declined::because(format!("{id}: the export {name} is missing")));
            }
            exports.push((name, found));
        }
        Ok(exports)
    }

    fn names_of(&self, number: u32, is_first: bool, visited: &mut FxHashSet<u32>, names: &mut Vec<CompactStr>) {
        if !visited.insert(number) {
            return;
        }
        let module = &self.graph.modules[number as usize];
        names.extend(module.exports.keys().filter(|name| is_first || *name != "default").cloned());
        for star in &module.stars {
            if let Target::Module(target) = module.records[*star as usize].target {
                self.names_of(target, false, visited, names);
            }
        }
    }

    /// The externals among the stars of a module and of those that they lead to.
    pub(crate) fn external_stars(
        &self,
        number: u32,
        visited: &mut FxHashSet<u32>,
        stars: &mut Vec<u32>,
    ) -> Result<(), Declined> {
        if !visited.insert(number) {
            return Ok(());
        }
        let module = &self.graph.modules[number as usize];
        for star in &module.stars {
            match module.records[*star as usize].target {
                Target::External(external) if !stars.contains(&external) => stars.push(external),
                Target::External(_) => {}
                Target::Module(target) if self.graph.modules[target as usize].kind == Kind::Cjs => {
                    return Err(Declined::because(format!("{}: all names of CommonJS", module.id)));
                }
                Target::Module(target) => self.external_stars(target, visited, stars)?,
            }
        }
        Ok(())
    }
}
