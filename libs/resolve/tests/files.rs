//! Relative and absolute specifiers, extensions, directories, symbolic links, the command line.

mod support;

use resolve::{CallOptions, Kind, ModuleFormat, Options, Resolver};
use support::{Tree, options};

#[test]
fn exact_and_left_out_extensions() {
    let tree = Tree::new(&[
        ("a.js", ""),
        ("exact", ""),
        ("exact.js", ""),
        ("data.json", "{}"),
        ("data/index.js", ""),
        ("sub/b.js", ""),
        ("addon.node", ""),
    ]);
    tree.both(&[
        ("./a.js", "$/a.js"),
        ("./a", "$/a.js"),
        (".//a.js", "$/a.js"),
        ("./sub/../a.js", "$/a.js"),
        ("./missing/../a.js", "$/a.js"),
        ("./exact", "$/exact"),
        ("./data", "$/data.json"),
        ("./data/", "$/data/index.js"),
        ("./sub/b", "$/sub/b.js"),
    ]);
    let absolute = tree.path("a");
    tree.both(&[(&absolute, "$/a.js")]);
    assert_eq!(tree.require("./addon"), "$/addon.node");
    assert!(tree.import("./addon").starts_with("ERR_MODULE_NOT_FOUND"));
}

/// The orders were measured with Bun 1.4.5, removing the winner one by one.
#[test]
fn extension_orders() {
    let all = [".tsx", ".ts", ".jsx", ".cts", ".cjs", ".js", ".mjs", ".mts", ".json", ".node", ".toml", ""];
    let measure = |base: &str, specifier: &str, kind| {
        let mut order = Vec::new();
        let mut left: Vec<&str> = all[..11].to_vec();
        loop {
            let names: Vec<String> = left.iter().map(|e| format!("{base}{e}")).collect();
            let files: Vec<(&str, &str)> = names.iter().map(|n| (&**n, "")).collect();
            let tree = Tree::new(&files);
            let found = tree.run(&mut tree.resolver(), specifier, "main.mjs", kind);
            let Some(extension) = found.strip_prefix(&format!("$/{base}")) else {
                return order.join(" ");
            };
            left.retain(|e| *e != extension);
            order.push(extension.to_owned());
        }
    };
    let import = ".tsx .jsx .mts .ts .mjs .js .cts .cjs .json";
    let require = ".tsx .ts .jsx .cts .cjs .js .mjs .mts .json .node";
    assert_eq!(measure("x", "./x", Kind::Import), import);
    assert_eq!(measure("x/index", "./x", Kind::Import), import);
    assert_eq!(measure("x", "./x", Kind::Require), require);
    assert_eq!(measure("x/index", "./x", Kind::Require), require);
    assert_eq!(measure("node_modules/p/x", "p/x", Kind::Import), ".mjs .jsx .mts .js .cjs .tsx .ts .cts .json");
    let packages = ".js .json .node .cjs .jsx .mjs .mts .tsx .ts .cts";
    assert_eq!(measure("node_modules/p/x", "p/x", Kind::Require), packages);
    assert_eq!(measure("node_modules/p/index", "p", Kind::Import), packages);
    assert_eq!(measure("node_modules/p/index", "p", Kind::Require), packages);
}

#[test]
fn typescript_behind_javascript_names() {
    let tree = Tree::new(&[
        ("a.ts", ""),
        ("b.tsx", ""),
        ("m.mts", ""),
        ("c.cts", ""),
        ("both.js", ""),
        ("both.ts", ""),
        ("d.d.ts", ""),
        ("node_modules/p/package.json", r#"{"main": "m.js", "exports": {"./x": "./x.js"}}"#),
        ("node_modules/p/x.ts", ""),
        ("node_modules/q/package.json", r#"{"main": "m.js"}"#),
        ("node_modules/q/m.ts", ""),
    ]);
    tree.both(&[
        ("./a.js", "$/a.ts"),
        ("./a.jsx", "$/a.ts"),
        ("./b.js", "$/b.tsx"),
        ("./b.jsx", "$/b.tsx"),
        ("./m.mjs", "$/m.mts"),
        ("./c.cjs", "$/c.cts"),
        ("./both.js", "$/both.js"),
        ("p/x", "$/node_modules/p/x.ts"),
        ("q", "$/node_modules/q/m.ts"),
    ]);
    for missing in ["./a.mjs", "./d.js", "./d", "./m.js"] {
        assert!(tree.import(missing).contains("MODULE_NOT_FOUND"), "{missing}");
    }
    let mut plain = options();
    plain.ts_rewrite = false;
    let found = tree.run(&mut Resolver::os(plain), "./a.js", "m.js", Kind::Import);
    assert!(found.contains("MODULE_NOT_FOUND"));
}

#[test]
fn directories() {
    let tree = Tree::new(&[
        ("index.js", ""),
        ("main/package.json", r#"{"main": "lib"}"#),
        ("main/lib.js", ""),
        ("dirmain/package.json", r#"{"main": "lib/"}"#),
        ("dirmain/lib/index.js", ""),
        ("dot/package.json", r#"{"main": "."}"#),
        ("dot/index.js", ""),
        ("gone/package.json", r#"{"main": "./gone.js"}"#),
        ("gone/index.js", ""),
        ("exports/package.json", r#"{"main": "m.js", "exports": "./e.js"}"#),
        ("exports/m.js", ""),
        ("module/package.json", r#"{"module": "m.js"}"#),
        ("module/m.js", ""),
        ("module/index.js", ""),
        ("only/package.json", r#"{"module": "m.js"}"#),
        ("only/m.js", ""),
        ("sub/x.js", ""),
    ]);
    tree.both(&[
        (".", "$/index.js"),
        ("./", "$/index.js"),
        ("./sub/..", "$/index.js"),
        ("./main", "$/main/lib.js"),
        ("./dirmain", "$/dirmain/lib/index.js"),
        ("./dot", "$/dot/index.js"),
        ("./gone", "$/gone/index.js"),
        // A relative path reaches past `exports`.
        ("./exports", "$/exports/m.js"),
        ("./module", "$/module/index.js"),
        ("./only", "$/only/m.js"),
    ]);
}

#[test]
fn queries_hashes_and_escapes() {
    let tree = Tree::new(&[
        ("a.js", ""),
        ("sp ace.js", ""),
        ("hash#x.js", ""),
        ("q?x.js", ""),
        ("pc%20t.js", ""),
        ("node_modules/p/package.json", r#"{"exports": {".": "./i.js?own", "./*": "./l/*.js"}}"#),
        ("node_modules/p/i.js", ""),
        ("node_modules/p/l/a.js", ""),
        ("node_modules/r/s p.js", ""),
        ("package.json", r##"{"imports": {"#a": "./a.js"}}"##),
    ]);
    tree.imports(&[
        ("./a.js?v=1#h", "$/a.js?v=1#h"),
        ("./a?v", "$/a.js?v"),
        ("./a.js#h", "$/a.js#h"),
        ("./sp%20ace.js", "$/sp ace.js"),
        ("./sp ace.js", "$/sp ace.js"),
        ("./%2e/a.js", "$/a.js"),
        ("./hash%23x.js", "$/hash#x.js"),
        ("./q%3Fx.js", "$/q?x.js"),
        ("./pc%2520t.js", "$/pc%20t.js"),
        // Not what Node reads, but there is such a file.
        ("./pc%20t.js", "$/pc%20t.js"),
        ("./hash#x.js", "$/hash#x.js"),
        ("p", "$/node_modules/p/i.js?own"),
        ("p?v", "$/node_modules/p/i.js?own?v"),
        ("p/a?v", "$/node_modules/p/l/a.js?v"),
        ("r/s%20p.js", "$/node_modules/r/s p.js"),
        ("#a?v", "$/a.js?v"),
    ]);
    tree.requires(&[
        ("./a.js?v=1", "$/a.js?v=1"),
        ("./q?x.js", "$/q?x.js"),
        ("./hash#x.js", "$/hash#x.js"),
        ("p", "$/node_modules/p/i.js"),
        ("p/a?v", "$/node_modules/p/l/a.js?v"),
        ("#a?v", "$/a.js?v"),
    ]);
    for missing in ["./a.js#h", "./sp%20ace.js"] {
        assert!(tree.require(missing).starts_with("MODULE_NOT_FOUND"), "{missing}");
    }
    assert_eq!(
        tree.import("./a%2fb.js"),
        "ERR_INVALID_MODULE_SPECIFIER: Invalid module \"$/a%2fb.js\" must not include encoded \"/\" \
         or \"\\\" characters imported from $/main.mjs"
    );
    // The suffix tells instances apart, the file is the same.
    let mut resolver = tree.resolver();
    let importer = tree.path("main.mjs");
    let one = resolver.resolve("./a.js?1", &importer, Kind::Import).unwrap();
    let two = resolver.resolve("./a.js?2", &importer, Kind::Import).unwrap();
    assert!(std::sync::Arc::ptr_eq(one.file().unwrap(), two.file().unwrap()));
    assert_ne!(one.key(), two.key());
}

#[test]
fn urls() {
    let tree = Tree::new(&[("a b.js", "")]);
    let file = format!("file://{}", tree.path("a%20b.js"));
    let local = format!("file://localhost{}?q", tree.path("a%20b.js"));
    tree.both(&[(&file, "$/a b.js"), (&local, "$/a b.js?q")]);
    tree.both(&[("data:text/javascript,1", "data:text/javascript,1"), ("https://x/y", "https://x/y")]);
    tree.imports(&[("blob:nodedata:1", "blob:nodedata:1"), ("some:thing", "some:thing")]);
    assert!(tree.require("some:thing").starts_with("MODULE_NOT_FOUND"));
    assert_eq!(
        tree.import("file://host/x"),
        format!(
            "ERR_INVALID_FILE_URL_HOST: File URL host must be \"localhost\" or empty on {}",
            if cfg!(target_os = "macos") { "darwin" } else { "linux" }
        )
    );
}

#[test]
fn symbolic_links() {
    let tree = Tree::new(&[
        ("real/pkg/index.js", ""),
        ("real/pkg/b.js", ""),
        ("real/pkg/package.json", r#"{"name": "pkg", "type": "module"}"#),
        ("node_modules/pkg", "-> ../real/pkg"),
        ("link.js", "-> real/pkg/b.js"),
        ("link2.js", "-> ./dir/../link.js"),
        ("dir", "-> real/pkg/.."),
        ("broken.js", "-> nowhere"),
        ("loop.js", "-> loop.js"),
        ("loopdir", "-> loopdir"),
    ]);
    let absolute = format!("-> {}", tree.path("real"));
    tree.write("abs", &absolute);
    tree.both(&[
        ("pkg", "$/real/pkg/index.js"),
        ("pkg/b", "$/real/pkg/b.js"),
        ("./link", "$/real/pkg/b.js"),
        ("./link2.js", "$/real/pkg/b.js"),
        ("./dir/pkg", "$/real/pkg/index.js"),
        ("./abs/pkg/b.js", "$/real/pkg/b.js"),
    ]);
    for missing in ["./broken.js", "./loop.js", "./loopdir/x.js"] {
        assert!(tree.import(missing).starts_with("ERR_MODULE_NOT_FOUND"), "{missing}");
    }
    let mut resolver = tree.resolver();
    let found = resolver.resolve("pkg", &tree.path("m.js"), Kind::Import).unwrap();
    assert!(found.symlinked);
    let file = found.file().unwrap();
    assert_eq!(file.module_format(), ModuleFormat::Module);
    assert!(!file.in_node_modules);
    assert_eq!(tree.short(&resolver.realpath(&tree.path("dir/pkg/none"))), "$/real/pkg/none");
    assert_eq!(tree.short(&resolver.realpath(&tree.path("link2.js"))), "$/real/pkg/b.js");

    let mut preserving = options();
    preserving.preserve_symlinks = true;
    let mut resolver = Resolver::os(preserving);
    let mut run = |s, kind| tree.run(&mut resolver, s, "m.js", kind);
    assert_eq!(run("pkg", Kind::Import), "$/node_modules/pkg/index.js");
    assert_eq!(run("./link", Kind::Require), "$/link.js");
    let entry = |options: Options| tree.run(&mut Resolver::os(options), "link", "", Kind::Entry);
    assert_eq!(entry(options()), "$/real/pkg/b.js");
    let mut main = options();
    main.preserve_symlinks_main = true;
    assert_eq!(entry(main), "$/link.js");
}

#[test]
fn command_line_entries() {
    let tree = Tree::new(&[
        ("foo.ts", ""),
        ("noext", ""),
        ("dir/index.tsx", ""),
        ("pkg/package.json", r#"{"main": "lib/x.js", "exports": "./e.js"}"#),
        ("pkg/lib/x.js", ""),
        ("both.js", ""),
        ("both/index.js", ""),
        ("sp%20ace.js", ""),
        ("tsr.ts", ""),
        ("empty/readme.txt", ""),
        ("badmain/package.json", r#"{"main": "gone.js"}"#),
        ("node_modules/p/index.js", ""),
        ("package.json", r##"{"name": "me", "exports": "./foo.ts", "imports": {"#x": "./foo.ts"}}"##),
    ]);
    let run = |s: &str| tree.run(&mut tree.resolver(), s, "", Kind::Entry);
    for (specifier, expected) in [
        ("foo", "$/foo.ts"),
        ("./foo.ts", "$/foo.ts"),
        ("noext", "$/noext"),
        ("dir", "$/dir/index.tsx"),
        ("dir/", "$/dir/index.tsx"),
        ("pkg", "$/pkg/lib/x.js"),
        ("both", "$/both.js"),
        ("both/", "$/both/index.js"),
        ("sp%20ace", "$/sp%20ace.js"),
        ("tsr.js", "$/tsr.ts"),
        ("node_modules/p", "$/node_modules/p/index.js"),
    ] {
        assert_eq!(run(specifier), expected, "{specifier}");
    }
    assert_eq!(run(&tree.path("foo")), "$/foo.ts");
    assert_eq!(run(&format!("file://{}", tree.path("foo.ts"))), "$/foo.ts");
    for missing in ["p", "me", "#x", "fs", "foo.js?x"] {
        let expected = format!("MODULE_NOT_FOUND: Cannot find module '$/{missing}'");
        assert_eq!(run(missing), expected);
    }
    assert_eq!(
        run("empty"),
        "MODULE_NOT_FOUND: Cannot run directory '$/empty': it has no \"main\" entry and no index file"
    );
    assert_eq!(
        run("badmain"),
        "MODULE_NOT_FOUND: Cannot find module '$/badmain/gone.js'. Please verify that the \
         package.json has a valid \"main\" entry"
    );
}

#[test]
fn builtin_modules() {
    let tree = Tree::new(&[
        ("node_modules/fs/index.js", ""),
        ("node_modules/fs/x.js", ""),
        ("node_modules/test/index.js", ""),
    ]);
    tree.both(&[
        ("fs", "node:fs"),
        ("node:fs/promises", "node:fs/promises"),
        ("bun", "bun"),
        ("bun:sqlite", "bun:sqlite"),
        ("node:test", "node:test"),
        ("test", "$/node_modules/test/index.js"),
        ("fs/", "$/node_modules/fs/index.js"),
        ("fs/x.js", "$/node_modules/fs/x.js"),
        ("node:nope", "ERR_UNKNOWN_BUILTIN_MODULE: No such built-in module: node:nope"),
    ]);
    let mut resolver = tree.resolver();
    assert_eq!(
        tree.run(&mut resolver, "node:nope", "m.js", Kind::RequireResolve),
        "MODULE_NOT_FOUND: Cannot find module 'node:nope'"
    );
}

#[test]
fn require_resolve_options() {
    let tree =
        Tree::new(&[("one/x.js", ""), ("two/y.js", ""), ("two/node_modules/p/index.js", ""), ("np/q/index.js", "")]);
    let mut with_path = options();
    with_path.set_node_path("np::/nowhere", &tree.root);
    let mut resolver = Resolver::os(with_path);
    let paths = [tree.path("one"), tree.path("two")];
    let paths: Vec<&str> = paths.iter().map(|p| &**p).collect();
    let call = CallOptions { paths: Some(&paths), ..CallOptions::default() };
    for (specifier, expected) in
        [("./x", "$/one/x.js"), ("./y", "$/two/y.js"), ("p", "$/two/node_modules/p/index.js"), ("q", "$/np/q/index.js")]
    {
        let found = resolver.resolve_with(specifier, &tree.path("m.js"), Kind::RequireResolve, &call).unwrap();
        assert_eq!(tree.short(found.name()), expected);
    }
    assert_eq!(tree.run(&mut resolver, "q", "m.js", Kind::Import), "$/np/q/index.js");
    let lookup = |s: &str| {
        let paths = resolver.require_resolve_paths(s, "/a/node_modules/b/c.js")?;
        Some(paths.iter().map(|p| tree.short(p)).collect::<Vec<_>>())
    };
    assert_eq!(lookup("fs"), None);
    assert_eq!(lookup("./x").unwrap(), ["/a/node_modules/b"]);
    assert_eq!(
        lookup("x").unwrap(),
        ["/a/node_modules/b/node_modules", "/a/node_modules", "/node_modules", "$/np", "/nowhere"]
    );
}
