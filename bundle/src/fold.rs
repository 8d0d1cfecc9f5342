//! The option `minChunkSize`: small chunks without side effects are put into chunks that more entry points load, so that less is
//! asked for. Nothing runs earlier than before, and nothing that is loaded later is loaded at once.
//!
//! The chunks are known when a first draft of the results is there; what moves is told to rolldown as a group of modules, and the
//! results are made of the same modules once more.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rolldown_common::{
    ChunkingContext, CodeSplittingMode, ManualCodeSplittingOptions, MatchGroup, MatchGroupName, Output, OutputChunk,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::shared::{Shared, is_of_bundler};

/// What an entry point loads may grow by this part, as in Bun.
const GROWTH: f64 = 0.015;

/// The names of the groups that modules belong to, by id.
pub(crate) type Groups = Arc<Mutex<FxHashMap<String, String>>>;

/// A chunk of the draft.
#[derive(Debug, Default, Clone)]
struct Part {
    /// The bytes of its sources.
    bytes: u64,
    /// The chunks that it imports at once.
    imports: FxHashSet<usize>,
    /// Whether it is loaded by itself: by a page, a program or `import()`.
    is_entry: bool,
    /// Whether it may go elsewhere, as nothing happens when it runs.
    moves: bool,
    /// Whether others may come into it.
    takes: bool,
}

/// The chunk that each chunk goes into, for those that go.
fn folds(mut parts: Vec<Part>, least: u64) -> BTreeMap<usize, usize> {
    let mut gone: BTreeMap<usize, usize> = BTreeMap::new();
    let entries: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].is_entry).collect();
    let bytes_of = |parts: &[Part], entry: usize| loaded(parts, entry).iter().map(|at| parts[*at].bytes).sum::<u64>();
    let mut room: FxHashMap<usize, f64> =
        entries.iter().map(|entry| (*entry, bytes_of(&parts, *entry) as f64 * GROWTH)).collect();
    let mut order: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].moves && parts[*at].bytes < least).collect();
    order.sort_by_key(|at| (parts[*at].bytes, *at));
    for from in order {
        let by_entry: Vec<(usize, FxHashSet<usize>)> =
            entries.iter().map(|entry| (*entry, loaded(&parts, *entry))).collect();
        let loaders = |at: usize| by_entry.iter().filter(move |(_, all)| all.contains(&at)).map(|(entry, _)| *entry);
        let own: FxHashSet<usize> = loaders(from).collect();
        let bytes = parts[from].bytes as f64;
        let further = |to: usize| -> Option<Vec<usize>> {
            let all: Vec<usize> = loaders(to).collect();
            let further: Vec<usize> = all.iter().copied().filter(|entry| !own.contains(entry)).collect();
            (all.len() - further.len() == own.len()).then_some(further)
        };
        let target = (0..parts.len())
            .filter(|to| *to != from && parts[*to].takes && !gone.contains_key(to))
            .filter_map(|to| Some((further(to)?, to)))
            .filter(|(further, to)| further.iter().all(|entry| room[entry] >= bytes) && is_safe(&parts, from, *to))
            .min_by_key(|(further, to)| (further.len(), *to));
        let Some((further, to)) = target else { continue };
        for entry in further {
            room.entry(entry).and_modify(|left| *left -= bytes);
        }
        let moved = std::mem::take(&mut parts[from]);
        for part in &mut parts {
            if part.imports.remove(&from) {
                part.imports.insert(to);
            }
        }
        parts[to].bytes += moved.bytes;
        parts[to].imports.extend(moved.imports);
        parts[to].imports.remove(&to);
        gone.insert(from, to);
    }
    // A chunk that others have come into may have gone itself.
    let last = |mut to: usize| {
        while let Some(next) = gone.get(&to) {
            to = *next;
        }
        to
    };
    gone.iter().map(|(from, to)| (*from, last(*to))).collect()
}

/// All chunks that are loaded with one, with itself.
fn loaded(parts: &[Part], at: usize) -> FxHashSet<usize> {
    let mut found = FxHashSet::from_iter([at]);
    let mut open = vec![at];
    while let Some(at) = open.pop() {
        open.extend(parts[at].imports.iter().copied().filter(|other| found.insert(*other)));
    }
    found
}

/// Whether two chunks import nothing but each other: rolldown takes into a group of modules all that these import. (Groups that do not
/// are no way out: entry points may have further exports and modules with them, and run where they are only imported for these.)
fn is_safe(parts: &[Part], from: usize, to: usize) -> bool {
    parts[from].imports.iter().all(|other| *other == to) && parts[to].imports.iter().all(|other| *other == from)
}

/// The groups by which small chunks of a draft go into others.
pub(crate) fn groups(shared: &Shared, draft: &[Output]) -> FxHashMap<String, String> {
    let chunks: Vec<_> =
        draft.iter().filter_map(|output| if let Output::Chunk(chunk) = output { Some(chunk) } else { None }).collect();
    // That of the bundler's own helpers stays where it is, whoever imports it.
    let is_helpers = |chunk: &OutputChunk| {
        !chunk.module_ids.is_empty() && chunk.module_ids.iter().all(|id| is_of_bundler(id.as_str()))
    };
    let places: FxHashMap<&str, usize> = chunks
        .iter()
        .enumerate()
        .filter(|(_, chunk)| !is_helpers(chunk))
        .map(|(at, chunk)| (chunk.filename.as_str(), at))
        .collect();
    let seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let manual = &shared.options.manual_chunks;
    let parts = chunks.iter().map(|chunk| {
        let is_entry = chunk.is_entry || chunk.is_dynamic_entry;
        let is_free = !is_entry
            && !is_helpers(chunk)
            && chunk.facade_module_id.is_none()
            && !manual.iter().any(|manual| manual.name.as_str() == &*chunk.name);
        let modules = || chunk.module_ids.iter().map(|id| seen.get(id.as_str()));
        Part {
            bytes: modules().flatten().map(|seen| seen.bytes as u64).sum(),
            imports: chunk.imports.iter().filter_map(|name| places.get(name.as_str()).copied()).collect(),
            is_entry,
            moves: is_free && modules().all(|seen| seen.is_none_or(|seen| !seen.has_effects)),
            takes: is_free,
        }
    });
    let gone = folds(parts.collect(), shared.options.min_chunk_size);
    let mut names: FxHashMap<usize, String> = FxHashMap::default();
    let mut groups = FxHashMap::default();
    for to in gone.values() {
        if names.contains_key(to) {
            continue;
        }
        let mut name = chunks[*to].name.to_string();
        while names.values().any(|other| *other == name) {
            name.push('_');
        }
        let all = std::iter::once(to).chain(gone.iter().filter(|(_, other)| *other == to).map(|(from, _)| from));
        for at in all {
            groups.extend(chunks[*at].module_ids.iter().map(|id| (id.to_string(), name.clone())));
        }
        names.insert(*to, name);
    }
    groups
}

/// The way of splitting with groups that are known later.
pub(crate) fn splitting(mode: Option<CodeSplittingMode>, groups: Groups) -> CodeSplittingMode {
    let name = move |id: &str, _context: &ChunkingContext| {
        let name = groups.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        Box::pin(async move { Ok(name) })
            as std::pin::Pin<Box<dyn Future<Output = anyhow::Result<Option<String>>> + Send>>
    };
    let group = MatchGroup { name: MatchGroupName::Dynamic(Arc::new(name)), ..MatchGroup::default() };
    let mut options = match mode {
        Some(CodeSplittingMode::Advanced(options)) => options,
        _ => ManualCodeSplittingOptions::default(),
    };
    options.groups.get_or_insert_default().push(group);
    CodeSplittingMode::Advanced(options)
}

#[cfg(test)]
mod tests {
    use super::{Part, folds};

    fn part(bytes: u64, imports: &[usize]) -> Part {
        Part { bytes, imports: imports.iter().copied().collect(), is_entry: false, moves: true, takes: true }
    }

    fn entry(bytes: u64, imports: &[usize]) -> Part {
        Part { is_entry: true, moves: false, takes: false, ..part(bytes, imports) }
    }

    #[test]
    fn a_small_chunk_goes_into_one_that_more_entry_points_load() {
        let parts = vec![entry(100, &[3, 4]), entry(100, &[3, 4]), entry(100, &[3]), part(9000, &[]), part(50, &[3])];
        assert_eq!(folds(parts.clone(), 100), super::BTreeMap::from([(4, 3)]));
        assert!(folds(parts.clone(), 50).is_empty());
        let mut effects = parts.clone();
        effects[4].moves = false;
        assert!(folds(effects, 100).is_empty());
        let mut large = parts;
        // More than the third entry point may have in addition.
        large[4].bytes = 150;
        assert!(folds(large, 1000).is_empty());
    }

    #[test]
    fn what_it_imports_is_there_and_no_circle_comes_up() {
        // The chunk imports one that the third entry point does not load.
        let parts = vec![
            entry(100, &[3, 4]),
            entry(100, &[3, 4]),
            entry(100, &[3]),
            part(9000, &[]),
            part(50, &[5]),
            Part { moves: false, takes: false, ..part(1000, &[]) },
        ];
        assert!(folds(parts, 100).is_empty());
        // The target reaches it through another one.
        let parts = vec![
            entry(100, &[2]),
            entry(100, &[2]),
            part(9000, &[3]),
            Part { moves: false, takes: false, ..part(5000, &[4]) },
            part(50, &[]),
        ];
        assert!(folds(parts, 100).is_empty());
    }

    #[test]
    fn what_goes_takes_what_has_come() {
        let parts = vec![
            entry(100, &[3, 4, 5]),
            entry(100, &[3, 4]),
            entry(100, &[3]),
            part(90000, &[]),
            part(60, &[]),
            part(50, &[]),
        ];
        assert_eq!(folds(parts, 1000), super::BTreeMap::from([(4, 3), (5, 3)]));
    }
}
