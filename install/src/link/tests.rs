//! Both linkers over small plans: what is made, what is kept, what is removed, and what a killed process leaves.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::error::Code;
use crate::link::saved_state::{Home, State};
use crate::link::{Backend, Events, LinkOptions, Linked, Silent, link, up_to_date};
use crate::model::integrity::Integrity;
use crate::model::plan::{
    Bin, Edge, EdgeKind, HAS_INSTALL_SCRIPT, Kind, Linker, NO_ID, Placement, Plan, PlanPackage, Str, TRUSTED, Tree,
};
use crate::store::{Store, TarballJob};
use crate::testing::{Random, SmallDisk, Temp, archive, contents, entry, file, gzip, package};

/// Builds plans: `place("node_modules", "a", "a@1.0.0")` and so on.
pub(super) struct Builder {
    plan: Plan,
    ids: BTreeMap<String, u32>,
}

impl Builder {
    pub(super) fn new(root: &Path, linker: Linker) -> Self {
        let plan = Plan {
            root: root.to_owned(),
            text: String::new(),
            packages: Vec::new(),
            bins: Vec::new(),
            trees: Vec::new(),
            placements: Vec::new(),
            edges: Vec::new(),
            linker,
            fingerprint: 0,
        };
        let mut builder = Self { plan, ids: BTreeMap::new() };
        builder.raw("", "", Kind::Root);
        builder
    }

    fn text(&mut self, value: &str) -> Str {
        let at = Str { off: self.plan.text.len() as u32, len: value.len() as u32 };
        self.plan.text.push_str(value);
        at
    }

    fn raw(&mut self, name: &str, version: &str, kind: Kind) -> u32 {
        let cache = if matches!(kind, Kind::Npm) { format!("{name}@{version}@@@1") } else { String::new() };
        let package = PlanPackage {
            name: self.text(name),
            version: self.text(version),
            kind,
            cache_dir: self.text(&cache),
            path: Str::EMPTY,
            url: Str::EMPTY,
            integrity: Integrity::None,
            bins: 0..0,
            bin_dir: Str::EMPTY,
            edges: 0..0,
            flags: 0,
            patch: Str::EMPTY,
            patch_hash: 0,
            peers: 0,
        };
        self.plan.packages.push(package);
        self.plan.packages.len() as u32 - 1
    }

    pub(super) fn npm(&mut self, id: &str) -> u32 {
        if let Some(&found) = self.ids.get(id) {
            return found;
        }
        let at = id.rfind('@').expect("name@version");
        let made = self.raw(&id[..at], &id[at + 1..], Kind::Npm);
        self.ids.insert(id.into(), made);
        made
    }

    pub(super) fn edges(&mut self, from: u32, to: &[(&str, u32, EdgeKind)]) {
        let first = self.plan.edges.len() as u32;
        for (name, package, kind) in to {
            let name = self.text(name);
            self.plan.edges.push(Edge { name, package: *package, kind: *kind });
        }
        self.plan.packages[from as usize].edges = first..self.plan.edges.len() as u32;
    }

    fn bin(&mut self, package: u32, name: &str, path: &str) {
        let (name, path) = (self.text(name), self.text(path));
        let first = self.plan.bins.len() as u32;
        self.plan.bins.push(Bin { name, path });
        self.plan.packages[package as usize].bins = first..first + 1;
    }

    /// A node_modules directory; `owner` is the placement that holds it.
    pub(super) fn tree(&mut self, path: &str, owner: u32, packages: &[(&str, u32)]) -> u32 {
        let tree = self.plan.trees.len() as u32;
        let (path, first) = (self.text(path), self.plan.placements.len() as u32);
        for (folder, package) in packages {
            let folder = self.text(folder);
            self.plan.placements.push(Placement { folder, package: *package, tree, children: NO_ID });
        }
        if owner != NO_ID {
            self.plan.placements[owner as usize].children = tree;
        }
        let parent = if owner == NO_ID { NO_ID } else { self.plan.placements[owner as usize].tree };
        self.plan.trees.push(Tree {
            parent,
            owner,
            path,
            first,
            len: packages.len() as u32,
            depth: 0,
            workspace: NO_ID,
        });
        first
    }

    pub(super) fn done(mut self) -> Plan {
        self.plan.fingerprint = crate::model::string_arena::hash(&format!(
            "{:?}{:?}{}",
            self.plan.placements, self.plan.edges, self.plan.text
        ));
        self.plan
    }
}

pub(super) struct Project {
    pub(super) temp: Temp,
    pub(super) store: Arc<Store>,
}

impl Project {
    pub(super) fn new(name: &str) -> Self {
        let temp = Temp::new(name);
        std::fs::create_dir(temp.path("app")).expect("directory");
        let store = Store::open(&temp.path("cache"), 2, Box::new(|_| {})).expect("store");
        Self { temp, store }
    }

    pub(super) fn submit(&self, id: &str, tarball: Vec<u8>) {
        let at = id.rfind('@').expect("name@version");
        let job = TarballJob {
            cache_dir: format!("{id}@@@1"),
            name: id[..at].into(),
            version: id[at + 1..].into(),
            url: String::new(),
            integrity: Integrity::None,
            want_manifest: false,
            want_integrity: false,
        };
        self.store.submit(job, tarball);
    }

    pub(super) fn add(&self, id: &str) {
        let at = id.rfind('@').expect("name@version");
        self.submit(id, package(&id[..at], &id[at + 1..], 7));
    }

    pub(super) fn app(&self) -> std::path::PathBuf {
        self.temp.path("app")
    }

    pub(super) fn modules(&self, name: &str) -> std::path::PathBuf {
        self.temp.path("app/node_modules").join(name)
    }

    fn version(&self, name: &str) -> String {
        let json = std::fs::read_to_string(self.modules(name).join("package.json")).unwrap_or_default();
        json.split("\"version\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
    }

    fn link(&self, plan: &Plan) -> Linked {
        link(plan, &self.store, &options(), &Silent).expect("links")
    }
}

pub(super) fn options() -> LinkOptions {
    LinkOptions { threads: 2, ..LinkOptions::default() }
}

/// a, @s/b with a nested c@2, c@1.
fn sample(app: &Path, second: &str) -> Plan {
    let mut builder = Builder::new(app, Linker::Hoisted);
    let (a, b, c1, c2) =
        (builder.npm("a@1.0.0"), builder.npm("@s/b@1.0.0"), builder.npm("c@1.0.0"), builder.npm(second));
    builder.bin(a, "run-a", "./lib/0/0.js");
    let first = builder.tree("node_modules", NO_ID, &[("@s/b", b), ("a", a), ("alias", a), ("c", c1)]);
    builder.tree("node_modules/@s/b/node_modules", first, &[("c", c2)]);
    builder.done()
}

#[test]
fn hoisted_tree() {
    let project = Project::new("hoisted");
    for id in ["a@1.0.0", "@s/b@1.0.0", "c@1.0.0", "c@2.0.0", "c@3.0.0"] {
        project.add(id);
    }
    let plan = sample(&project.app(), "c@2.0.0");
    let linked = project.link(&plan);
    assert_eq!((linked.installed, linked.removed, linked.changed.len()), (5, 0, 4));
    assert_eq!(project.version("c"), "1.0.0");
    assert_eq!(project.version("@s/b/node_modules/c"), "2.0.0");
    for (folder, dir) in [("a", "a@1.0.0@@@1"), ("alias", "a@1.0.0@@@1"), ("@s/b/node_modules/c", "c@2.0.0@@@1")] {
        assert_eq!(contents(&project.modules(folder)), contents(&project.temp.path("cache").join(dir)));
    }
    let ours = std::fs::metadata(project.modules("a/package.json")).expect("file");
    let theirs = std::fs::metadata(project.temp.path("cache/a@1.0.0@@@1/package.json")).expect("file");
    assert_eq!(ours.ino(), theirs.ino(), "a hard link");
    assert_eq!(std::fs::read_link(project.modules(".bin/run-a")).expect("bin").to_string_lossy(), "../a/lib/0/0.js");
    assert_eq!(std::fs::metadata(project.modules(".bin/run-a")).expect("bin").permissions().mode() & 0o111, 0o111);

    assert!(up_to_date(&plan, &options()));
    assert_eq!(project.link(&plan).skipped, 5);
    // One nested version changes: the rest stays.
    let next = sample(&project.app(), "c@3.0.0");
    assert!(!up_to_date(&next, &options()));
    let linked = project.link(&next);
    assert_eq!((linked.installed, linked.skipped), (1, 4));
    assert_eq!(project.version("@s/b/node_modules/c"), "3.0.0");
    // Something was deleted, something damaged: both come back.
    std::fs::remove_dir_all(project.modules("a")).expect("remove");
    std::fs::remove_file(project.modules("c/package.json")).expect("remove");
    assert!(!up_to_date(&next, &options()));
    assert_eq!(project.link(&next).installed, 2);
    assert_eq!(project.version("c"), "1.0.0");
    assert!(up_to_date(&next, &options()));
    // Foreign directories stay, ours that are not in the plan go, with their bins.
    std::fs::create_dir(project.modules("foreign")).expect("directory");
    let mut builder = Builder::new(&project.app(), Linker::Hoisted);
    let c = builder.npm("c@1.0.0");
    builder.tree("node_modules", NO_ID, &[("c", c)]);
    let small = builder.done();
    // Two folders of a and one of @s/b; what was nested in it goes with it.
    assert_eq!(project.link(&small).removed, 3);
    let mut left: Vec<_> =
        std::fs::read_dir(project.modules("")).expect("list").flatten().map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, [".bao-state", "c", "foreign"]);
}

#[test]
fn other_tools_trees_are_taken_over() {
    let project = Project::new("foreign");
    for id in ["a@1.0.0", "@s/b@1.0.0", "c@1.0.0", "c@2.0.0"] {
        project.add(id);
    }
    let plan = sample(&project.app(), "c@2.0.0");
    project.link(&plan);
    std::fs::remove_file(project.modules(".bao-state")).expect("remove");
    std::fs::create_dir_all(project.modules("a/node_modules/c")).expect("stray");
    std::fs::write(project.modules("c/package.json.new"), "{\"name\":\"c\",\"version\":\"9.9.9\"}").expect("write");
    std::fs::rename(project.modules("c/package.json.new"), project.modules("c/package.json")).expect("rename");
    let linked = project.link(&plan);
    assert_eq!((linked.installed, linked.skipped, linked.removed), (1, 4, 1));
    assert!(!project.modules("a/node_modules/c").exists());
    assert_eq!(project.version("c"), "1.0.0");
}

#[test]
fn names_that_escape() {
    let project = Project::new("escape");
    project.add("a@1.0.0");
    for folder in ["../x", "/tmp/x", "..", "@s/../x", "a/b", ".bin", "a\0b", "@s/b/c", ""] {
        let mut builder = Builder::new(&project.app(), Linker::Hoisted);
        let a = builder.npm("a@1.0.0");
        builder.tree("node_modules", NO_ID, &[(folder, a)]);
        let error = link(&builder.done(), &project.store, &options(), &Silent).expect_err("refused");
        assert_eq!(error.code, Code::Parse, "{folder:?}");
    }
    // A bin that points out of the package is not linked.
    let mut builder = Builder::new(&project.app(), Linker::Hoisted);
    let a = builder.npm("a@1.0.0");
    builder.bin(a, "../../evil", "../../../etc/passwd");
    builder.tree("node_modules", NO_ID, &[("a", a)]);
    project.link(&builder.done());
    assert!(!project.modules(".bin").exists());
}

/// The state is a file that may come with a project from anywhere: it names nothing that is removed outside of the project's packages.
#[test]
fn states_that_lie() {
    let project = Project::new("lies");
    project.add("a@1.0.0");
    let mut builder = Builder::new(&project.app(), Linker::Hoisted);
    let a = builder.npm("a@1.0.0");
    builder.tree("node_modules", NO_ID, &[("a", a)]);
    let plan = builder.done();
    project.link(&plan);
    let (app, other) = (project.app(), project.temp.path("other"));
    let there = [other.join("node_modules/x"), other.join("x"), app.join("src/x")];
    for dir in &there {
        std::fs::create_dir_all(dir).expect("directory");
    }
    std::os::unix::fs::symlink("x", other.join("link")).expect("link");
    std::os::unix::fs::symlink("../other", app.join("member")).expect("link");
    let path = |text: &str| (CString::new(text).expect("no NUL"), 1);
    let absolute = |path: &Path| (CString::new(path.to_string_lossy().as_ref()).expect("no NUL"), 1);
    let dirs =
        ["../other/node_modules/x", "../other/x", "src/x", "node_modules/../src/x", "node_modules/./../../other/x"];
    let dirs =
        dirs.into_iter().chain(["member/node_modules/x", "node_modules/a/node_modules/../../../src/x"]).map(path);
    let dirs = dirs.chain(there.iter().map(|dir| absolute(dir))).collect();
    let links = vec![path("../other/link"), path("member/link"), absolute(&other.join("link"))];
    let root = std::fs::File::open(&app).expect("directory");
    State::write(root.as_fd(), Home::Modules, 0, dirs, Vec::new(), links).expect("state");
    assert_eq!(project.link(&plan).removed, 0);
    assert!(there.iter().all(|dir| dir.is_dir()), "{there:?}");
    assert!(other.join("link").is_symlink());
}

#[test]
fn backends() {
    let project = Project::new("backend");
    project.add("a@1.0.0");
    let mut builder = Builder::new(&project.app(), Linker::Hoisted);
    let a = builder.npm("a@1.0.0");
    builder.tree("node_modules", NO_ID, &[("a", a)]);
    let plan = builder.done();
    let expected = {
        project.link(&plan);
        contents(&project.modules("a"))
    };
    for backend in [Backend::Copyfile, Backend::Clonefile, Backend::Symlink, Backend::Hardlink] {
        let options = LinkOptions { backend, force: true, ..options() };
        link(&plan, &project.store, &options, &Silent).expect("links");
        let file = project.modules("a/package.json");
        let meta = std::fs::symlink_metadata(&file).expect("file");
        assert_eq!(meta.is_symlink(), backend == Backend::Symlink);
        assert_eq!(meta.nlink() > 1, backend == Backend::Hardlink, "{backend:?}");
        if backend != Backend::Symlink {
            assert_eq!(contents(&project.modules("a")), expected);
        }
    }
    // Another file system: hard links are not possible, the first copy method that works is used.
    let Some(disk) = SmallDisk::new(&project.temp.path("disk"), 4096) else {
        return;
    };
    let plan = Plan { root: disk.0.clone(), ..plan };
    link(&plan, &project.store, &options(), &Silent).expect("copies");
    assert_eq!(contents(&disk.0.join("node_modules/a")), expected);
}

#[test]
fn patches() {
    let project = Project::new("patch");
    project.add("a@1.0.0");
    let text = "--- a/lib/1/1.js\n+++ b/lib/1/1.js\n@@ -1,2 +1,2 @@\n-a 1\n+patched\n a 1\n";
    std::fs::write(project.temp.path("app/a.patch"), text).expect("write");
    let plan = |hash| {
        let mut builder = Builder::new(&project.app(), Linker::Hoisted);
        let a = builder.npm("a@1.0.0");
        let patch = builder.text("a.patch");
        (builder.plan.packages[a as usize].patch, builder.plan.packages[a as usize].patch_hash) = (patch, hash);
        builder.tree("node_modules", NO_ID, &[("a", a)]);
        builder.done()
    };
    project.link(&plan(1));
    assert_eq!(std::fs::read(project.modules("a/lib/1/1.js")).expect("file"), b"patched\na 1\n");
    assert_eq!(std::fs::read(project.temp.path("cache/a@1.0.0@@@1/lib/1/1.js")).expect("file"), b"a 1\na 1\n");
    std::fs::write(project.temp.path("app/a.patch"), text.replace("patched", "again")).expect("write");
    project.link(&plan(2));
    assert_eq!(std::fs::read(project.modules("a/lib/1/1.js")).expect("file"), b"again\na 1\n");
    std::fs::write(project.temp.path("app/a.patch"), text.replace("a 1", "b")).expect("write");
    let error = link(&plan(3), &project.store, &options(), &Silent).expect_err("does not apply");
    assert!(error.to_string().contains("hunk #1") && error.to_string().contains("lib/1/1.js"), "{error}");
}

#[derive(Default)]
struct Record(Mutex<Vec<String>>);

impl Events for Record {
    fn script_output(&self, package: &str, event: &str, bytes: &[u8]) {
        let line = format!("{package} {event}: {}", String::from_utf8_lossy(bytes).trim());
        if let Ok(mut list) = self.0.lock() {
            list.push(line);
        }
    }
}

#[test]
fn lifecycle_scripts() {
    let project = Project::new("scripts");
    let scripted = |name: &str, script: &str| {
        let json = format!(
            "{{\"name\":\"{name}\",\"version\":\"1.0.0\",\"config\":{{\"k\":\"v\"}},\"scripts\":{{\"postinstall\":\"{script}\"}}}}"
        );
        gzip(&archive(&[file("package/package.json", json.as_bytes()), file("package/data", b"clean")]))
    };
    let write = "echo $npm_lifecycle_event $npm_package_name $npm_package_config_k; echo dirty > data";
    for name in ["a", "b", "c"] {
        project.submit(&format!("{name}@1.0.0"), scripted(name, write));
    }
    project.submit("bad@1.0.0", scripted("bad", "echo why; exit 7"));
    let plan = |bad: bool| {
        let mut builder = Builder::new(&project.app(), Linker::Hoisted);
        let ids: Vec<u32> = ["a@1.0.0", "b@1.0.0", "c@1.0.0"].iter().map(|id| builder.npm(id)).collect();
        for &id in &ids {
            builder.plan.packages[id as usize].flags = HAS_INSTALL_SCRIPT | TRUSTED;
        }
        builder.plan.packages[ids[2] as usize].flags = HAS_INSTALL_SCRIPT;
        // a depends on b: b's script comes first.
        builder.edges(ids[0], &[("b", ids[1], EdgeKind::Prod)]);
        let mut places = vec![("a", ids[0]), ("b", ids[1]), ("c", ids[2])];
        if bad {
            let id = builder.npm("bad@1.0.0");
            builder.plan.packages[id as usize].flags = HAS_INSTALL_SCRIPT | TRUSTED;
            places.insert(2, ("bad", id));
        }
        builder.tree("node_modules", NO_ID, &places);
        (builder.done(), ids[2])
    };
    let record = Record::default();
    let (good, blocked) = plan(false);
    let linked = link(&good, &project.store, &options(), &record).expect("runs");
    assert_eq!(linked.blocked_scripts, [blocked]);
    assert_eq!(*record.0.lock().expect("list"), ["b postinstall: postinstall b v", "a postinstall: postinstall a v"]);
    assert_eq!(std::fs::read(project.modules("a/data")).expect("file"), b"dirty\n");
    assert_eq!(std::fs::read(project.modules("c/data")).expect("file"), b"clean");
    assert_eq!(
        std::fs::read(project.temp.path("cache/a@1.0.0@@@1/data")).expect("file"),
        b"clean",
        "the store is not written to"
    );
    assert!(up_to_date(&good, &options()));
    // A script that fails: its package is not left behind as if it were done.
    let (bad, _) = plan(true);
    for _ in 0..2 {
        let error = link(&bad, &project.store, &options(), &Silent).expect_err("fails");
        assert_eq!((error.code, error.exit), (Code::Script, 7));
        assert!(error.to_string().contains("why"), "{error}");
        assert!(!project.modules("bad").exists());
    }
    let ignoring = LinkOptions { ignore_scripts: true, ..options() };
    link(&bad, &project.store, &ignoring, &Silent).expect("ignores scripts");
}

#[test]
fn bins_with_windows_lines() {
    let project = Project::new("crlf");
    let manifest = file("package/package.json", b"{\"name\":\"a\",\"version\":\"1.0.0\"}");
    let content = b"#!/usr/bin/env node\r\nx\r\n";
    project.submit("a@1.0.0", gzip(&archive(&[manifest, entry(b"package/cli.js", b'0', b"", 0o644, content)])));
    let mut builder = Builder::new(&project.app(), Linker::Hoisted);
    let a = builder.npm("a@1.0.0");
    builder.bin(a, "@scope/cli", "cli.js");
    builder.tree("node_modules", NO_ID, &[("a", a)]);
    project.link(&builder.done());
    assert_eq!(std::fs::read(project.modules(".bin/cli")).expect("bin"), b"#!/usr/bin/env node\nx\r\n");
    assert_eq!(std::fs::read(project.temp.path("cache/a@1.0.0@@@1/cli.js")).expect("file"), content);
    assert_eq!(std::fs::metadata(project.modules("a/cli.js")).expect("bin").permissions().mode() & 0o111, 0o111);
}

/// a -> b (peer c), b -> c; a circle b <-> d.
pub(super) fn isolated(app: &Path) -> Plan {
    let mut builder = Builder::new(app, Linker::Isolated);
    let (a, b, c, d) =
        (builder.npm("@s/a@1.0.0"), builder.npm("b@1.0.0"), builder.npm("c@1.0.0"), builder.npm("d@1.0.0"));
    builder.bin(b, "run-b", "lib/0/0.js");
    builder.edges(0, &[("@s/a", a, EdgeKind::Prod), ("alias", c, EdgeKind::Dev)]);
    builder.edges(a, &[("b", b, EdgeKind::Prod), ("c", c, EdgeKind::Prod)]);
    builder.edges(b, &[("c", c, EdgeKind::Peer), ("d", d, EdgeKind::Prod)]);
    builder.edges(d, &[("b", b, EdgeKind::Prod)]);
    // What crate::assemble::instances makes of the peer.
    builder.plan.packages[b as usize].peers = 0x1234;
    builder.done()
}

#[test]
fn isolated_tree() {
    for global_store in [false, true] {
        let project = Project::new("isolated");
        for id in ["@s/a@1.0.0", "b@1.0.0", "c@1.0.0", "d@1.0.0"] {
            project.add(id);
        }
        let plan = isolated(&project.app());
        let options = LinkOptions { global_store, ..options() };
        let linked = link(&plan, &project.store, &options, &Silent).expect("links");
        assert_eq!(linked.installed, 4);
        let real = |path: &str| std::fs::canonicalize(project.modules(path)).expect(path);
        let a = real("@s/a");
        // Node's algorithm from the real directory of a package finds what it depends on, and only that.
        let beside = |package: &Path, name: &str| {
            package.ancestors().map(|dir| dir.join("node_modules").join(name)).find(|path| path.exists())
        };
        let b = std::fs::canonicalize(beside(&a, "b").expect("b")).expect("b");
        assert!(beside(&a, "d").is_none_or(|path| path.starts_with(project.modules(".bun/node_modules"))));
        assert_eq!(std::fs::canonicalize(beside(&b, "c").expect("c")).expect("c"), real("alias"));
        let d = std::fs::canonicalize(beside(&b, "d").expect("d")).expect("d");
        assert_eq!(std::fs::canonicalize(beside(&d, "b").expect("b")).expect("b"), b);
        assert_eq!(a.starts_with(project.temp.path("cache/links")), global_store);
        assert_eq!(contents(&a), contents(&project.temp.path("cache/@s/a@1.0.0@@@1")));
        let bin = a.parent().and_then(Path::parent).expect("entry").join(".bin/run-b");
        assert_eq!(std::fs::canonicalize(bin).expect("bin"), b.join("lib/0/0.js"));
        assert!(project.modules(".bun/node_modules/d").exists());
        let entry = std::fs::read_dir(project.modules(".bun"))
            .expect("list")
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("b@1.0.0+0000000000001234"));
        assert!(entry, "the peer is part of the entry's name");

        assert!(up_to_date(&plan, &options));
        assert_eq!(link(&plan, &project.store, &options, &Silent).expect("links").installed, 0);
        std::fs::remove_file(project.modules("alias")).expect("remove");
        assert!(!up_to_date(&plan, &options));
        link(&plan, &project.store, &options, &Silent).expect("links");
        assert_eq!(real("alias"), std::fs::canonicalize(beside(&b, "c").expect("c")).expect("c"));
        // The other linker takes the directory over.
        project.add("c@2.0.0");
        project.add("a@1.0.0");
        project.add("@s/b@1.0.0");
        let hoisted = sample(&project.app(), "c@2.0.0");
        project.link(&hoisted);
        assert!(!project.modules(".bun").exists() && !project.modules("alias").is_symlink());
        assert_eq!(project.version("@s/b/node_modules/c"), "2.0.0");
        assert!(up_to_date(&hoisted, &LinkOptions { global_store, ..self::options() }));
    }
}

#[test]
fn changing_the_linker() {
    let project = Project::new("switch");
    for id in ["@s/a@1.0.0", "b@1.0.0", "c@1.0.0", "d@1.0.0", "a@1.0.0", "@s/b@1.0.0", "c@2.0.0"] {
        project.add(id);
    }
    let plans = [sample(&project.app(), "c@2.0.0"), isolated(&project.app())];
    let mut random = Random(7);
    let mut store = Vec::new();
    for round in 0..30 {
        let (kind, global_store) =
            if round < 4 { ([0, 1, 1, 0][round], round == 2) } else { (random.below(2), random.below(2) == 1) };
        let options = LinkOptions { global_store, ..options() };
        link(&plans[kind], &project.store, &options, &Silent).expect("links");
        assert!(up_to_date(&plans[kind], &options));
        let names: &[&str] = if kind == 0 { &["a", "@s/b", "@s/b/node_modules/c", "c"] } else { &["@s/a", "alias"] };
        for name in names {
            assert_eq!(contents(&project.modules(name).join("lib/")).len(), 7, "round {round}: {name}");
        }
        assert_eq!(project.modules("alias").is_symlink(), kind == 1);
        assert_eq!(project.modules(".bun").exists(), kind == 1);
        // What is shared is never touched, whatever a project changes to.
        let mut now = contents(&project.temp.path("cache/links"));
        now.retain(|(name, _)| !name.contains("/.tmp-"));
        assert!(store.iter().all(|old| now.contains(old)), "round {round}");
        store = now;
    }
}

#[test]
fn workspaces_and_folders() {
    let project = Project::new("workspaces");
    project.add("c@1.0.0");
    for dir in ["packages/w", "local"] {
        std::fs::create_dir_all(project.app().join(dir).join("node_modules")).expect("directory");
        std::fs::write(project.app().join(dir).join("package.json"), "{\"name\":\"w\",\"version\":\"1.0.0\"}")
            .expect("write");
    }
    for linker in [Linker::Hoisted, Linker::Isolated] {
        let mut builder = Builder::new(&project.app(), linker);
        let (w, local, c) = (
            builder.raw("w", "1.0.0", Kind::Workspace),
            builder.raw("local", "file:local", Kind::Folder),
            builder.npm("c@1.0.0"),
        );
        let (path, folder) = (builder.text("packages/w"), builder.text("local"));
        (builder.plan.packages[w as usize].path, builder.plan.packages[local as usize].path) = (path, folder);
        builder.edges(0, &[("@s/w", w, EdgeKind::Workspace), ("local", local, EdgeKind::Prod)]);
        builder.edges(w, &[("c", c, EdgeKind::Prod)]);
        if linker == Linker::Hoisted {
            builder.tree("node_modules", NO_ID, &[("@s/w", w), ("local", local)]);
            builder.tree("packages/w/node_modules", NO_ID, &[("c", c)]);
        }
        project.link(&builder.done());
        // The isolated linker puts members where somebody depends on them, as Bun does.
        let member = std::fs::read_link(project.modules("@s/w"));
        match linker {
            Linker::Hoisted => assert_eq!(member.expect("link").to_string_lossy(), "../../packages/w"),
            Linker::Isolated | Linker::Store => assert!(member.is_err()),
        }
        assert_eq!(project.version("local"), "1.0.0");
        assert!(!project.modules("local/node_modules").exists());
        assert_eq!(contents(&project.app().join("packages/w/node_modules/c/")).len(), 8, "{linker:?}");
    }
}
