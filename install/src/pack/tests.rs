use super::*;
use crate::testing::Temp;

fn tree(files: &[(&str, &str)]) -> Temp {
    let temp = Temp::new("pack");
    for (name, text) in files {
        let path = temp.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    temp
}

fn packed(files: &[(&str, &str)]) -> Vec<String> {
    let temp = tree(files);
    contents(&temp.0).unwrap().entries.into_iter().map(|entry| entry.path).collect()
}

#[test]
fn everything_without_files() {
    let found = packed(&[
        ("package.json", r#"{"name":"a","version":"1.0.0"}"#),
        ("index.js", ""),
        ("node_modules/x/index.js", ""),
        (".git/config", ""),
        ("src/.DS_Store", ""),
        ("src/a.ts", ""),
        (".npmrc", ""),
        ("bun.lock", ""),
        ("sub/bun.lock", ""),
        (".gitignore", "dist\n*.log\n!keep.log\n"),
        ("dist/a.js", ""),
        ("a.log", ""),
        ("keep.log", ""),
    ]);
    assert_eq!(found, ["index.js", "keep.log", "src/a.ts", "sub/bun.lock"]);
}

#[test]
fn listed_files() {
    let found = packed(&[
        (
            "package.json",
            r#"{"name":"a","version":"1.0.0","main":"./main.js","bin":"bin/x.js","files":["lib","*.md","!lib/test","deep/**/*.d.ts","/one/two.txt"]}"#,
        ),
        ("main.js", ""),
        ("other.js", ""),
        ("bin/x.js", ""),
        ("lib/a.js", ""),
        ("lib/test/a.js", ""),
        ("lib/.npmignore", "secret\n"),
        ("lib/secret", ""),
        ("notes.md", ""),
        ("deep/a/b.d.ts", ""),
        ("deep/a/b.ts", ""),
        ("one/two.txt", ""),
        ("one/three.txt", ""),
        ("readme", ""),
        ("license.txt", ""),
        ("LICENCE", ""),
        ("README.md~", ""),
    ]);
    assert_eq!(
        found,
        [
            "LICENCE",
            "bin/x.js",
            "deep/a/b.d.ts",
            "lib/a.js",
            "license.txt",
            "main.js",
            "notes.md",
            "one/two.txt",
            "readme"
        ]
    );
}

#[test]
fn bundled_with_their_own() {
    let found = packed(&[
        ("package.json", r#"{"name":"a","version":"1.0.0","bundleDependencies":["b"]}"#),
        ("node_modules/b/package.json", r#"{"name":"b","dependencies":{"c":"*","d":"*"}}"#),
        ("node_modules/b/index.js", ""),
        ("node_modules/b/node_modules/c/package.json", r#"{"name":"c"}"#),
        ("node_modules/d/package.json", r#"{"name":"d"}"#),
        ("node_modules/e/package.json", r#"{"name":"e"}"#),
    ]);
    assert_eq!(
        found,
        [
            "node_modules/b/index.js",
            "node_modules/b/node_modules/c/package.json",
            "node_modules/b/package.json",
            "node_modules/d/package.json"
        ]
    );
}

#[test]
fn deterministic() {
    let files = [("package.json", r#"{"name":"a","version":"1.0.0"}"#), ("b.js", "b"), ("a.js", "a")];
    let pack = || {
        let temp = tree(&files);
        contents(&temp.0).unwrap().pack(&temp.0, 9).unwrap()
    };
    let (one, two) = (pack(), pack());
    assert_eq!((one.bytes, one.shasum), (two.bytes, two.shasum));
}

#[test]
fn names_that_escape() {
    for text in
        [r#"{"name":"../x","version":"1"}"#, r#"{"name":"x","version":"1/../../y"}"#, r#"{"name":"","version":"1"}"#]
    {
        let temp = tree(&[("package.json", text)]);
        assert!(contents(&temp.0).is_err(), "{text}");
    }
    assert_eq!(file_name("@a/b", "1.0.0"), "a-b-1.0.0.tgz");
}

#[test]
fn sizes() {
    for (bytes, text) in [
        (0, "0KB"),
        (511, "511B"),
        (512, "0.51KB"),
        (999, "1.00KB"),
        (1000, "1.0KB"),
        (1500, "1.50KB"),
        (99_999, "100.00KB"),
        (999_999, "1.00MB"),
        (12_345_678, "12.35MB"),
    ] {
        assert_eq!(size(bytes), text);
    }
}
