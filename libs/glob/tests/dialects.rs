//! The two dialects against tables recorded from Bun 1.4.5 and Node 25.9, and against hostile patterns.

use glob::{Extent, PathGlob, PathOptions, Pattern, Segment, is_pattern, spread};
use std::time::{Duration, Instant};

/// Rows of `pattern, path:0 or 1, ...`, separated by tabs.
fn check_table(table: &str, matches: impl Fn(&str, &str) -> bool) {
    for row in table.lines() {
        let mut cells = row.split('\t');
        let pattern = cells.next().unwrap_or_default();
        for cell in cells {
            let (path, expected) = cell.rsplit_once(':').unwrap_or((cell, ""));
            assert_eq!(matches(pattern, path), expected == "1", "{pattern:?} and {path:?}");
        }
    }
}

#[test]
fn as_bun() {
    check_table(include_str!("bun.txt"), |pattern, path| Pattern::new(pattern).matches(path.as_bytes()));
}

#[test]
fn as_node() {
    check_table(include_str!("node.txt"), |pattern, path| PathGlob::new(pattern, PathOptions::node()).matches(path));
}

#[test]
fn names_of_scripts_and_workspaces() {
    for (pattern, yes, no) in [
        ("*", &["a", "abc", ""][..], &["a/b"][..]),
        ("@x/*", &["@x/a"], &["@x/a/b", "@y/a"]),
        ("**", &["a", "a/b/c"], &[]),
        ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab"]),
        ("packages/**", &["packages/a", "packages/a/b"], &["package/a"]),
        ("build:*", &["build:a", "build:"], &["build"]),
        ("?x", &["ax"], &["x", "/x"]),
        ("[a-c]1", &["a1", "c1"], &["d1", "1"]),
        ("[!a]b", &["bb"], &["ab"]),
        ("[]]", &["]"], &["["]),
        ("[", &["["], &["a"]),
        ("{a,b*}/c", &["a/c", "bx/c"], &["c", "x/c"]),
        ("x{,y{1,2}}", &["x", "xy1", "xy2"], &["xy"]),
        ("{a", &["{a"], &["a"]),
        ("a\\*", &["a*"], &["ab"]),
        ("**/*.{js,ts}", &["a/b/c.ts"], &["a/b/c.css"]),
        ("{1..3}", &["2"], &["4"]),
        ("+(ab)", &["abab"], &["aba"]),
        ("!(a|b)c", &["dc"], &["ac"]),
        ("***(a|ab)", &["abbab"], &["a/b"]),
        ("!*.js", &["x/a.js"], &["a.js"]),
    ] {
        let compiled = Pattern::new(pattern);
        for text in yes {
            assert!(compiled.matches(text.as_bytes()), "{pattern} {text}");
        }
        for text in no {
            assert!(!compiled.matches(text.as_bytes()), "{pattern} {text}");
        }
    }
    assert!(is_pattern("build:*") && is_pattern("!(a)") && !is_pattern("@scope/name") && !is_pattern("a!"));
    assert_eq!(spread("{a,b/{c,d}}/*.{js,ts}"), ["a/*.{js,ts}", "b/{c,d}/*.{js,ts}"]);
    assert_eq!(Pattern::new("a\\*b").literal(), Some(&b"a*b"[..]));
}

#[test]
fn as_npm() {
    let hit = |pattern: &str, path: &str, extent| {
        let lower = path.to_owned();
        let names: Vec<&str> = lower.split('/').collect();
        PathGlob::new(pattern, PathOptions::npm()).matches_names(&names, extent)
    };
    for (pattern, path) in [
        ("*.js", "a/b/c.js"),
        ("readme{,.*[^~$]}", "README.md"),
        ("/readme{,.*[^~$]}", "/readme"),
        ("**/*.d.ts", "a/b.d.ts"),
        ("**/*.d.ts", "b.d.ts"),
        ("dist/**", "dist/a/b"),
        ("dist/**", "dist/"),
        ("dist/**", "DIST/.a"),
        ("lib/!(*.test).js", "lib/a.js"),
        ("*.+(js|ts)", "x/y.ts"),
        ("@(a|b)*", "bcd"),
        ("{1..3}.txt", "2.txt"),
        (".*.swp", ".a.swp"),
        ("[a-c]x", "bx"),
        ("[A-C]x", "Bx"),
        ("a\\*", "a*"),
        ("a/**/b", "a/x/y/b"),
        ("a/**/b", "a/b"),
    ] {
        assert!(hit(pattern, path, Extent::Whole), "{pattern} {path}");
    }
    for (pattern, path) in [
        ("readme{,.*[^~$]}", "readme.md~"),
        ("dist/**", "dist"),
        ("/a", "a"),
        ("a/*", "a/b/c"),
        ("lib/!(*.test).js", "lib/a.test.js"),
        ("*", ""),
        ("*", ".."),
        ("?", "ab"),
        ("a\\*", "ab"),
    ] {
        assert!(!hit(pattern, path, Extent::Whole), "{pattern} {path}");
    }
    assert!(hit("a/b/*.js", "a", Extent::MayHold) && hit("**/x", "q", Extent::MayHold));
    assert!(!hit("a/b", "c", Extent::MayHold));
    let one_name = |pattern| PathGlob::new(pattern, PathOptions::npm()).is_one_name();
    assert!(one_name("*.js") && one_name("dist/") && !one_name("/dist") && !one_name("a/b"));
}

#[test]
fn segments() {
    let pattern = PathGlob::new("**/a/{*.js,b}", PathOptions::node());
    let [one, two] = pattern.alternatives() else { panic!("two alternatives") };
    assert!(matches!(&one[..], [Segment::Any, Segment::Exact(name), Segment::Name(js)]
        if name == "a" && js.matches("x.js") && !js.matches(".js") && !js.matches("x.ts")));
    assert!(matches!(&two[..], [Segment::Any, Segment::Exact(_), Segment::Exact(name)] if name == "b"));
    let windows = PathOptions { windows: true, ..PathOptions::node() };
    assert!(PathGlob::new("a/**/*.js", windows).matches("a\\b\\c.js"));
    assert!(!PathGlob::new("a/*", PathOptions::node()).matches("a\\b"));
}

#[test]
fn hostile_patterns_take_no_time() {
    let start = Instant::now();
    let long = "a".repeat(2000);
    for pattern in [
        "*a".repeat(500) + "b",
        "**/".repeat(500) + "b",
        "**/*a".repeat(100) + "/b",
        "*(*(*(a|aa)|aa)|a)b".to_owned(),
        "+(a|aa|aaa)".repeat(50) + "b",
        "?(a)".repeat(500) + "b",
        "!(a)".repeat(6) + "b",
        "{a,b}".repeat(40),
        "@(".repeat(20_000),
        "@(a|".repeat(2_000) + &")".repeat(2_000),
        "{".repeat(20_000),
        "{a,".repeat(2_000) + &"}".repeat(2_000),
        "{a}".repeat(2_000),
        "[".repeat(20_000),
        "{1..99999}{1..99999}".to_owned(),
        "**/../a/b/".repeat(40),
    ] {
        let shown = &pattern[..pattern.len().min(40)];
        let before = start.elapsed();
        for options in [PathOptions::node(), PathOptions::npm()] {
            let glob = PathGlob::new(&pattern, options);
            let mut path = long.clone() + "c";
            glob.matches(&path);
            path = "a/".repeat(1000);
            glob.matches(&path);
        }
        let text = if pattern.starts_with("!(") { &long[..200] } else { &long };
        assert!(!Pattern::new(&pattern).matches(format!("{text}c").as_bytes()), "{shown}");
        let took = start.elapsed() - before;
        assert!(took < Duration::from_secs(5), "{shown}: {took:?}");
    }
}
