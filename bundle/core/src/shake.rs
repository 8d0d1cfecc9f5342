//! Which modules, statements and objects of exports a result needs, and in which order the modules stand.

use oxc::str::CompactStr;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Export, Graph, Part, RUNTIME, SymbolRef, Target};
use crate::link::{Found, Linker, Links, Wrap};
use crate::{Declined, Format, ImportKind, Options};

#[derive(Debug)]
pub(crate) struct Shaken {
    pub modules: Vec<bool>,
    pub parts: Vec<Vec<bool>>,
    /// Objects of exports that are needed.
    pub namespaces: Vec<Option<Vec<(CompactStr, Found)>>>,
    /// Records whose value a variable holds.
    pub import_vars: FxHashSet<(u32, u32)>,
    /// Names of externals that are used; `None` for all of it.
    pub externals: Vec<(u32, Option<CompactStr>)>,
    pub external_numbers: FxHashMap<(u32, Option<CompactStr>), u32>,
    pub order: Vec<u32>,
    /// What imports run before a module begins: modules with their records.
    pub runs: FxHashMap<u32, Vec<(u32, u32)>>,
    /// Externals in the order of their imports.
    pub external_order: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Helper {
    CommonJs,
    Esm,
    ExportAll,
    ToEsm,
    ToCommonJs,
    Require,
}

impl Helper {
    pub(crate) const ALL: [Helper; 6] =
        [Helper::CommonJs, Helper::Esm, Helper::ExportAll, Helper::ToEsm, Helper::ToCommonJs, Helper::Require];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Helper::CommonJs => "__commonJS",
            Helper::Esm => "__esm",
            Helper::ExportAll => "__exportAll",
            Helper::ToEsm => "__toESM",
            Helper::ToCommonJs => "__toCommonJS",
            Helper::Require => "__require",
        }
    }
}

/// The symbol of a helper in the runtime.
pub(crate) fn helper_symbol(graph: &Graph, helper: Helper) -> Option<u32> {
    match graph.modules[RUNTIME as usize].exports.get(helper.name()) {
        Some(Export::Local(symbol)) => Some(*symbol),
        _ => None,
    }
}

enum Job {
    Part(u32, u32),
    Module(u32),
}

struct Shaker<'g> {
    graph: &'g Graph,
    links: &'g Links,
    options: &'g Options,
    shaken: Shaken,
    jobs: Vec<Job>,
}

pub(crate) fn shake(graph: &Graph, links: &Links, options: &Options) -> Result<Shaken, Declined> {
    let count = graph.modules.len();
    let mut shaker = Shaker {
        graph,
        links,
        options,
        shaken: Shaken {
            modules: vec![false; count],
            parts: graph.modules.iter().map(|module| vec![false; module.parts.len()]).collect(),
            namespaces: (0..count).map(|_| None).collect(),
            import_vars: FxHashSet::default(),
            externals: Vec::new(),
            external_numbers: FxHashMap::default(),
            order: Vec::new(),
            runs: FxHashMap::default(),
            external_order: Vec::new(),
        },
        jobs: Vec::new(),
    };
    shaker.module(graph.entry);
    for (_, found) in &links.entry_exports {
        shaker.found(found)?;
    }
    while let Some(job) = shaker.jobs.pop() {
        match job {
            Job::Part(module, part) => shaker.run_part(module, part)?,
            Job::Module(module) => shaker.run_module(module)?,
        }
    }
    shaker.put_in_order();
    Ok(shaker.shaken)
}

impl Shaker<'_> {
    fn module(&mut self, number: u32) {
        if !std::mem::replace(&mut self.shaken.modules[number as usize], true) {
            self.jobs.push(Job::Module(number));
        }
    }

    fn part(&mut self, number: u32, part: u32) {
        if !std::mem::replace(&mut self.shaken.parts[number as usize][part as usize], true) {
            self.jobs.push(Job::Part(number, part));
            self.module(number);
        }
    }

    fn symbol(&mut self, symbol: SymbolRef) {
        let graph = self.graph;
        self.module(symbol.module);
        if let Some(parts) = graph.modules[symbol.module as usize].declared.get(&symbol.symbol) {
            for part in parts {
                self.part(symbol.module, *part);
            }
        }
    }

    fn helper(&mut self, helper: Helper) {
        if let Some(symbol) = helper_symbol(self.graph, helper) {
            self.symbol(SymbolRef { module: RUNTIME, symbol });
        }
    }

    fn found(&mut self, found: &Found) -> Result<(), Declined> {
        match found {
            Found::Symbol(symbol) => self.symbol(*symbol),
            Found::Namespace(number) => self.namespace(*number)?,
            Found::Member { module, record, .. } => {
                self.module(*module);
                if self.shaken.import_vars.insert((*module, *record)) {
                    self.helper(Helper::ToEsm);
                    if let Target::Module(target) =
                        self.graph.modules[*module as usize].records[*record as usize].target
                    {
                        self.module(target);
                    }
                }
            }
            Found::External { external, name } => {
                let key = (*external, name.clone());
                if !self.shaken.external_numbers.contains_key(&key) {
                    self.shaken.external_numbers.insert(key.clone(), self.shaken.externals.len() as u32);
                    self.shaken.externals.push(key);
                }
            }
            Found::Missing => {}
        }
        Ok(())
    }

    fn namespace(&mut self, number: u32) -> Result<(), Declined> {
        self.module(number);
        if self.shaken.namespaces[number as usize].is_some() {
            return Ok(());
        }
        let linker = Linker { graph: self.graph, options: self.options };
        let mut stars = Vec::new();
        linker.external_stars(number, &mut FxHashSet::default(), &mut stars)?;
        if !stars.is_empty() {
            return Err(Declined::because("an object of exports with those of an external"));
        }
        let exports = linker.all_exports(number)?;
        self.shaken.namespaces[number as usize] = Some(exports.clone());
        self.helper(Helper::ExportAll);
        for (_, found) in &exports {
            self.found(found)?;
        }
        Ok(())
    }

    fn run_module(&mut self, number: u32) -> Result<(), Declined> {
        let graph = self.graph;
        let module = &graph.modules[number as usize];
        match self.links.wraps[number as usize] {
            Wrap::Cjs => {
                self.helper(Helper::CommonJs);
                for part in 0..module.parts.len() {
                    self.part(number, part as u32);
                }
            }
            Wrap::Esm => self.helper(Helper::Esm),
            Wrap::None => {}
        }
        if number != RUNTIME {
            for (index, part) in module.parts.iter().enumerate() {
                if part.has_effects {
                    self.part(number, index as u32);
                }
            }
        }
        for record in &module.records {
            if let (ImportKind::Import, Target::Module(target)) = (record.kind, record.target)
                && graph.modules[target as usize].side_effects
            {
                self.module(target);
            }
        }
        Ok(())
    }

    fn run_part(&mut self, number: u32, part: u32) -> Result<(), Declined> {
        let (graph, links) = (self.graph, self.links);
        let module = &graph.modules[number as usize];
        let Part { uses, members, records, uses_require, .. } = &module.parts[part as usize];
        let of_module = &links.modules[number as usize];
        for symbol in uses {
            match of_module.imports.get(symbol) {
                Some(found) => self.found(found)?,
                None => self.symbol(SymbolRef { module: number, symbol: *symbol }),
            }
        }
        for (symbol, name) in members {
            match of_module.imports.get(symbol) {
                Some(Found::Namespace(target)) => match of_module.members.get(&(*symbol, name.clone())) {
                    Some(Found::Missing) | None => self.namespace(*target)?,
                    Some(found) => self.found(found)?,
                },
                Some(found) => self.found(found)?,
                None => {}
            }
        }
        for record in records {
            match module.records[*record as usize].target {
                Target::Module(target) => {
                    let is_required = module.records[*record as usize].kind == ImportKind::Require;
                    self.module(target);
                    if self.links.wraps[target as usize] == Wrap::Esm {
                        self.namespace(target)?;
                        if is_required {
                            self.helper(Helper::ToCommonJs);
                        }
                    } else if !is_required {
                        self.helper(Helper::ToEsm);
                    }
                }
                Target::External(_) => {
                    if self.options.format == Format::Esm
                        && module.records[*record as usize].kind == ImportKind::Require
                    {
                        self.helper(Helper::Require);
                    }
                }
            }
        }
        if *uses_require && self.options.format == Format::Esm && number != RUNTIME {
            self.helper(Helper::Require);
        }
        Ok(())
    }

    /// Puts what a module needs before it, as it runs.
    fn put_in_order(&mut self) {
        enum Step {
            Enter(u32),
            Run(u32, u32),
            Leave(u32),
        }
        let mut pending: Vec<(u32, u32)> = Vec::new();
        let mut visited = vec![false; self.graph.modules.len()];
        let mut stack = vec![Step::Enter(self.graph.entry), Step::Enter(RUNTIME)];
        let mut has_external = vec![false; self.graph.externals.len()];
        while let Some(step) = stack.pop() {
            let number = match step {
                Step::Leave(number) => {
                    if self.shaken.modules[number as usize] {
                        self.shaken.order.push(number);
                        if self.links.wraps[number as usize] == Wrap::None && !pending.is_empty() {
                            self.shaken.runs.insert(number, std::mem::take(&mut pending));
                        }
                    }
                    continue;
                }
                Step::Run(number, record) => {
                    pending.push((number, record));
                    continue;
                }
                Step::Enter(number) => number,
            };
            if std::mem::replace(&mut visited[number as usize], true) {
                continue;
            }
            stack.push(Step::Leave(number));
            let module = &self.graph.modules[number as usize];
            if self.shaken.modules[number as usize] && number != RUNTIME {
                for record in &module.records {
                    if let (ImportKind::Import, Target::External(external)) = (record.kind, record.target)
                        && !std::mem::replace(&mut has_external[external as usize], true)
                    {
                        self.shaken.external_order.push(external);
                    }
                }
            }
            for kind in [ImportKind::Dynamic, ImportKind::Require, ImportKind::Import] {
                let is_run = kind == ImportKind::Import
                    && self.shaken.modules[number as usize]
                    && self.links.wraps[number as usize] == Wrap::None;
                for (index, record) in module.records.iter().enumerate().rev().filter(|(_, record)| record.kind == kind)
                {
                    // What runs by a call is called in its place among the imports.
                    if is_run {
                        stack.push(Step::Run(number, index as u32));
                    }
                    if let Target::Module(target) = record.target {
                        stack.push(Step::Enter(target));
                    }
                }
            }
        }
        for (external, _) in &self.shaken.externals {
            if !std::mem::replace(&mut has_external[*external as usize], true) {
                self.shaken.external_order.push(*external);
            }
        }
    }
}
