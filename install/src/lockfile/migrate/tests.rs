//! The readers on small files; whole projects are in tests/install/migrate.sh.

use super::*;
use crate::model::graph::{Behavior, Graph};
use crate::model::plan::{Kind, NO_ID};
use crate::project::Manifest;

fn manifests(root: &str) -> Vec<Manifest> {
    vec![Manifest { path: String::new(), text: root.to_owned() }]
}

/// `label: name literal -> label, …` of each package that is not the root.
fn dump(loaded: &Loaded) -> Vec<String> {
    let graph = &loaded.graph;
    let target = |graph: &Graph, id: u32| if id == NO_ID { "none".to_owned() } else { graph.label(id) };
    (1..graph.len() as u32)
        .map(|id| {
            let deps = graph.packages.deps[id as usize].ids().map(|dep| {
                let at = dep as usize;
                let name = graph.str(graph.deps.name[at]);
                format!("{name} {} -> {}", graph.str(graph.deps.literal[at]), target(graph, graph.deps.target[at]))
            });
            format!("{}: {}", graph.label(id), deps.collect::<Vec<_>>().join(", "))
        })
        .collect()
}

#[test]
fn npm_walks_up_and_knows_aliases_links_and_bundles() {
    let text = r#"{"lockfileVersion":3,"packages":{
        "":{"name":"x","dependencies":{"a":"^1","l":"file:l","g":"github:u/r","t":"https://h/t.tgz"}},
        "node_modules/a":{"version":"1.0.0","resolved":"https://registry.npmjs.org/a/-/a-1.0.0.tgz","integrity":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "dependencies":{"b":"1","@s/c":"2"},"peerDependencies":{"b":"*","p":"*","q":"*"},"peerDependenciesMeta":{"q":{"optional":true}},
            "optionalDependencies":{"o":"1"},"bundleDependencies":["@s/c"],"bin":{"a":"x.js"}},
        "node_modules/a/node_modules/b":{"name":"real","version":"1.5.0"},
        "node_modules/a/node_modules/@s/c":{"version":"2.0.0","inBundle":true,"dependencies":{"b":"9"}},
        "node_modules/b":{"version":"9.0.0"},
        "node_modules/l":{"resolved":"l","link":true},
        "l":{"version":"1.0.0","dependencies":{"b":"9"}},
        "node_modules/g":{"version":"1.0.0","resolved":"git+ssh://git@github.com/u/r.git#0123456789012345678901234567890123456789"},
        "node_modules/t":{"version":"1.0.0","resolved":"https://h/t.tgz"},
        "node_modules/gone":{"version":"1.0.0","extraneous":true}}}"#;
    let loaded = npm::read(text, "package-lock.json", &[]).unwrap();
    assert_eq!(
        dump(&loaded),
        [
            "a@1.0.0: o 1 -> none, @s/c 2 -> @s/c@2.0.0, b 1 -> real@1.5.0, q * -> none",
            "l@file:l: b 9 -> b@9.0.0",
            "g@github:u/r#0123456789012345678901234567890123456789: ",
            "t@https://h/t.tgz: ",
            "real@1.5.0: ",
            "@s/c@2.0.0: b 9 -> real@1.5.0",
            "b@9.0.0: ",
        ]
    );
    let bundled =
        (0..loaded.graph.deps.name.len()).filter(|&dep| loaded.graph.deps.behavior[dep].has(Behavior::BUNDLED));
    assert_eq!(bundled.count(), 1);
    for bad in [
        "",
        "{}",
        r#"{"lockfileVersion":3}"#,
        r#"{"lockfileVersion":3,"packages":{"a":{}}}"#,
        r#"{"lockfileVersion":3,"packages":{"":{"dependencies":{"a":"1"}},"node_modules/a":{"version":"x"}}}"#,
        r#"{"lockfileVersion":3,"packages":{"":{"dependencies":{"a":"1"}},"node_modules/a":{"name":"../a","version":"1.0.0"}}}"#,
        r#"{"lockfileVersion":3,"packages":{"":{"dependencies":{"a":"1"}},"node_modules/a":{"version":"1.0.0","dependencies":{"../b":"1"}},"node_modules/../b":{"name":"b","version":"1.0.0"}}}"#,
        r#"{"lockfileVersion":3,"packages":{"":{"dependencies":{"a":"1"}},"node_modules/a":{"resolved":"node_modules/b","link":true},"node_modules/b":{"resolved":"node_modules/a","link":true}}}"#,
    ] {
        assert!(npm::read(bad, "package-lock.json", &[]).is_err(), "{bad}");
    }
}

#[test]
fn yarn_1_blocks_with_quotes_urls_and_parents() {
    let text = "# yarn lockfile v1\r\n\r\n\"@s/a@^1.0.0\", \"@s/a@>=1 <2\":\r\n  version \"1.0.1\"\r\n  resolved \"https://registry.yarnpkg.com/@s/a/-/a-1.0.1.tgz#da39a3ee5e6b4b0d3255bfef95601890afd80709\"\r\n  dependencies:\r\n    b \"^1\"\r\n    c \"npm:real@2\"\r\n  optionalDependencies:\r\n    gone \"1\"\r\n\r\nb@1.5.0:\r\n  version \"1.5.0\"\r\n  resolved \"https://r.example/b/-/b-1.5.0.tgz\"\r\n\r\nb@^1:\r\n  version \"1.9.0\"\r\n\r\n\"c@npm:real@2\":\r\n  version \"2.0.0\"\r\n\r\n\"g@u/r#main\":\r\n  version \"0.0.0\"\r\n  resolved \"https://codeload.github.com/u/r/tar.gz/0123456789012345678901234567890123456789\"\r\n";
    let package_json = r#"{"dependencies":{"@s/a":"^1.0.0","g":"u/r#main"},"resolutions":{"@s/a/b":"1.5.0"}}"#;
    let value = json::Value::parse(package_json.as_bytes()).unwrap();
    let loaded = yarn::read(text, &manifests(package_json), &crate::project::extras(&value)).unwrap();
    assert_eq!(
        dump(&loaded),
        [
            "@s/a@1.0.1: gone 1 -> none, b ^1 -> b@1.5.0, c npm:real@2 -> real@2.0.0",
            "b@1.5.0: ",
            "b@1.9.0: ",
            "real@2.0.0: ",
            "g@github:u/r#0123456789012345678901234567890123456789: ",
        ]
    );
    assert_eq!(loaded.graph.packages.integrity[1].to_string(), "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
    for bad in [
        "x",
        "a@1:\n  version",
        "a@1:\n  version \"y\"\n",
        "  version \"1.0.0\"\n",
        "\"a@1:\n",
        "a@1, :\n",
        "../a@1:\n  version \"1.0.0\"\n",
    ] {
        let read = yarn::read(bad, &manifests("{}"), &Extras::default());
        assert!(read.is_err(), "{bad:?}");
    }
}

#[test]
fn pnpm_of_both_shapes_gives_the_same() {
    let context = |extras| pnpm::Context {
        root: Path::new("/nonexistent"),
        manifests: &[],
        extras,
        archive: &|_, _, _| String::new(),
    };
    let extras = Extras::default();
    let nine = "lockfileVersion: '9.0'\nimporters:\n  .: {}\npackages:\n  a@1.0.0:\n    resolution: {integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=}\n    peerDependencies: {p: '>=1', q: '*'}\n    peerDependenciesMeta: {q: {optional: true}}\n    os: [linux]\n  p@1.0.0:\n    resolution: {integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=}\n  r@2.0.0:\n    resolution: {integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=}\n  f@file:dir:\n    resolution: {directory: dir, type: directory}\nsnapshots:\n  a@1.0.0(p@1.0.0):\n    dependencies:\n      p: 1.0.0\n      alias: r@2.0.0\n      f: file:dir\n  p@1.0.0: {}\n  r@2.0.0: {}\n  f@file:dir:\n    dependencies:\n      p: 1.0.0\n";
    let six = "lockfileVersion: '6.0'\npackages:\n  /a@1.0.0(p@1.0.0):\n    resolution: {integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=}\n    peerDependencies: {p: '>=1', q: '*'}\n    peerDependenciesMeta: {q: {optional: true}}\n    os: [linux]\n    dependencies:\n      p: 1.0.0\n      alias: /r@2.0.0\n      f: file:dir\n  /p@1.0.0:\n    resolution: {integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=}\n  /r@2.0.0:\n    resolution: {integrity: sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=}\n  file:dir:\n    resolution: {directory: dir, type: directory}\n    name: f\n    dependencies:\n      p: 1.0.0\n";
    let want = [
        "a@1.0.0: alias npm:r@2.0.0 -> r@2.0.0, f file:dir -> f@file:dir, p >=1 -> p@1.0.0, q * -> none",
        "p@1.0.0: ",
        "r@2.0.0: ",
        "f@file:dir: p 1.0.0 -> p@1.0.0",
    ];
    for text in [nine, six] {
        let read = pnpm::read(text, &context(&extras)).unwrap();
        assert_eq!(dump(&read.loaded), want);
        assert_eq!(read.loaded.graph.packages.os[1], crate::model::platform::OS.bit("linux"));
    }
    for bad in [
        "",
        "a: b",
        "lockfileVersion: '5.4'\n",
        "lockfileVersion: '9.0'\n",
        "lockfileVersion: '9.0'\npackages:\n  a@1.0.0: {}\n",
        "lockfileVersion: '9.0'\nimporters: {}\nsnapshots:\n  a@what: {}\n",
        "lockfileVersion: '9.0'\nimporters: {}\npackages:\n  a@1.0.0: {}\nsnapshots:\n  a@1.0.0:\n    dependencies: {b: 1.0.0}\n",
        "lockfileVersion: '9.0'\nimporters: {}\npackages:\n  a@1.0.0: {}\nsnapshots:\n  a@1.0.0:\n    dependencies: {../b: 1.0.0}\n",
        "lockfileVersion: [\n",
    ] {
        assert!(pnpm::read(bad, &context(&extras)).is_err(), "{bad}");
    }
}

#[test]
fn berry_descriptors_patches_and_resolutions() {
    let text = "__metadata:\n  version: 8\n\n\"a@npm:^1\":\n  version: 1.0.0\n  resolution: \"a@npm:1.0.0\"\n  dependencies:\n    b: \"npm:^2\"\n    c: \"npm:real@^3\"\n  dependenciesMeta:\n    c:\n      optional: true\n  conditions: os=linux & libc=musl\n\n\"b@npm:2.5.0\":\n  version: 2.5.0\n  resolution: \"b@npm:2.5.0\"\n\n\"b@patch:b@npm%3A2.5.0#~/.yarn/patches/b.patch\":\n  version: 2.5.0\n  resolution: \"b@patch:b@npm%3A2.5.0#~/.yarn/patches/b.patch::version=2.5.0&hash=00\"\n\n\"c@npm:real@^3\":\n  version: 3.0.0\n  resolution: \"real@npm:3.0.0\"\n\n\"x@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"x@workspace:.\"\n";
    let documents = berry::documents(text).unwrap();
    let lock = berry::index(&documents).unwrap();
    assert_eq!(lock.patches(), [("b@2.5.0".to_owned(), ".yarn/patches/b.patch".to_owned())]);
    let package_json =
        r#"{"dependencies":{"a":"^1"},"resolutions":{"b@npm:^2":"patch:b@npm%3A2.5.0#~/.yarn/patches/b.patch"}}"#;
    let rewritten = berry::rewrite(package_json).unwrap();
    assert!(rewritten.text.contains("\"b@npm:^2\": \"2.5.0\""), "{}", rewritten.text);
    let manifests = manifests(&rewritten.text);
    let context = berry::Context {
        manifests: &manifests,
        originals: &[],
        resolutions: &berry::resolutions(package_json),
        yarnrc: &settings::YarnRc::default(),
        archive: &|_, _| String::new(),
    };
    let loaded = berry::build(&lock, 100, &context, &mut |warning| panic!("{warning}")).unwrap();
    assert_eq!(dump(&loaded), ["a@1.0.0: c npm:real@^3 -> real@3.0.0, b ^2 -> b@2.5.0", "b@2.5.0: ", "real@3.0.0: "]);
    assert_eq!(loaded.members[0].deps.len(), 1);
    for bad in ["", "__metadata: {}\n", "__metadata: {version: 99}\n", "__metadata: {version: 8}\na: {}\n"] {
        let documents = berry::documents(bad).unwrap();
        assert!(berry::index(&documents).is_err(), "{bad}");
    }
}

#[test]
fn a_damaged_bun_lockb_is_an_error_wherever_it_is_cut() {
    // Two packages and a dependency, as Bun 1.1 lays them out.
    let mut file = b"#!/usr/bin/env bun\nbun-lockfile-format-v0\n".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend([0; 32]);
    let total = file.len();
    file.extend([0; 8]);
    let head = file.len();
    file.extend([0; 40]);
    let begin = file.len();
    let inline = |text: &str| {
        let mut bytes = [0; 8];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        bytes
    };
    file.extend([inline("x"), inline("a")].concat());
    file.extend([0; 16]);
    let mut root = [0u8; 64];
    root[0] = 1;
    let mut npm = [0u8; 64];
    npm[0] = 2;
    (npm[16], npm[20], npm[24]) = (1, 2, 3);
    file.extend([root, npm].concat());
    for (off, len) in [(0u32, 1u32), (1, 0), (0, 1), (1, 0)] {
        file.extend(off.to_le_bytes());
        file.extend(len.to_le_bytes());
    }
    let mut meta = [0u8; 88];
    (meta[2..4]).copy_from_slice(&0xffeu16.to_le_bytes());
    (meta[4..6]).copy_from_slice(&0x10u16.to_le_bytes());
    meta[85] = 2;
    file.extend([meta, meta].concat());
    file.extend([0; 40]);
    let end = file.len();
    let mut dependency = [0u8; 26];
    dependency[..8].copy_from_slice(&inline("a"));
    (dependency[16], dependency[17]) = (2, 1);
    dependency[18..].copy_from_slice(&inline("^1.0.0"));
    for array in [&[][..], &[], &1u32.to_le_bytes(), &dependency, &[], &[]] {
        let start = file.len() as u64 + 16;
        file.extend(start.to_le_bytes());
        file.extend((start + array.len() as u64).to_le_bytes());
        file.extend(array);
    }
    let length = file.len() as u64;
    file[total..total + 8].copy_from_slice(&length.to_le_bytes());
    for (place, value) in [2, 8, 8, begin as u64, end as u64].into_iter().enumerate() {
        file[head + place * 8..head + place * 8 + 8].copy_from_slice(&u64::to_le_bytes(value));
    }
    let loaded = lockb::read(&file, &[]).unwrap();
    assert_eq!(dump(&loaded), ["a@1.2.3: "]);
    assert_eq!(loaded.graph.kind(1), Kind::Npm);
    assert_eq!(loaded.graph.packages.os[1], crate::model::platform::OS.bit("linux"));
    let dep = &loaded.members[0].deps[0];
    assert_eq!((loaded.graph.str(dep.literal), dep.target), ("^1.0.0", 1));
    for cut in 0..file.len() {
        assert!(lockb::read(&file[..cut], &[]).is_err(), "{cut}");
    }
    let mut random = crate::testing::Random(7);
    for _ in 0..20_000 {
        let mut broken = file.clone();
        for _ in 0..3 {
            let at = random.below(broken.len());
            broken[at] = random.next() as u8;
        }
        let _ = lockb::read(&broken, &[]);
    }
}

#[test]
fn settings_are_printed_as_bun_prints_them() {
    let mut target = settings::Target::new("{\n\t\"a\": {\"b\": [1, 2]},\n\t\"workspaces\": [\"x\"]\n}\n");
    let documents =
        yaml::parse("packages: [p/*, q]\ncatalog: &c {r: ^1}\ncatalogs: {d: *c}\n", yaml::Options::TEXT).unwrap();
    target.set(&["workspaces"], &settings::Json::from_yaml(&documents[0]));
    assert_eq!(
        target.finish().unwrap(),
        "{\n\t\"a\": {\n\t\t\"b\": [1, 2]\n\t},\n\t\"workspaces\": {\n\t\t\"packages\": [\n\t\t\t\"p/*\",\n\t\t\t\"q\"\n\t\t],\n\t\t\"catalog\": {\n\t\t\t\"r\": \"^1\"\n\t\t},\n\t\t\"catalogs\": {\n\t\t\t\"d\": {\n\t\t\t\t\"r\": \"^1\"\n\t\t\t}\n\t\t}\n\t}\n}\n"
    );
}
