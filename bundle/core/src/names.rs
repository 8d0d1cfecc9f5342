//! The names that what modules declare at their top has in the result.

use arcstr::ArcStr;
use oxc::mangler::base54;
use oxc::str::CompactStr;
use oxc::syntax::keyword::is_reserved_keyword;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Graph, RUNTIME};
use crate::link::{Found, Links, Wrap};
use crate::shake::{Helper, Shaken, helper_symbol};
use crate::{ImportKind, Options};

/// Names of one letter are left to the names inside of functions, which are used more often.
pub const FIRST_SHARED_NAME: u32 = 54;

#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Of each module's own names, by number.
    pub own: Vec<FxHashMap<u32, CompactStr>>,
    pub namespaces: Vec<Option<CompactStr>>,
    pub wrappers: Vec<Option<CompactStr>>,
    pub import_vars: FxHashMap<(u32, u32), CompactStr>,
    pub externals: Vec<CompactStr>,
    helpers: FxHashMap<&'static str, CompactStr>,
}

impl Names {
    pub(crate) fn helper(&self, helper: Helper) -> &str {
        self.helpers.get(helper.name()).map_or(helper.name(), CompactStr::as_str)
    }
}

/// What a name is for.
#[derive(Clone, Copy)]
enum Key {
    Own(u32, u32),
    Namespace(u32),
    Wrapper(u32),
    ImportVar(u32, u32),
    External(u32),
}

struct Wanted {
    key: Key,
    name: CompactStr,
    uses: usize,
}

/// A word of a path for names: `index` is called as its folder.
fn word_of(id: &ArcStr) -> String {
    let path = id.rsplit('\0').next().unwrap_or(id);
    let path = path.split('?').next().unwrap_or(path);
    let mut parts = path.rsplit(['/', ':']);
    let file = parts.next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = if stem == "index" { parts.next().filter(|folder| !folder.is_empty()).unwrap_or(stem) } else { stem };
    let mut word: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' }).collect();
    if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
        word.insert(0, '_');
    }
    word
}

pub(crate) fn is_identifier(text: &str) -> bool {
    oxc::syntax::identifier::is_identifier_name(text) && !is_reserved_keyword(text)
}

pub(crate) fn assign(graph: &Graph, links: &Links, shaken: &Shaken, options: &Options) -> Names {
    let mut names = Names {
        own: (0..graph.modules.len()).map(|_| FxHashMap::default()).collect(),
        namespaces: vec![None; graph.modules.len()],
        wrappers: vec![None; graph.modules.len()],
        ..Names::default()
    };
    names.externals = vec![CompactStr::from(""); shaken.externals.len()];
    let mut taken: FxHashSet<&str> = FxHashSet::from_iter([
        "exports",
        "module",
        "require",
        "arguments",
        "eval",
        "NaN",
        "undefined",
        "Infinity",
        "__filename",
        "__dirname",
    ]);
    let mut wanted: Vec<Wanted> = Vec::new();
    // Uses in other modules.
    let mut elsewhere: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    if options.mangle {
        for number in &shaken.order {
            let module = &graph.modules[*number as usize];
            for (symbol, found) in &links.modules[*number as usize].imports {
                let uses = module.own.get(symbol).map_or(0, |own| own.uses);
                if let Found::Symbol(target) = found {
                    *elsewhere.entry((target.module, target.symbol)).or_default() += uses;
                }
            }
        }
    }
    for (index, (external, name)) in shaken.externals.iter().enumerate() {
        let word = match name {
            Some(name) if name != "default" && is_identifier(name) => name.to_string(),
            _ => word_of(&graph.externals[*external as usize]),
        };
        wanted.push(Wanted { key: Key::External(index as u32), name: CompactStr::from(word), uses: 2 });
    }
    for number in &shaken.order {
        let module = &graph.modules[*number as usize];
        taken.extend(module.free.iter().map(CompactStr::as_str));
        if module.records.iter().any(|record| record.kind == ImportKind::Dynamic) {
            taken.insert("Promise");
        }
        let index = *number as usize;
        let mut word = None;
        let mut made = |ending: &str, before: &str| {
            let word = word.get_or_insert_with(|| word_of(&module.id));
            CompactStr::from(format!("{before}{word}{ending}"))
        };
        if shaken.namespaces[index].is_some() {
            wanted.push(Wanted { key: Key::Namespace(*number), name: made("_exports", ""), uses: 2 });
        }
        if links.wraps[index] == Wrap::Cjs {
            wanted.push(Wanted { key: Key::Wrapper(*number), name: made("", "require_"), uses: 2 });
            continue;
        }
        if links.wraps[index] == Wrap::Esm {
            wanted.push(Wanted { key: Key::Wrapper(*number), name: made("", "init_"), uses: 2 });
        }
        for (record, request) in module.records.iter().enumerate() {
            if shaken.import_vars.contains(&(*number, record as u32)) {
                let target = match request.target {
                    crate::graph::Target::Module(target) => word_of(&graph.modules[target as usize].id),
                    crate::graph::Target::External(external) => word_of(&graph.externals[external as usize]),
                };
                let name = CompactStr::from(format!("import_{target}"));
                wanted.push(Wanted { key: Key::ImportVar(*number, record as u32), name, uses: 4 });
            }
        }
        let mut last = u32::MAX;
        for (part, is_in) in module.parts.iter().zip(&shaken.parts[index]) {
            if !is_in {
                continue;
            }
            for symbol in &part.declares {
                if *symbol == last || module.parameters.contains(symbol) {
                    continue;
                }
                last = *symbol;
                let (name, uses) = if module.is_made(*symbol) {
                    (made("_default", ""), 1)
                } else {
                    let uses = if options.mangle { module.own.get(symbol).map_or(0, |own| own.uses) + 1 } else { 0 };
                    (CompactStr::from(module.own_name(*symbol)), uses)
                };
                let uses = uses + elsewhere.get(&(*number, *symbol)).copied().unwrap_or_default();
                wanted.push(Wanted { key: Key::Own(*number, *symbol), name, uses });
            }
        }
    }
    let mut taken: FxHashSet<CompactStr> = taken.into_iter().map(CompactStr::from).collect();
    if options.mangle {
        let mut next = FIRST_SHARED_NAME;
        wanted.sort_by_key(|wanted| std::cmp::Reverse(wanted.uses));
        for Wanted { key, .. } in wanted {
            if let Key::Own(module, symbol) = key
                && names.own[module as usize].contains_key(&symbol)
            {
                continue;
            }
            let name = loop {
                let candidate = base54(next);
                next += 1;
                if !is_reserved_keyword(candidate.as_str()) && !taken.contains(candidate.as_str()) {
                    break CompactStr::from(candidate.as_str());
                }
            };
            names.put(key, name);
        }
    } else {
        let mut counters: FxHashMap<CompactStr, u32> = FxHashMap::default();
        for Wanted { key, name, .. } in wanted {
            if let Key::Own(module, symbol) = key
                && names.own[module as usize].contains_key(&symbol)
            {
                continue;
            }
            let unique = if !is_reserved_keyword(&name) && taken.insert(name.clone()) {
                name
            } else {
                let counter = counters.entry(name.clone()).or_default();
                loop {
                    *counter += 1;
                    let candidate = CompactStr::from(format!("{name}${counter}"));
                    if taken.insert(candidate.clone()) {
                        break candidate;
                    }
                }
            };
            names.put(key, unique);
        }
    }
    for helper in Helper::ALL {
        if let Some(symbol) = helper_symbol(graph, helper)
            && let Some(name) = names.own[RUNTIME as usize].get(&symbol)
        {
            names.helpers.insert(helper.name(), name.clone());
        }
    }
    names
}

impl Names {
    fn put(&mut self, key: Key, name: CompactStr) {
        match key {
            Key::Own(module, symbol) => {
                self.own[module as usize].insert(symbol, name);
            }
            Key::Namespace(module) => self.namespaces[module as usize] = Some(name),
            Key::Wrapper(module) => self.wrappers[module as usize] = Some(name),
            Key::ImportVar(module, record) => {
                self.import_vars.insert((module, record), name);
            }
            Key::External(index) => self.externals[index as usize] = name,
        }
    }
}
