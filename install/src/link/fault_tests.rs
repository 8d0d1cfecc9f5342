//! The linkers under faults: a full disk, a cache that cannot be written to, processes that are killed or run at once.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::link::tests::{Builder, Project, isolated, options};
use crate::link::{LinkOptions, Silent, link};
use crate::model::plan::{EdgeKind, Linker, NO_ID, Plan};
use crate::store::Store;
use crate::testing::{Random, SmallDisk, contents, package};

#[test]
fn full_disk_then_room() {
    let project = Project::new("full");
    for number in 0..20 {
        project.submit(&format!("p{number}@1.0.0"), package(&format!("p{number}"), "1.0.0", 60));
    }
    let Some(disk) = SmallDisk::new(&project.temp.path("disk"), 600) else {
        return;
    };
    let mut builder = Builder::new(&disk.0, Linker::Hoisted);
    let ids: Vec<(String, u32)> =
        (0..20).map(|number| (format!("p{number}"), builder.npm(&format!("p{number}@1.0.0")))).collect();
    let places: Vec<(&str, u32)> = ids.iter().map(|(name, id)| (name.as_str(), *id)).collect();
    builder.tree("node_modules", NO_ID, &places);
    let plan = builder.done();
    std::fs::write(disk.0.join("package.json"), "{\"name\":\"app\"}").expect("write");
    let error = link(&plan, &project.store, &options(), &Silent).expect_err("full");
    assert!(error.to_string().contains("No space left") && error.hint.is_some(), "{error}");
    assert_eq!(std::fs::read(disk.0.join("package.json")).expect("still there"), b"{\"name\":\"app\"}");
    let grown = Command::new("mount").args(["-o", "remount,size=16m"]).arg(&disk.0).status().expect("mount");
    assert!(grown.success());
    link(&plan, &project.store, &options(), &Silent).expect("continues");
    for (name, _) in &ids {
        assert_eq!(contents(&disk.0.join("node_modules").join(name)).len(), 61);
    }
}

#[test]
fn read_only_cache() {
    let project = Project::new("readonly");
    let Some(disk) = SmallDisk::new(&project.temp.path("disk"), 4096) else {
        return;
    };
    let store = Store::open(&disk.0, 2, Box::new(|_| {})).expect("store");
    let project = Project { store, ..project };
    for id in ["@s/a@1.0.0", "b@1.0.0", "c@1.0.0", "d@1.0.0"] {
        project.add(id);
    }
    while ["@s/a", "b", "c", "d"].iter().any(|name| !project.store.contains(&format!("{name}@1.0.0@@@1"))) {
        std::thread::sleep(Duration::from_millis(5));
    }
    if !disk.read_only() {
        return;
    }
    // With a store that never saw the packages, and with the global store asked for: the project has copies.
    let store = Store::open(&disk.0, 2, Box::new(|_| {})).expect("store");
    let options = LinkOptions { global_store: true, ..options() };
    link(&isolated(&project.app()), &store, &options, &Silent).expect("links");
    let real = std::fs::canonicalize(project.modules("@s/a")).expect("a");
    assert!(real.starts_with(std::fs::canonicalize(project.app()).expect("app")));
    assert_eq!(contents(&real), contents(&disk.0.join("@s/a@1.0.0@@@1")));
}

const CHILD: &str = "BAO_TEST_LINK";
const COUNT: usize = 40;

fn many(app: &Path, linker: Linker) -> Plan {
    let mut builder = Builder::new(app, linker);
    let ids: Vec<(String, u32)> =
        (0..COUNT).map(|number| (format!("p{number}"), builder.npm(&format!("p{number}@1.0.0")))).collect();
    let places: Vec<(&str, u32)> = ids.iter().map(|(name, id)| (name.as_str(), *id)).collect();
    let edges: Vec<_> = places.iter().map(|(name, id)| (*name, *id, EdgeKind::Prod)).collect();
    builder.edges(0, &edges);
    for at in 1..COUNT {
        builder.edges(ids[at].1, &edges[at / 2..=at / 2]);
    }
    if linker == Linker::Hoisted {
        builder.tree("node_modules", NO_ID, &places);
    }
    builder.done()
}

/// Not a test: what [`killed_at_any_moment`] starts and kills.
#[test]
fn child() {
    let Some(base) = std::env::var_os(CHILD) else {
        return;
    };
    let base = Path::new(&base);
    let store = Store::open(&base.join("cache"), 2, Box::new(|_| {})).expect("store");
    for (app, linker, global_store) in MODES {
        let options = LinkOptions { global_store, ..options() };
        link(&many(&base.join(app), linker), &store, &options, &Silent).expect("links");
    }
}

const MODES: [(&str, Linker, bool); 3] =
    [("app", Linker::Hoisted, false), ("iso", Linker::Isolated, false), ("shared", Linker::Isolated, true)];

#[test]
fn killed_at_any_moment() {
    let project = Project::new("kill");
    for number in 0..COUNT {
        project.submit(&format!("p{number}@1.0.0"), package(&format!("p{number}"), "1.0.0", 40));
    }
    while (0..COUNT).any(|number| !project.store.contains(&format!("p{number}@1.0.0@@@1"))) {
        std::thread::sleep(Duration::from_millis(5));
    }
    for (app, ..) in MODES {
        std::fs::create_dir_all(project.temp.path(app)).expect("directory");
    }
    let start = || {
        Command::new(std::env::current_exe().expect("test executable"))
            .args(["--exact", "link::fault_tests::child", "--test-threads=1"])
            .env(CHILD, &project.temp.0)
            .stdout(Stdio::null())
            .spawn()
            .expect("starts")
    };
    let mut random = Random(77);
    for round in 0..50 {
        let mut child = start();
        std::thread::sleep(Duration::from_micros(1000 + random.below(60_000) as u64));
        let _ = child.kill();
        let _ = child.wait();
        if round % 5 == 4 {
            // From a whole tree again.
            let mut pair = [start(), start()];
            assert!(pair.iter_mut().all(|child| child.wait().expect("ends").success()), "two at once");
            for (app, ..) in MODES {
                for number in 0..COUNT {
                    let dir = project.temp.path(app).join(format!("node_modules/p{number}"));
                    assert_eq!(contents(&dir.join("lib/")).len() + 1, 41, "{app} {number}");
                    assert!(dir.join("package.json").exists());
                }
            }
            for (app, ..) in MODES {
                let _ = std::fs::remove_dir_all(project.temp.path(app).join("node_modules"));
            }
            let _ = std::fs::remove_dir_all(project.temp.path("cache/links"));
        }
    }
}
