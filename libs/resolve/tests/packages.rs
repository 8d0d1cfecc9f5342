//! Bare specifiers: the walk up, `exports`, `imports`, self-reference, conditions, package scope.

mod support;

use resolve::{CallOptions, Kind, ModuleFormat, PackageType, Resolver};
use support::{Tree, options};

#[test]
fn walking_up() {
    let tree = Tree::new(&[
        ("node_modules/a/index.js", ""),
        ("sub/node_modules/a/package.json", r#"{"name": "a"}"#),
        ("sub/node_modules/b/package.json", r#"{"exports": {"./x": "./x.js"}}"#),
        ("node_modules/b/index.js", ""),
        ("sub/node_modules/c/package.json", r#"{"main": "gone"}"#),
        ("node_modules/c/index.js", ""),
        ("node_modules/node_modules/z/index.js", ""),
        ("node_modules/e/s.js", ""),
        ("sub/node_modules/e/other.js", ""),
        ("node_modules/@s/p/index.js", ""),
        ("node_modules/@s/p/x.js", ""),
        ("node_modules/file.js", ""),
        ("node_modules/.hidden/index.js", ""),
    ]);
    let mut resolver = tree.resolver();
    let mut run = |s: &str, kind| tree.run(&mut resolver, s, "sub/deep/er/m.js", kind);
    for kind in [Kind::Import, Kind::Require] {
        // A package without anything to load does not hide one further up.
        assert_eq!(run("a", kind), "$/node_modules/a/index.js");
        assert_eq!(run("c", kind), "$/node_modules/c/index.js");
        assert_eq!(run("e/s", kind), "$/node_modules/e/s.js");
        // One with `exports` does.
        assert!(run("b", kind).starts_with("ERR_PACKAGE_PATH_NOT_EXPORTED"));
        assert!(run("z", kind).contains("MODULE_NOT_FOUND"));
        assert_eq!(run("@s/p", kind), "$/node_modules/@s/p/index.js");
        assert_eq!(run("@s/p/x", kind), "$/node_modules/@s/p/x.js");
        assert_eq!(run("file", kind), "$/node_modules/file.js");
        assert_eq!(run("file.js", kind), "$/node_modules/file.js");
        assert_eq!(run(".hidden", kind), "$/node_modules/.hidden/index.js");
    }
    // From inside node_modules itself.
    let inside = tree.run(&mut resolver, "z", "node_modules/a/index.js", Kind::Import);
    assert!(inside.contains("ERR_MODULE_NOT_FOUND"));
}

#[test]
fn entry_points_without_exports() {
    let tree = Tree::new(&[
        ("node_modules/main/package.json", r#"{"main": "m", "module": "n.js"}"#),
        ("node_modules/main/m.js", ""),
        ("node_modules/main/n.js", ""),
        ("node_modules/gone/package.json", r#"{"main": "gone.js", "module": "n.js"}"#),
        ("node_modules/gone/n.js", ""),
        ("node_modules/gone/index.js", ""),
        ("node_modules/mod/package.json", r#"{"module": "n"}"#),
        ("node_modules/mod/n.js", ""),
        ("node_modules/dist/package.json", r#"{"main": "./dist"}"#),
        ("node_modules/dist/dist.js", ""),
        ("node_modules/dist/dist/index.js", ""),
        ("node_modules/out/package.json", r#"{"main": "../main/n.js"}"#),
        ("node_modules/null/package.json", r#"{"main": "x.js", "exports": null}"#),
        ("node_modules/null/x.js", ""),
        ("node_modules/h.js", ""),
        ("node_modules/h/index.js", ""),
    ]);
    tree.both(&[
        ("main", "$/node_modules/main/m.js"),
        ("main/", "$/node_modules/main/m.js"),
        ("gone", "$/node_modules/gone/index.js"),
        ("mod", "$/node_modules/mod/n.js"),
        ("dist", "$/node_modules/dist/dist.js"),
        ("dist/dist/", "$/node_modules/dist/dist/index.js"),
        ("out", "$/node_modules/main/n.js"),
        ("null", "$/node_modules/null/x.js"),
    ]);
    assert_eq!(tree.require("h"), "$/node_modules/h.js");
    assert_eq!(tree.import("h"), "$/node_modules/h/index.js");
    let mut bundler = options();
    bundler.main_fields = vec!["module".into(), "main".into()];
    let found = tree.run(&mut Resolver::os(bundler), "main", "m.js", Kind::Import);
    assert_eq!(found, "$/node_modules/main/n.js");
}

/// The examples of Node's "Modules: Packages" page, in other words.
#[test]
fn exports() {
    let tree = Tree::new(&[
        (
            "node_modules/ex/package.json",
            r#"{"exports": {
                ".": {"import": "./i.mjs", "require": "./r.cjs"},
                "./*": "./lib/*.js", "./f/*": "./lib/*", "./f/*.ts": "./lib/t/*.js",
                "./private/*": null, "./none": null, "./noext": "./lib/a",
                "./list": [{"deno": "./x.js"}, "lib", "./lib/a.js"], "./first": ["./gone.js", "./lib/a.js"],
                "./nested": {"node": {"import": "./lib/a.js", "require": "./lib/b.js"}, "default": "./lib/c.js"},
                "./other": {"node": {"deno": "./x.js"}, "default": "./lib/c.js"},
                "./up": "../a.js", "./modules": "./node_modules/a.js", "./plain": "lib/a.js", "./seven": 7,
                "./dir": "./lib", "./old/": "./lib/", "./encoded": "./lib/%61.js", "./slash": "./lib%2fa.js"
            }}"#,
        ),
        ("node_modules/ex/i.mjs", ""),
        ("node_modules/ex/r.cjs", ""),
        ("node_modules/ex/lib/a.js", ""),
        ("node_modules/ex/lib/b.js", ""),
        ("node_modules/ex/lib/c.js", ""),
        ("node_modules/ex/lib/t/q.js", ""),
        ("node_modules/main/package.json", r#"{"exports": "./x.js", "main": "./y.js"}"#),
        ("node_modules/main/x.js", ""),
        ("node_modules/none/package.json", r#"{"exports": {}, "main": "./y.js"}"#),
        ("node_modules/mixed/package.json", r#"{"exports": {".": "./x.js", "import": "./y.js"}}"#),
    ]);
    assert_eq!(tree.import("ex"), "$/node_modules/ex/i.mjs");
    assert_eq!(tree.require("ex"), "$/node_modules/ex/r.cjs");
    assert_eq!(tree.import("ex/nested"), "$/node_modules/ex/lib/a.js");
    assert_eq!(tree.require("ex/nested"), "$/node_modules/ex/lib/b.js");
    tree.both(&[
        ("ex/a", "$/node_modules/ex/lib/a.js"),
        ("ex/f/a.js", "$/node_modules/ex/lib/a.js"),
        ("ex/f/q.ts", "$/node_modules/ex/lib/t/q.js"),
        ("ex/f//a.js", "$/node_modules/ex/lib/a.js"),
        ("ex/list", "$/node_modules/ex/lib/a.js"),
        ("ex/other", "$/node_modules/ex/lib/c.js"),
        ("ex/encoded", "$/node_modules/ex/lib/a.js"),
        ("main", "$/node_modules/main/x.js"),
        // Bun's exception; Node refuses.
        ("main/package.json", "$/node_modules/main/package.json"),
    ]);
    let code = |text: String| text.split(':').next().unwrap().to_owned();
    for (specifier, expected) in [
        ("ex/private/p", "ERR_PACKAGE_PATH_NOT_EXPORTED"),
        ("ex/none", "ERR_PACKAGE_PATH_NOT_EXPORTED"),
        ("ex/", "ERR_PACKAGE_PATH_NOT_EXPORTED"),
        ("main/x.js", "ERR_PACKAGE_PATH_NOT_EXPORTED"),
        ("none", "ERR_PACKAGE_PATH_NOT_EXPORTED"),
        ("ex/up", "ERR_INVALID_PACKAGE_TARGET"),
        ("ex/modules", "ERR_INVALID_PACKAGE_TARGET"),
        ("ex/plain", "ERR_INVALID_PACKAGE_TARGET"),
        ("ex/seven", "ERR_INVALID_PACKAGE_TARGET"),
        ("ex/slash", "ERR_INVALID_MODULE_SPECIFIER"),
        ("ex/f/../a.js", "ERR_INVALID_MODULE_SPECIFIER"),
        ("ex/f/%2e%2e/a.js", "ERR_INVALID_MODULE_SPECIFIER"),
        ("ex/f/node_modules/x", "ERR_INVALID_MODULE_SPECIFIER"),
        ("mixed", "ERR_INVALID_PACKAGE_CONFIG"),
    ] {
        assert_eq!(code(tree.import(specifier)), expected, "{specifier}");
        assert_eq!(code(tree.require(specifier)), expected, "{specifier}");
    }
    // Targets are exact: no extensions, no directories, and no second choice for a missing file.
    for specifier in ["ex/noext", "ex/first", "ex/nope"] {
        assert_eq!(code(tree.import(specifier)), "ERR_MODULE_NOT_FOUND", "{specifier}");
        assert_eq!(code(tree.require(specifier)), "MODULE_NOT_FOUND", "{specifier}");
    }
    assert_eq!(code(tree.import("ex/dir")), "ERR_UNSUPPORTED_DIR_IMPORT");
}

#[test]
fn old_folder_mappings() {
    let tree = Tree::new(&[
        ("node_modules/p/package.json", r#"{"exports": {"./d/": "./lib/", "./e/": "./nolib"}}"#),
        ("node_modules/p/lib/a.js", ""),
    ]);
    tree.both(&[("p/d/a.js", "$/node_modules/p/lib/a.js")]);
    assert!(tree.import("p/d/").starts_with("ERR_PACKAGE_PATH_NOT_EXPORTED"));
    assert!(tree.import("p/e/a.js").starts_with("ERR_PACKAGE_PATH_NOT_EXPORTED"));
}

#[test]
fn conditions() {
    let tree = Tree::new(&[
        ("node_modules/p/package.json", r#"{"exports": {"custom": "./c.js", "default": "./d.js"}}"#),
        ("node_modules/p/c.js", ""),
        ("node_modules/p/d.js", ""),
    ]);
    let matches = |condition: &str, kind| {
        let exports = format!(r#"{{"exports": {{"{condition}": "./c.js"}}}}"#);
        tree.write("node_modules/one/package.json", &exports);
        tree.write("node_modules/one/c.js", "");
        tree.resolver().resolve("one", &tree.path("m.js"), kind).is_ok()
    };
    for common in ["bun", "node", "node-addons", "module-sync", "default"] {
        assert!(matches(common, Kind::Import) && matches(common, Kind::Require), "{common}");
    }
    assert!(matches("import", Kind::Import) && !matches("import", Kind::Require));
    assert!(!matches("require", Kind::Import) && matches("require", Kind::Require));
    for foreign in ["browser", "module", "worker", "deno", "types"] {
        assert!(!matches(foreign, Kind::Import), "{foreign}");
    }

    assert_eq!(tree.import("p"), "$/node_modules/p/d.js");
    let mut custom = options();
    custom.add_conditions(["custom"]);
    let mut resolver = Resolver::os(custom);
    assert_eq!(tree.run(&mut resolver, "p", "m.js", Kind::Import), "$/node_modules/p/c.js");
    // Conditions of one call, before and after the resolver's own answer was kept.
    let call = CallOptions { conditions: Some(&["node"]), ..CallOptions::default() };
    let found = resolver.resolve_with("p", &tree.path("m.js"), Kind::Import, &call).unwrap();
    assert_eq!(tree.short(found.name()), "$/node_modules/p/d.js");
    assert_eq!(tree.run(&mut resolver, "p", "m.js", Kind::Import), "$/node_modules/p/c.js");
}

#[test]
fn package_imports() {
    let tree = Tree::new(&[
        (
            "package.json",
            r##"{"name": "self", "imports": {"#a": "./a.js", "#p": "pkg", "#p/*": "pkg/*.js",
                "#fs": "fs", "#node": "node:fs", "#cond": {"import": "./i.js", "require": "./r.js"},
                "#null": null, "#up": "../x.js", "#gone": "./gone.js", "#d/*": "./d/*", "#noext": "./a",
                "#/root/*": "./d/*.js", "#missing": "not-installed", "#url": "https://x/y"}}"##,
        ),
        ("a.js", ""),
        ("i.js", ""),
        ("r.js", ""),
        ("d/q.js", ""),
        ("d/sub/m.js", ""),
        ("node_modules/pkg/index.js", ""),
        ("node_modules/pkg/x.js", ""),
        ("node_modules/pkg/inner/y.js", ""),
        ("plain/package.json", "{}"),
        ("plain/node_modules/#odd/index.js", ""),
    ]);
    tree.both(&[
        ("#a", "$/a.js"),
        ("#p", "$/node_modules/pkg/index.js"),
        ("#p/x", "$/node_modules/pkg/x.js"),
        ("#fs", "node:fs"),
        ("#node", "node:fs"),
        ("#d/q.js", "$/d/q.js"),
        ("#/root/q", "$/d/q.js"),
    ]);
    assert_eq!(tree.import("#cond"), "$/i.js");
    assert_eq!(tree.require("#cond"), "$/r.js");
    let mut resolver = tree.resolver();
    assert_eq!(tree.run(&mut resolver, "#a", "d/sub/m.js", Kind::Import), "$/a.js");
    for (specifier, expected) in [
        ("#null", "ERR_PACKAGE_IMPORT_NOT_DEFINED"),
        ("#nope", "ERR_PACKAGE_IMPORT_NOT_DEFINED"),
        ("#up", "ERR_INVALID_PACKAGE_TARGET"),
        ("#url", "ERR_INVALID_PACKAGE_TARGET"),
        ("#", "ERR_INVALID_MODULE_SPECIFIER"),
        ("#/", "ERR_INVALID_MODULE_SPECIFIER"),
        ("#gone", "ERR_MODULE_NOT_FOUND"),
        ("#noext", "ERR_MODULE_NOT_FOUND"),
    ] {
        assert!(tree.import(specifier).starts_with(expected), "{specifier}");
    }
    assert_eq!(
        tree.import("#missing"),
        "ERR_MODULE_NOT_FOUND: Cannot find package 'not-installed' imported from $/package.json"
    );
    assert_eq!(
        tree.import("#nope"),
        "ERR_PACKAGE_IMPORT_NOT_DEFINED: Package import specifier \"#nope\" is not defined in package \
         $/package.json imported from $/main.mjs"
    );
    // Packages keep their own imports; CommonJS finds packages whose name starts with `#`.
    let inside = tree.run(&mut resolver, "#a", "node_modules/pkg/index.js", Kind::Import);
    assert!(inside.starts_with("ERR_PACKAGE_IMPORT_NOT_DEFINED"));
    assert_eq!(tree.run(&mut resolver, "#odd", "plain/m.js", Kind::Require), "$/plain/node_modules/#odd/index.js");
}

#[test]
fn self_reference() {
    let tree = Tree::new(&[
        ("package.json", r#"{"name": "self", "exports": {".": "./self.js", "./ts": "./t.js"}}"#),
        ("self.js", ""),
        ("t.ts", ""),
        ("sub/m.js", ""),
        ("node_modules/self/index.js", ""),
        ("node_modules/self/x.js", ""),
        ("noexports/package.json", r#"{"name": "lone"}"#),
        ("noexports/node_modules/lone/index.js", ""),
    ]);
    tree.both(&[("self", "$/self.js"), ("self/ts", "$/t.ts")]);
    let expected = "ERR_PACKAGE_PATH_NOT_EXPORTED: Package subpath './x' is not defined by \"exports\" \
                    in $/package.json imported from $/main.";
    assert_eq!(tree.import("self/x"), format!("{expected}mjs"));
    assert_eq!(tree.require("self/x"), format!("{expected}cjs"));
    let found = tree.run(&mut tree.resolver(), "lone", "noexports/m.js", Kind::Import);
    assert_eq!(found, "$/noexports/node_modules/lone/index.js");
}

#[test]
fn scopes_and_formats() {
    let tree = Tree::new(&[
        ("package.json", r#"{"type": "module", "name": "root", "version": "1.0.0"}"#),
        ("a.js", ""),
        ("a.cjs", ""),
        ("src/deep/b.ts", ""),
        ("src/package.json", r#"{"type": "commonjs"}"#),
        ("node_modules/p/index.js", ""),
        ("node_modules/package.json", r#"{"type": "module"}"#),
    ]);
    let mut resolver = tree.resolver();
    let mut format = |specifier: &str| {
        let found = resolver.resolve(specifier, &tree.path("m.js"), Kind::Import).unwrap();
        found.file().unwrap().module_format()
    };
    assert_eq!(format("./a.js"), ModuleFormat::Module);
    assert_eq!(format("./a.cjs"), ModuleFormat::CommonJs);
    assert_eq!(format("./src/deep/b.ts"), ModuleFormat::CommonJs);
    assert_eq!(format("p"), ModuleFormat::Detect);
    let scope = resolver.package_scope(&tree.path("x/y/z.js")).unwrap().unwrap();
    assert_eq!((scope.name(), scope.version()), (Some("root"), Some("1.0.0")));
    assert_eq!(scope.package_type(), PackageType::Module);
    assert_eq!(tree.short(scope.dir()), "$");
    assert!(resolver.package_scope(&tree.path("node_modules/q/z.js")).unwrap().is_none());
    assert!(resolver.package_json(&tree.path("x")).unwrap().is_none());
    assert!(resolver.package_json(&tree.root).unwrap().is_some());
}

#[test]
fn broken_manifests() {
    let tree = Tree::new(&[("package.json", "{\n  \"name\": }"), ("a.js", ""), ("a.mjs", ""), ("data.json", "{}")]);
    let error = tree.error("./a.js", Kind::Import);
    assert_eq!(error.code(), "ERR_INVALID_PACKAGE_CONFIG");
    assert_eq!(
        tree.short(&error.message),
        "Invalid package config $/package.json while importing $/a.js. Expected a value but found '}' at 2:11"
    );
    assert_eq!(error.position, Some((2, 11)));
    assert_eq!(tree.short(error.path.as_deref().unwrap()), "$/package.json");
    // Only files whose meaning depends on `type` suffer.
    tree.both(&[("./a.mjs", "$/a.mjs"), ("./data.json", "$/data.json")]);

    let lenient = Tree::new(&[
        ("node_modules/p/package.json", "\u{feff}{ // comment\n \"main\": \"x.js\", }"),
        ("node_modules/p/x.js", ""),
    ]);
    lenient.both(&[("p", "$/node_modules/p/x.js")]);
}
