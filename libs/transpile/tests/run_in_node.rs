//! Runs transpiled programs under Node and compares what they print with tests/programs/NAME.out. A NAME.json is
//! the program's tsconfig.json. Skipped if there is no `node`.

use std::path::{Path, PathBuf};
use std::process::Command;

use transpile::{JsxMode, ModuleKind, Options, transpile};
use tsconfig::TsConfig;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bao-transpile-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn has_node() -> bool {
    Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn run(folder: &Folder, code: &str, extension: &str) -> String {
    let file = folder.0.join(format!("program.{extension}"));
    std::fs::write(&file, code).unwrap();
    let output = Command::new("node").arg(&file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{code}");
    String::from_utf8(output.stdout).unwrap()
}

fn check(file: &str, adjust: impl Fn(&mut Options)) {
    if !has_node() {
        eprintln!("skipped: no node");
        return;
    }
    // Asked for at run time: a target folder that several checkouts share may hold a test that was compiled in another.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo");
    let path = Path::new(&root).join("tests/programs").join(file);
    let source = std::fs::read_to_string(&path).unwrap();
    let expected = std::fs::read_to_string(path.with_extension("out")).unwrap();
    let config = path.with_extension("json");
    let config = config.exists().then(|| TsConfig::load_file(&config).unwrap());
    let mut options = Options::default().with_tsconfig(config.as_ref(), false);
    adjust(&mut options);
    let output = transpile(&source, &path.to_string_lossy(), &options).unwrap_or_else(|e| panic!("{}", e[0]));
    let folder = Folder::new(file);
    let runtime = folder.0.join("node_modules/react");
    std::fs::create_dir_all(&runtime).unwrap();
    for (name, text) in REACT {
        std::fs::write(runtime.join(name), text).unwrap();
    }
    let extension = if output.info.kind == ModuleKind::Esm { "mjs" } else { "cjs" };
    let code = output.code.as_deref().unwrap_or(&source);
    assert_eq!(run(&folder, code, extension), expected, "{file}");
}

/// A runtime that shows what it is called with.
const REACT: [(&str, &str); 4] = [
    ("package.json", r#"{ "name": "react", "exports": { ".": "./index.js", "./*": "./*.js" } }"#),
    (
        "index.js",
        "exports.createElement = (type, props, ...children) => { const { __self, __source, ...rest } = props ?? {}; return { classic: type.name ?? type, props: props && rest, children }; }; exports.Fragment = 'Fragment';",
    ),
    (
        "jsx-runtime.js",
        "exports.jsx = exports.jsxs = (type, props, key) => ({ jsx: type.name ?? type, props, key }); exports.Fragment = 'Fragment';",
    ),
    (
        "jsx-dev-runtime.js",
        "exports.jsxDEV = (type, props, key, isStatic, source) => ({ dev: type.name ?? type, props, key, static: isStatic, line: source && source.lineNumber }); exports.Fragment = 'Fragment';",
    ),
];

#[test]
fn enums() {
    check("enums.ts", |_| {});
}

#[test]
fn namespaces() {
    check("namespaces.ts", |_| {});
}

#[test]
fn classes() {
    check("classes.ts", |_| {});
}

#[test]
fn commonjs() {
    check("commonjs.cts", |_| {});
}

#[test]
fn standard_decorators() {
    check("decorators.ts", |_| {});
}

#[test]
fn legacy_decorators() {
    check("legacy_decorators.ts", |_| {});
}

#[test]
fn decorator_metadata() {
    check("metadata.ts", |_| {});
}

#[test]
fn jsx_development() {
    check("jsx.tsx", |_| {});
}

#[test]
fn using_declarations() {
    check("using.js", |options| options.lower_using = true);
}

#[test]
fn jsx_modes() {
    if !has_node() {
        return;
    }
    let folder = Folder::new("jsx-modes");
    let runtime = folder.0.join("node_modules/react");
    std::fs::create_dir_all(&runtime).unwrap();
    for (name, text) in REACT {
        std::fs::write(runtime.join(name), text).unwrap();
    }
    let show = |source: &str, options: &Options, extension: &str| {
        let output = transpile(source, "a.tsx", options).unwrap();
        run(&folder, &output.code.unwrap(), extension)
    };
    let mut options = Options::default();
    options.jsx.mode = JsxMode::Automatic;
    let source = "console.log(JSON.stringify(<a b='c' key='k'><i/></a>)); export {}";
    let automatic = "{\"jsx\":\"a\",\"props\":{\"b\":\"c\",\"children\":{\"jsx\":\"i\",\"props\":{}}},\"key\":\"k\"}\n";
    assert_eq!(show(source, &options, "mjs"), automatic);
    // Without module syntax the runtime is required, not imported.
    assert_eq!(show(source.trim_end_matches(" export {}"), &options, "cjs"), automatic);
    options.jsx.mode = JsxMode::Classic;
    let source = format!("import * as React from 'react'; {source}");
    let classic = "{\"classic\":\"a\",\"props\":{\"b\":\"c\",\"key\":\"k\"},\"children\":[{\"classic\":\"i\",\"props\":null,\"children\":[]}]}\n";
    assert_eq!(show(&source, &options, "mjs"), classic);
    let source = "/** @jsx h */ const h = (t, p, ...c) => [t, p, c]; const React = { Fragment: 'F' }; console.log(JSON.stringify(<a><></></a>)); export {}";
    assert_eq!(show(source, &options, "mjs"), "[\"a\",null,[[\"F\",null,[]]]]\n");
}
