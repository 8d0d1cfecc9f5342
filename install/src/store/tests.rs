//! The store under faults: killed processes, two at once, a full disk, a cache that cannot be written to.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::error::Code;
use crate::model::integrity::Integrity;
use crate::store::tarball::digest;
use crate::store::{Done, Lookup, Store, TarballJob};
use crate::testing::{Random, SmallDisk, Temp, archive, contents, file, gzip, package};

fn open(cache: &Path) -> (Arc<Store>, Receiver<Done>) {
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    let done = move |done| {
        if let Ok(sender) = sender.lock() {
            let _ = sender.send(done);
        }
    };
    (Store::open(cache, 2, Box::new(done)).expect("opens"), receiver)
}

fn job(name: &str, integrity: Integrity) -> TarballJob {
    TarballJob {
        cache_dir: format!("{name}@1.0.0@@@1"),
        name: name.into(),
        version: "1.0.0".into(),
        url: format!("http://localhost/{name}.tgz"),
        integrity,
        want_manifest: true,
        want_integrity: true,
    }
}

fn next(receiver: &Receiver<Done>) -> Done {
    receiver.recv_timeout(Duration::from_secs(60)).expect("a job ends")
}

#[test]
fn unpacks_and_finds() {
    let temp = Temp::new("store");
    let tarball = package("@scope/a", "1.0.0", 30);
    {
        let (store, done) = open(&temp.0);
        assert!(!store.contains("@scope/a@1.0.0@@@1"));
        store.submit(job("@scope/a", digest::sha512(&tarball)), tarball.clone());
        let unpacked = next(&done).result.expect("unpacks");
        assert_eq!((unpacked.files, unpacked.integrity), (31, Some(digest::sha512(&tarball))));
        assert!(unpacked.package_json.is_some_and(|json| json.starts_with(b"{\"name\"")));
        assert!(store.contains("@scope/a@1.0.0@@@1"));
        store.close();
    }
    // A new process knows the files from the index, without reading the directory.
    let (store, _) = open(&temp.0);
    let Lookup::Ready(source) = store.lookup("@scope/a@1.0.0@@@1") else { panic!("not found") };
    let (names, links) = store.names("@scope/a@1.0.0@@@1", &source).expect("names");
    assert!(matches!(names, super::Names::Mapped { .. }));
    assert_eq!((names.count(), names.manifest(), links.len()), (30, true, 0));
    // A directory that changed is read again.
    std::fs::write(temp.path("@scope/a@1.0.0@@@1/new.js"), "x").expect("write");
    let (store, _) = open(&temp.0);
    let Lookup::Ready(source) = store.lookup("@scope/a@1.0.0@@@1") else { panic!("not found") };
    assert_eq!(store.names("@scope/a@1.0.0@@@1", &source).expect("names").0.count(), 31);
    assert_eq!(std::fs::read_dir(temp.path(".tmp")).expect("staging").count(), 0);
}

#[test]
fn close_waits_for_what_is_being_unpacked() {
    let temp = Temp::new("close");
    let tarball = package("a", "1.0.0", 400);
    for round in 0..10 {
        let (store, done) = open(&temp.0);
        for number in 0..6 {
            store.submit(job(&format!("a{round}-{number}"), Integrity::None), tarball.clone());
        }
        // One is ready, the other worker is in the middle of the next, and the rest is dropped.
        next(&done).result.expect("unpacks");
        store.close();
        assert_eq!(std::fs::read_dir(temp.path(".tmp")).expect("staging").count(), 0, "round {round}");
    }
}

#[test]
fn damaged_index_is_read_around() {
    let temp = Temp::new("index");
    for name in ["a", "b", "c"] {
        let (store, done) = open(&temp.0);
        store.submit(job(name, Integrity::None), package(name, "1.0.0", 9));
        next(&done).result.expect("unpacks");
        store.close();
    }
    let log = temp.path(".bao-files-1");
    let good = std::fs::read(&log).expect("index");
    let mut random = Random(99);
    for round in 0..200 {
        let mut bad = good.clone();
        match round % 3 {
            0 => bad.truncate(random.below(bad.len())),
            1 => {
                let at = random.below(bad.len());
                bad[at] ^= 1 << random.below(8);
            }
            _ => bad.extend_from_slice(&[0xAA; 13]),
        }
        std::fs::write(&log, &bad).expect("write");
        let (store, _) = open(&temp.0);
        for name in ["a", "b", "c"] {
            let key = format!("{name}@1.0.0@@@1");
            let Lookup::Ready(source) = store.lookup(&key) else { panic!("not found") };
            let (names, _) = store.names(&key, &source).expect("names");
            assert_eq!((names.count(), names.manifest()), (9, true), "round {round}");
        }
        store.close();
    }
}

#[test]
fn wrong_tarballs_leave_nothing() {
    let temp = Temp::new("wrong");
    let (store, done) = open(&temp.0);
    let good = package("a", "1.0.0", 5);
    store.submit(job("a", Integrity::Sha512([7; 64])), good.clone());
    let error = next(&done).result.err().expect("refused");
    assert_eq!((error.code, error.package.as_deref()), (Code::Integrity, Some("a@1.0.0")));
    assert!(matches!(store.lookup("a@1.0.0@@@1"), Lookup::Failed(_)));
    store.submit(job("b", Integrity::None), good[..good.len() / 2].to_vec());
    assert_eq!(next(&done).result.err().map(|error| error.code), Some(Code::Tarball));
    store.submit(job("c", Integrity::None), gzip(&archive(&[file("package/a", b"a"), file("../../../x", b"x")])));
    assert_eq!(next(&done).result.err().map(|error| error.code), Some(Code::Tarball));
    for dir in ["../x", "/x", "a/b", "a\0b", "", "@s/../x", "."] {
        store.submit(TarballJob { cache_dir: dir.into(), ..job("d", Integrity::None) }, good.clone());
        assert_eq!(next(&done).result.err().map(|error| error.code), Some(Code::Parse), "{dir:?}");
        assert!(!store.contains(dir));
    }
    assert_eq!(contents(&temp.0), []);
}

#[test]
fn a_half_directory_is_replaced() {
    let temp = Temp::new("half");
    std::fs::create_dir_all(temp.path("a@1.0.0@@@1/lib")).expect("directory");
    let (store, done) = open(&temp.0);
    assert!(!store.contains("a@1.0.0@@@1"), "without package.json it is not whole");
    store.submit(job("a", Integrity::None), package("a", "1.0.0", 5));
    next(&done).result.expect("unpacks");
    assert_eq!(contents(&temp.path("a@1.0.0@@@1")).len(), 6);
}

#[test]
fn two_at_once() {
    let temp = Temp::new("two");
    let (first, first_done) = open(&temp.0);
    let (second, second_done) = open(&temp.0);
    for number in 0..40 {
        let name = format!("p{number}");
        let tarball = package(&name, "1.0.0", 20);
        first.submit(job(&name, Integrity::None), tarball.clone());
        second.submit(job(&name, Integrity::None), tarball);
    }
    for _ in 0..40 {
        next(&first_done).result.expect("unpacks");
        next(&second_done).result.expect("unpacks");
    }
    for number in 0..40 {
        assert_eq!(contents(&temp.path(&format!("p{number}@1.0.0@@@1"))).len(), 21);
    }
    assert_eq!(std::fs::read_dir(temp.path(".tmp")).expect("staging").count(), 0);
}

const CHILD: &str = "BAO_TEST_UNPACK";
const PACKAGES: usize = 30;

/// Not a test: what [`killed_at_any_moment`] starts and kills.
#[test]
fn child() {
    let Some(cache) = std::env::var_os(CHILD) else {
        return;
    };
    let (store, done) = open(Path::new(&cache));
    let mut count = 0;
    for number in 0..PACKAGES {
        let name = format!("p{number}");
        if !store.contains(&format!("{name}@1.0.0@@@1")) {
            store.submit(job(&name, Integrity::None), package(&name, "1.0.0", 60));
            count += 1;
        }
    }
    for _ in 0..count {
        next(&done).result.expect("unpacks");
    }
    store.close();
}

#[test]
fn killed_at_any_moment() {
    let temp = Temp::new("kill");
    let mut random = Random(4242);
    let start = || {
        Command::new(std::env::current_exe().expect("test executable"))
            .args(["--exact", "store::tests::child", "--test-threads=1"])
            .env(CHILD, &temp.0)
            .stdout(Stdio::null())
            .spawn()
            .expect("starts")
    };
    let check = || {
        let mut whole = 0;
        for number in 0..PACKAGES {
            let dir = temp.path(&format!("p{number}@1.0.0@@@1"));
            if dir.exists() {
                assert_eq!(contents(&dir).len(), 61, "whole or absent");
                whole += 1;
            }
        }
        whole
    };
    for round in 0..50 {
        let mut child = start();
        std::thread::sleep(Duration::from_micros(500 + random.below(40_000) as u64));
        let _ = child.kill();
        let _ = child.wait();
        if check() == PACKAGES {
            let _ = std::fs::remove_dir_all(temp.path(&format!("p{}@1.0.0@@@1", round % PACKAGES)));
            let _ = std::fs::remove_dir_all(temp.path(&format!("p{}@1.0.0@@@1", (round + 7) % PACKAGES)));
        }
    }
    assert!(start().wait().expect("ends").success());
    assert_eq!(check(), PACKAGES);
}

#[test]
fn full_disk() {
    let temp = Temp::new("full");
    let Some(disk) = SmallDisk::new(&temp.path("disk"), 512) else {
        return;
    };
    let (store, done) = open(&disk.0);
    let noise: Vec<u8> = {
        let mut random = Random(1);
        (0..2 << 20).map(|_| random.next() as u8).collect()
    };
    let large = gzip(&archive(&[file("package/package.json", b"{}"), file("package/big", &noise)]));
    store.submit(job("big", Integrity::None), large);
    let error = next(&done).result.err().expect("fails");
    assert_eq!(error.code, Code::Io);
    assert!(error.to_string().contains("No space left") && error.hint.is_some(), "{error}");
    // What was written is gone again: a small package fits.
    store.submit(job("small", Integrity::None), package("small", "1.0.0", 3));
    next(&done).result.expect("fits");
    assert!(!store.contains("big@1.0.0@@@1"));
}

#[test]
fn read_only_cache() {
    let temp = Temp::new("ro");
    let Some(disk) = SmallDisk::new(&temp.path("disk"), 4096) else {
        return;
    };
    {
        let (store, done) = open(&disk.0);
        store.submit(job("a", Integrity::None), package("a", "1.0.0", 5));
        next(&done).result.expect("unpacks");
        store.close();
    }
    if !disk.read_only() {
        return;
    }
    let (store, done) = open(&disk.0);
    assert!(store.contains("a@1.0.0@@@1"));
    store.submit(job("b", Integrity::None), package("b", "1.0.0", 5));
    next(&done).result.expect("unpacks elsewhere");
    let Lookup::Ready(source) = store.lookup("b@1.0.0@@@1") else { panic!("not found") };
    assert_eq!(store.names("b@1.0.0@@@1", &source).expect("names").0.count(), 5);
    assert!(!disk.0.join("b@1.0.0@@@1").exists());
    store.close();
}
