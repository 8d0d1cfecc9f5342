//! tsconfig.json path mapping.

mod support;

use resolve::{Kind, Resolver, TsConfig, TsConfigPaths};
use std::sync::{Arc, Mutex};
use support::{Tree, options};

fn tree() -> Tree {
    Tree::new(&[
        ("tsconfig.json", ""),
        ("src/lib.ts", ""),
        ("src/fs.ts", ""),
        ("src/pkg.ts", ""),
        ("src/a.ts", ""),
        ("src/dir/index.ts", ""),
        ("src/imp.ts", ""),
        ("src/types.d.ts", ""),
        ("gen/b.ts", ""),
        ("vendor/star.ts", ""),
        ("both.ts", ""),
        ("util/deep.ts", ""),
        ("node_modules/pkg/index.js", ""),
        ("node_modules/pkg/sub.js", ""),
        ("node_modules/both/index.js", ""),
        ("node_modules/types/index.js", ""),
        ("node_modules/in/index.js", ""),
        ("sub/jsconfig.json", ""),
        ("sub/o.ts", ""),
        ("package.json", r##"{"imports": {"#imp": "./none.js"}}"##),
    ])
}

fn paths(tree: &Tree, base_url: bool) -> Arc<TsConfigPaths> {
    Arc::new(TsConfigPaths::new(
        &tree.path("tsconfig.json"),
        base_url.then_some(&*tree.root),
        &tree.root,
        [
            ("lib", vec!["src/lib.ts"]),
            ("fs", vec!["src/fs.ts"]),
            ("pkg", vec!["src/pkg.ts"]),
            ("@/*", vec!["src/*", "gen/*"]),
            ("*", vec!["vendor/*"]),
            ("#imp", vec!["src/imp.ts"]),
            ("types", vec!["src/types.d.ts"]),
            ("installed", vec!["node_modules/pkg"]),
            ("/root/*", vec!["src/*"]),
        ],
    ))
}

#[test]
fn one_mapping_for_all() {
    let tree = tree();
    let mut fixed = options();
    fixed.tsconfig = TsConfig::Fixed(paths(&tree, true));
    let mut resolver = Resolver::os(fixed);
    for (specifier, expected) in [
        ("lib", "$/src/lib.ts"),
        // Built-in modules come first.
        ("fs", "node:fs"),
        ("pkg", "$/src/pkg.ts"),
        // A pattern that leads nowhere leaves the specifier to node_modules.
        ("pkg/sub", "$/node_modules/pkg/sub.js"),
        ("@/a", "$/src/a.ts"),
        ("@/a.js", "$/src/a.ts"),
        ("@/a?v", "$/src/a.ts?v"),
        ("@/b", "$/gen/b.ts"),
        ("@/dir", "$/src/dir/index.ts"),
        ("star", "$/vendor/star.ts"),
        ("#imp", "$/src/imp.ts"),
        ("types", "$/node_modules/types/index.js"),
        ("installed", "$/node_modules/pkg/index.js"),
        ("/root/a", "$/src/a.ts"),
        // baseUrl comes before node_modules.
        ("both", "$/both.ts"),
        ("util/deep", "$/util/deep.ts"),
        ("src/a", "$/src/a.ts"),
    ] {
        for kind in [Kind::Import, Kind::Require] {
            assert_eq!(tree.run(&mut resolver, specifier, "main.ts", kind), expected);
        }
    }
    assert!(tree.run(&mut resolver, "@/none", "main.ts", Kind::Import).contains("'@/none'"));
    // Installed packages see their own world first.
    let mut inside = |s| tree.run(&mut resolver, s, "node_modules/in/index.js", Kind::Import);
    assert_eq!(inside("pkg"), "$/node_modules/pkg/index.js");
    assert_eq!(inside("both"), "$/node_modules/both/index.js");
    assert_eq!(inside("@/a"), "$/src/a.ts");
}

#[test]
fn nearest_mapping() {
    let tree = tree();
    let root = paths(&tree, false);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let base = tree.path("sub");
    let mut nearest = options();
    nearest.tsconfig = TsConfig::Nearest(Box::new(move |path| {
        log.lock().unwrap().push(path.to_owned());
        if path.ends_with("tsconfig.json") {
            return Some(root.clone());
        }
        Some(Arc::new(TsConfigPaths::new(path, None, &base, [("only", vec!["./o.ts"])])))
    }));
    let mut resolver = Resolver::os(nearest);
    let mut run = |s, from| tree.run(&mut resolver, s, from, Kind::Import);
    assert_eq!(run("@/a", "src/deep/er/m.ts"), "$/src/a.ts");
    assert_eq!(run("both", "src/m.ts"), "$/node_modules/both/index.js");
    assert_eq!(run("only", "sub/m.ts"), "$/sub/o.ts");
    assert!(run("@/a", "sub/m.ts").starts_with("ERR_MODULE_NOT_FOUND"));
    assert!(run("only", "m.ts").starts_with("ERR_MODULE_NOT_FOUND"));
    let found = resolver.tsconfig_for(&tree.path("sub/x/y.ts")).unwrap();
    assert_eq!(tree.short(&found.path), "$/sub/jsconfig.json");
    // Each file was read once.
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 2);
}
