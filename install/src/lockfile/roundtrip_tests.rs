//! bun.lock files that Bun 1.4.5 wrote are read and written again without a difference. Further files, as a list with colons, in
//! BAO_LOCKS.

use crate::lockfile;
use crate::model::graph::{Behavior, Member, NewPackage};
use crate::model::hoisted_tree::Tree;
use crate::model::plan::{Kind, NO_ID};

fn again(text: &str) -> String {
    let lockfile::Loaded { mut graph, members, extras } = lockfile::read(text).unwrap();
    let mut list = Vec::new();
    for member in &members {
        let name = graph.text.add(&member.name);
        let version = graph.text.add(&member.version);
        let package = if member.path.is_empty() {
            graph.packages.name[0] = name;
            0
        } else {
            let path = graph.text.add(&member.path);
            graph.add_package(NewPackage::new(name, Kind::Workspace, path))
        };
        list.push(Member { path: member.path.clone(), package, version });
    }
    for (place, member) in members.iter().enumerate() {
        let off = graph.begin_deps();
        for dep in &member.deps {
            let id = graph.add_dep(dep.name, dep.literal, dep.behavior);
            graph.deps.target[id as usize] = dep.target;
            let own =
                list.iter().find(|other| other.package != 0 && graph.packages.name[other.package as usize] == dep.name);
            if let (NO_ID, Some(own)) = (dep.target, own) {
                graph.deps.target[id as usize] = own.package;
            }
        }
        if list[place].package == 0 {
            for other in list.iter().filter(|other| other.package != 0) {
                let name = graph.packages.name[other.package as usize];
                let literal = graph.text.add("workspace:");
                let id = graph.add_dep(name, literal, Behavior(Behavior::WORKSPACE));
                graph.deps.target[id as usize] = other.package;
            }
        }
        graph.end_deps(list[place].package, off);
    }
    // Once: an install with an unchanged lockfile places packages where the file says.
    let tree = Tree::build(&mut graph, |_, _, _| false);
    lockfile::write(&graph, &tree, &list, &extras)
}

fn check(name: &str, text: &str) {
    let new = again(text);
    if new != text {
        let (old, new): (Vec<_>, Vec<_>) = (text.lines().collect(), new.lines().collect());
        let differing: Vec<_> = old
            .iter()
            .filter(|line| !new.contains(line))
            .chain(new.iter().filter(|line| !old.contains(line)))
            .take(6)
            .collect();
        panic!("{name}: {} and {} lines; {differing:#?}", old.len(), new.len());
    }
}

#[test]
fn files_of_bun_are_written_again_byte_for_byte() {
    for file in std::env::var("BAO_LOCKS").unwrap_or_default().split(':').filter(|file| !file.is_empty()) {
        check(file, &std::fs::read_to_string(file).unwrap());
    }
}

#[test]
fn damaged_files_are_errors_and_no_panics() {
    let text = include_str!("fixtures/workspaces.bun.lock");
    for cut in (0..text.len()).step_by(97).filter(|cut| text.is_char_boundary(*cut)) {
        assert!(lockfile::read(&text[..cut]).is_err(), "cut at {cut}");
    }
    for (from, to) in [("\"lockfileVersion\": 2", "\"lockfileVersion\": 9"), ("\"packages\": {", "\"packages\": [")] {
        assert!(lockfile::read(&text.replace(from, to)).is_err());
    }
    for name in ["../x", "a/../b", "@a/..", ".bin", "a\\u0000b"] {
        let text =
            format!("{{\"lockfileVersion\": 2, \"packages\": {{ \"a\": [\"{name}@1.0.0\", \"\", {{}}, \"\"] }} }}");
        assert!(lockfile::read(&text).is_err(), "{name}");
    }
}
