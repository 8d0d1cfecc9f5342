//! Messages, places looked at, suggestions. The messages were recorded from Node 20.

mod support;

use resolve::{ErrorKind, Kind};
use support::Tree;

#[test]
fn messages_for_import() {
    let tree = Tree::new(&[
        ("a.js", ""),
        ("empty/readme.txt", ""),
        ("node_modules/mainless/x.txt", ""),
        ("node_modules/gone/package.json", r#"{"main": "gone.js"}"#),
        ("node_modules/p/x.js", ""),
        ("node_modules/ex/package.json", r#"{"exports": {"./x": "./gone.js", "./up": "../y", ".": "."}}"#),
    ]);
    tree.imports(&[
        ("./nope.js", "ERR_MODULE_NOT_FOUND: Cannot find module '$/nope.js' imported from $/main.mjs"),
        ("./a%20b?x", "ERR_MODULE_NOT_FOUND: Cannot find module '$/a b' imported from $/main.mjs"),
        ("nope", "ERR_MODULE_NOT_FOUND: Cannot find package 'nope' imported from $/main.mjs"),
        ("@s/nope/x", "ERR_MODULE_NOT_FOUND: Cannot find package '@s/nope' imported from $/main.mjs"),
        ("", "ERR_MODULE_NOT_FOUND: Cannot find package '' imported from $/main.mjs"),
        (
            "mainless",
            "ERR_MODULE_NOT_FOUND: Cannot find package '$/node_modules/mainless/index.js' imported \
             from $/main.mjs",
        ),
        (
            "gone",
            "ERR_MODULE_NOT_FOUND: Cannot find package '$/node_modules/gone/gone.js' imported from \
             $/main.mjs",
        ),
        ("p/nope", "ERR_MODULE_NOT_FOUND: Cannot find module '$/node_modules/p/nope' imported from $/main.mjs"),
        (
            "ex/x",
            "ERR_MODULE_NOT_FOUND: Cannot find module '$/node_modules/ex/gone.js' imported from \
             $/main.mjs",
        ),
        (
            "ex/y",
            "ERR_PACKAGE_PATH_NOT_EXPORTED: Package subpath './y' is not defined by \"exports\" in \
             $/node_modules/ex/package.json imported from $/main.mjs",
        ),
        (
            "ex/up",
            "ERR_INVALID_PACKAGE_TARGET: Invalid \"exports\" target \"../y\" defined for './up' in the \
             package config $/node_modules/ex/package.json imported from $/main.mjs; targets must \
             start with \"./\"",
        ),
        (
            "ex",
            "ERR_INVALID_PACKAGE_TARGET: Invalid \"exports\" main target \".\" defined in the package \
             config $/node_modules/ex/package.json imported from $/main.mjs; targets must start with \
             \"./\"",
        ),
        (
            "./empty",
            "ERR_UNSUPPORTED_DIR_IMPORT: Directory import '$/empty' is not supported resolving ES \
             modules imported from $/main.mjs",
        ),
        (
            "./a.js/",
            "ERR_UNSUPPORTED_DIR_IMPORT: Directory import '$/a.js/' is not supported resolving ES \
             modules imported from $/main.mjs",
        ),
        (
            ".a",
            "ERR_INVALID_MODULE_SPECIFIER: Invalid module \".a\" is not a valid package name imported \
             from $/main.mjs",
        ),
    ]);
}

#[test]
fn messages_for_require() {
    let tree = Tree::new(&[
        ("empty/readme.txt", ""),
        ("dir/package.json", r#"{"main": "x.js"}"#),
        ("node_modules/ex/package.json", r#"{"exports": {"./x": "./gone.js"}}"#),
    ]);
    tree.requires(&[
        ("./nope", "MODULE_NOT_FOUND: Cannot find module './nope'"),
        ("nope/x", "MODULE_NOT_FOUND: Cannot find module 'nope/x'"),
        ("./empty", "MODULE_NOT_FOUND: Cannot find module './empty'"),
        (
            "./dir",
            "MODULE_NOT_FOUND: Cannot find module '$/dir/x.js'. Please verify that the package.json \
             has a valid \"main\" entry",
        ),
        ("ex/x", "MODULE_NOT_FOUND: Cannot find module '$/node_modules/ex/gone.js'"),
        (
            "ex",
            "ERR_PACKAGE_PATH_NOT_EXPORTED: No \"exports\" main defined in \
             $/node_modules/ex/package.json",
        ),
    ]);
    let error = tree.error("./nope", Kind::Require);
    assert_eq!(error.kind, ErrorKind::RequireNotFound);
    assert_eq!(
        error.with_require_stack(&["/b.js", "/a.js"]),
        "Cannot find module './nope'\nRequire stack:\n- /b.js\n- /a.js"
    );
}

#[test]
fn tried_files() {
    let tree = Tree::new(&[("a.js", ""), ("node_modules/p/x.js", "")]);
    let tried = |specifier: &str, kind| -> Vec<String> {
        let error = tree.error(specifier, kind);
        error.tried.iter().map(|p| tree.short(p.to_str().unwrap())).collect()
    };
    let relative = tried("./b.js", Kind::Import);
    assert_eq!(relative[0], "$/b.js");
    assert!(relative.contains(&"$/b.js.ts".into()) && relative.ends_with(&["$/b.ts".into(), "$/b.tsx".into()]));
    assert!(tried("nope", Kind::Require).contains(&"$/node_modules/nope.js".into()));
    assert!(tried("p/y", Kind::Require).contains(&"$/node_modules/p/y.json".into()));
}

#[test]
fn suggestions() {
    let tree = Tree::new(&[
        ("Button.tsx", ""),
        ("helpers.mjs", ""),
        ("src/config.toml", ""),
        ("foo.js", ""),
        ("node_modules/react/index.js", ""),
        ("node_modules/@scope/utils/index.js", ""),
        ("node_modules/ex/package.json", r#"{"exports": {"./lib/x.js": "./lib/x.js"}}"#),
        ("node_modules/ex/lib/x.js", ""),
    ]);
    for (specifier, expected) in [
        ("./button", Some("./Button.tsx")),
        ("./helpers.js", Some("./helpers.mjs")),
        ("./hlepers.mjs", Some("./helpers.mjs")),
        ("./src/config", Some("./src/config.toml")),
        ("foo.js", Some("./foo.js")),
        ("raect", Some("react")),
        ("raect/jsx", Some("react/jsx")),
        ("@scope/util", Some("@scope/utils")),
        ("ex/lib/x", Some("ex/lib/x.js")),
        ("./zzz", None),
        ("vue", None),
    ] {
        let error = tree.error(specifier, Kind::Import);
        assert_eq!(error.suggestion.as_deref(), expected, "{specifier}");
    }
    let hint = tree.error("./button", Kind::Import).hint();
    assert_eq!(hint.as_deref(), Some("Did you mean \"./Button.tsx\"?"));
}
