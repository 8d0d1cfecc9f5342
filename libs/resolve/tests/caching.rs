//! What is remembered, what is looked at again, and how many system calls it takes.

mod support;

use resolve::{DirStamp, EntryKind, Kind, ListEnd, OsVfs, Resolver, Vfs};
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};
use support::{Tree, options};

/// Counts the questions asked to the file system.
#[derive(Clone, Default)]
struct Counting {
    calls: Arc<AtomicU32>,
}

impl Counting {
    fn tick(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self) -> u32 {
        self.calls.swap(0, Ordering::Relaxed)
    }
}

impl Vfs for Counting {
    fn entry_kind(&self, path: &str) -> io::Result<EntryKind> {
        self.tick();
        OsVfs.entry_kind(path)
    }

    fn kind(&self, path: &str) -> io::Result<EntryKind> {
        self.tick();
        OsVfs.kind(path)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.tick();
        OsVfs.read(path)
    }

    fn read_link(&self, path: &str) -> io::Result<String> {
        self.tick();
        OsVfs.read_link(path)
    }

    fn list(&self, path: &str, limit: usize, sink: &mut dyn FnMut(&str, EntryKind)) -> io::Result<ListEnd> {
        self.tick();
        OsVfs.list(path, limit, sink)
    }

    fn stamp(&self, path: &str) -> io::Result<DirStamp> {
        self.tick();
        OsVfs.stamp(path)
    }
}

#[test]
fn questions_to_the_file_system() {
    let tree = Tree::new(&[
        ("package.json", "{}"),
        ("main.ts", ""),
        ("src/a.ts", ""),
        ("src/b.ts", ""),
        ("src/c.ts", ""),
        ("src/d.ts", ""),
        ("node_modules/p/package.json", r#"{"exports": "./i.js"}"#),
        ("node_modules/p/i.js", ""),
    ]);
    let counter = Counting::default();
    let mut settings = options();
    settings.cwd = Some((&*tree.root).into());
    let mut resolver = Resolver::new(Box::new(counter.clone()), settings);
    let mut count = |specifier: &str, from: &str, kind| {
        let importer = if from.is_empty() { tree.root.clone() } else { tree.path(from) };
        resolver.resolve(specifier, &importer, kind).unwrap();
        counter.take()
    };
    // The file and the package.json next to it.
    assert_eq!(count("./main.ts", "", Kind::Entry), 2);
    // The file, whether its directory is a link, and two places for package.json.
    assert!(count("./src/a.ts", "main.ts", Kind::Import) <= 4);
    // One listing answers all that follows.
    count("./b", "src/a.ts", Kind::Import);
    assert_eq!(count("./c", "src/a.ts", Kind::Import), 0);
    assert_eq!(count("./d.js", "src/a.ts", Kind::Import), 0);
    assert_eq!(count("./c", "src/a.ts", Kind::Import), 0);
    // A package: is there a node_modules, the package in it, its package.json, its file, links.
    assert!(count("p", "main.ts", Kind::Import) <= 7);
    assert!(count("p", "src/a.ts", Kind::Import) <= 1);
    assert_eq!(count("p", "src/b.ts", Kind::Import), 0);
}

#[test]
fn new_files_are_found() {
    let tree = Tree::new(&[("a.js", ""), ("b.js", ""), ("c.js", "")]);
    let mut resolver = tree.resolver();
    let mut run = |s: &str, kind| tree.run(&mut resolver, s, "main.mjs", kind);
    for name in ["./a", "./b", "./c"] {
        run(name, Kind::Import);
    }
    for kind in [Kind::Import, Kind::Require] {
        assert!(run("./late", kind).contains("MODULE_NOT_FOUND"));
        assert!(run("pkg", kind).contains("MODULE_NOT_FOUND"));
        assert!(run("#x", kind).contains("NOT_"));
        assert!(run("./dir/x", kind).contains("MODULE_NOT_FOUND"));
    }
    tree.write("late.ts", "");
    tree.write("node_modules/pkg/index.js", "");
    tree.write("dir/x.js", "");
    assert_eq!(run("./late", Kind::Import), "$/late.ts");
    assert_eq!(run("pkg", Kind::Require), "$/node_modules/pkg/index.js");
    assert_eq!(run("./dir/x", Kind::Import), "$/dir/x.js");
    assert!(run("pkg/sub", Kind::Import).contains("MODULE_NOT_FOUND"));
    tree.write("node_modules/pkg/sub.js", "");
    assert_eq!(run("pkg/sub", Kind::Import), "$/node_modules/pkg/sub.js");
}

#[test]
fn failures_in_settled_directories_stay_cheap() {
    let tree = Tree::new(&[("a.js", ""), ("b.js", ""), ("package.json", "{}")]);
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    let settle = || fs::File::open(&tree.root).unwrap().set_modified(long_ago).unwrap();
    settle();
    let counter = Counting::default();
    let mut settings = options();
    settings.cwd = Some((&*tree.root).into());
    let mut resolver = Resolver::new(Box::new(counter.clone()), settings);
    let mut run = |s: &str| tree.run(&mut resolver, s, "main.mjs", Kind::Import);
    for name in ["./a", "./b", "./zz"] {
        run(name);
    }
    counter.take();
    assert!(run("./zz").starts_with("ERR_MODULE_NOT_FOUND"));
    let parents = tree.root.matches('/').count() as u32;
    // The state of the directory, what is not known of its parents, the names for a suggestion.
    assert!(counter.take() <= 3 + 2 * parents);
    tree.write("zz.ts", "");
    assert_eq!(run("./zz"), "$/zz.ts");
}

#[test]
fn a_missing_export_target_that_appears() {
    let tree = Tree::new(&[("node_modules/p/package.json", r#"{"exports": "./dist/i.js"}"#)]);
    let mut resolver = tree.resolver();
    let mut run = || tree.run(&mut resolver, "p", "m.js", Kind::Import);
    assert!(run().starts_with("ERR_MODULE_NOT_FOUND"));
    tree.write("node_modules/p/dist/i.js", "");
    assert_eq!(run(), "$/node_modules/p/dist/i.js");
}

#[test]
fn invalidation() {
    let tree = Tree::new(&[
        ("a.js", ""),
        ("package.json", r#"{"type": "module"}"#),
        ("link", "-> one"),
        ("one/x.js", ""),
        ("two/x.js", ""),
    ]);
    let mut resolver = tree.resolver();
    let importer = tree.path("m.js");
    let before = resolver.resolve("./a.js", &importer, Kind::Import).unwrap();
    assert_eq!(tree.run(&mut resolver, "./link/x.js", "m.js", Kind::Import), "$/one/x.js");

    tree.write("package.json", r#"{"type": "commonjs"}"#);
    resolver.invalidate(&tree.path("package.json"));
    let after = resolver.resolve("./a.js", &importer, Kind::Import).unwrap();
    let (before, after) = (before.file().unwrap(), after.file().unwrap());
    assert_eq!(before.id, after.id);
    assert_ne!(before.module_format(), after.module_format());

    fs::remove_file(tree.path("link")).unwrap();
    tree.write("link", "-> two");
    resolver.invalidate(&tree.path("link"));
    assert_eq!(tree.run(&mut resolver, "./link/x.js", "m.js", Kind::Import), "$/two/x.js");

    fs::remove_file(tree.path("a.js")).unwrap();
    tree.write("a.ts", "");
    resolver.invalidate_all();
    assert_eq!(tree.run(&mut resolver, "./a.js", "m.js", Kind::Import), "$/a.ts");
}

#[test]
fn large_directories() {
    let tree = Tree::new(&[]);
    for i in 0..3000 {
        fs::write(tree.path(&format!("m{i}.ts")), "").unwrap();
    }
    let counter = Counting::default();
    let mut resolver = Resolver::new(Box::new(counter.clone()), options());
    for i in 0..3000 {
        let found = tree.run(&mut resolver, &format!("./m{i}.js"), "main.ts", Kind::Import);
        assert_eq!(found, format!("$/m{i}.ts"));
    }
    // Far fewer than one for each of the twelve names a specifier may stand for.
    assert!(counter.take() < 1500);
}

#[test]
fn resolvers_can_move_between_threads() {
    fn is_send<T: Send>() {}
    is_send::<Resolver>();
    is_send::<resolve::Resolution>();
    is_send::<resolve::ResolveError>();
}
