//! A bun.lock with conflict markers, or two versions of it, put together per key.
//!
//! Both sides are read; packages of either keep their versions. Where both sides have a dependency, ours wins; what only theirs has
//! is added without targets, and the resolver finds the pins again. So nothing that either side had settled is resolved anew.

use super::{Loaded, read};
use crate::error::Result;
use crate::model::graph::{FLAG_LOADED, NewPackage};
use crate::model::plan::NO_ID;
use crate::model::string_arena::hash;
use rustc_hash::FxHashMap;

/// Whether the text has git's conflict markers.
pub(crate) fn has_conflict(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< ")) && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

/// The two sides of a conflicted file (the base of a three-way marker is left out).
pub(crate) fn sides(text: &str) -> (String, String) {
    let (mut ours, mut theirs) = (String::with_capacity(text.len()), String::with_capacity(text.len()));
    let mut state = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        match state {
            0 if bare.starts_with("<<<<<<< ") => state = 1,
            1 if bare.starts_with("||||||| ") => state = 2,
            1 | 2 if bare == "=======" => state = 3,
            3 if bare.starts_with(">>>>>>> ") => state = 0,
            _ => {
                if state == 0 || state == 1 {
                    ours.push_str(line);
                }
                if state == 0 || state == 3 {
                    theirs.push_str(line);
                }
            }
        }
    }
    (ours, theirs)
}

/// Reads a file with conflict markers.
pub(crate) fn read_conflicted(text: &str) -> Result<Loaded> {
    let (ours, theirs) = sides(text);
    Ok(merge(read(&ours)?, read(&theirs)?))
}

/// Adds what `theirs` has and `ours` has not.
pub(crate) fn merge(mut ours: Loaded, theirs: Loaded) -> Loaded {
    let mut labels: FxHashMap<u64, u32> = FxHashMap::default();
    for id in 1..ours.graph.len() as u32 {
        labels.insert(hash(&ours.graph.label(id)), id);
    }
    let mut renumbered = vec![0u32; theirs.graph.len()];
    let from = &theirs.graph;
    for id in 1..from.len() as u32 {
        let at = id as usize;
        let label = from.label(id);
        if let Some(&known) = labels.get(&hash(&label)) {
            renumbered[at] = known;
            continue;
        }
        let graph = &mut ours.graph;
        let resolution = from.packages.resolution[at];
        let name = graph.text.add(from.name(id));
        let value = graph.text.add(from.str(resolution.value));
        let mut new = NewPackage::new(name, resolution.kind, value);
        new.resolution.extra = graph.text.add(from.str(resolution.extra));
        new.resolution.tag = graph.text.add(from.str(resolution.tag));
        new.integrity = from.packages.integrity[at];
        (new.os, new.cpu, new.libc) = (from.packages.os[at], from.packages.cpu[at], from.packages.libc[at]);
        new.flags = from.packages.flags[at] | FLAG_LOADED;
        new.bin = match from.packages.bin[at] {
            crate::model::graph::Bin::None => crate::model::graph::Bin::None,
            crate::model::graph::Bin::File(path) => crate::model::graph::Bin::File(graph.text.add(from.str(path))),
            crate::model::graph::Bin::Dir(path) => crate::model::graph::Bin::Dir(graph.text.add(from.str(path))),
            crate::model::graph::Bin::Named(name, path) => {
                let name = graph.text.add(from.str(name));
                crate::model::graph::Bin::Named(name, graph.text.add(from.str(path)))
            }
            crate::model::graph::Bin::Map(off, len) => {
                let start = graph.bin_entries.len() as u32;
                for &(name, path) in &from.bin_entries[off as usize..(off + len) as usize] {
                    let entry = (graph.text.add(from.str(name)), graph.text.add(from.str(path)));
                    graph.bin_entries.push(entry);
                }
                crate::model::graph::Bin::Map(start, len)
            }
        };
        let added = graph.add_package(new);
        let off = graph.begin_deps();
        for dep in from.packages.deps[at].ids() {
            let dep = dep as usize;
            let name = graph.text.add(from.str(from.deps.name[dep]));
            let literal = graph.text.add(from.str(from.deps.literal[dep]));
            graph.add_dep(name, literal, from.deps.behavior[dep]);
        }
        graph.end_deps(added, off);
        if let Some((_, applied)) = from.extended.iter().find(|(package, _)| *package == id) {
            ours.graph.extended.push((added, applied.clone()));
        }
        labels.insert(hash(&label), added);
        renumbered[at] = added;
    }
    for member in theirs.members {
        let mapped = |graph: &mut crate::model::graph::Graph, dep: &read::LoadedDep| read::LoadedDep {
            name: graph.text.add(from.str(dep.name)),
            literal: graph.text.add(from.str(dep.literal)),
            behavior: dep.behavior,
            target: if dep.target == NO_ID { NO_ID } else { renumbered[dep.target as usize] },
        };
        match ours.members.iter().position(|known| known.path == member.path) {
            Some(place) => {
                for dep in &member.deps {
                    let dep = mapped(&mut ours.graph, dep);
                    let known = ours.members[place].deps.iter().any(|known| {
                        known.name == dep.name && known.literal == dep.literal && known.behavior == dep.behavior
                    });
                    if !known {
                        ours.members[place].deps.push(dep);
                    }
                }
            }
            None => {
                let deps = member.deps.iter().map(|dep| mapped(&mut ours.graph, dep)).collect();
                ours.members.push(read::LoadedMember { deps, ..member });
            }
        }
    }
    ours.members.sort_by(|a, b| a.path.cmp(&b.path));
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_keep_their_pins() {
        let text = r#"{
  "lockfileVersion": 2,
  "workspaces": {
    "": {
      "name": "x",
      "dependencies": {
<<<<<<< HEAD
        "a": "^1.0.0",
=======
        "b": "^1.0.0",
>>>>>>> other
      },
    },
  },
  "packages": {
<<<<<<< HEAD
    "a": ["a@1.0.0", "", {}, ""],
=======
    "b": ["b@1.2.0", "", { "dependencies": { "c": "^1" } }, ""],

    "c": ["c@1.0.1", "", {}, ""],
>>>>>>> other
  }
}
"#;
        assert!(has_conflict(text));
        let merged = read_conflicted(text).unwrap();
        let labels: Vec<String> = (1..merged.graph.len() as u32).map(|id| merged.graph.label(id)).collect();
        assert_eq!(labels, ["a@1.0.0", "b@1.2.0", "c@1.0.1"]);
        let deps: Vec<_> =
            merged.members[0].deps.iter().map(|dep| (merged.graph.str(dep.name).to_owned(), dep.target)).collect();
        assert_eq!(deps, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    }
}
