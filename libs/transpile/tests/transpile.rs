//! The public interface: what is printed and what is not, the analysis, maps, diagnostics.

use std::sync::Arc;

use transpile::{
    Decorators, Define, FreeNames, ImportPhase, Info, JsxMode, Loader, ModuleHint, ModuleKind, Options, Output,
    SourceMap, may_be_esm, transpile,
};

fn with(source: &str, path: &str, options: &Options) -> Output {
    transpile(source, path, options).unwrap_or_else(|errors| panic!("{}\n{source}", errors[0]))
}

fn info(source: &str, path: &str) -> Info {
    let info = with(source, path, &Options::default()).info;
    assert_eq!(Info::from_bytes(&info.to_bytes()).as_ref(), Some(&info));
    info
}

fn kind(source: &str, path: &str, package: ModuleHint) -> ModuleKind {
    with(source, path, &Options { package_type: package, ..Options::default() }).info.kind
}

fn code(source: &str, path: &str) -> String {
    with(source, path, &Options::default()).code.unwrap_or_else(|| source.to_owned())
}

#[test]
fn plain_javascript_is_left_alone() {
    for source in [
        "const a = 1;\nexport { a };",
        "#!/usr/bin/env bun\nmodule.exports = 1",
        "with (a) b; 010; delete x;",
        "return new.target",
        "var await = 1; await(2)",
        "<!-- html\n--> comment",
        "for (using x of y) ;",
        "class A { #x; static { this.#x } }",
        "import json from './a.json' with { type: 'json' };",
        "",
        "\u{feff}a",
        "/a/v; a?.b ?? c; x ||= 1n",
        "let yield_ = function* () { yield* await_ }",
        "export * as 'x y' from 'm'",
    ] {
        let output = with(source, "a.js", &Options::default());
        assert_eq!((output.code, output.map), (None, None), "{source}");
    }
}

#[test]
fn module_kinds() {
    use ModuleHint::{Cjs, Esm, Unknown};
    use ModuleKind as K;
    // Syntax decides.
    for source in
        ["import 'a'", "export {}", "import.meta.url", "await 1", "for await (const a of b) ;", "export * from 'a'"]
    {
        assert_eq!(kind(source, "a.js", Unknown), K::Esm, "{source}");
        assert_eq!(kind(source, "a.cjs", Cjs), K::Esm, "{source}");
    }
    // Without syntax, the extension, then the package, then CommonJS.
    for (path, package, expected) in [
        ("a.js", Unknown, K::Cjs),
        ("a.mjs", Unknown, K::Esm),
        ("a.mts", Cjs, K::Esm),
        ("a.cjs", Esm, K::Cjs),
        ("a.cts", Esm, K::Cjs),
        ("a.ts", Esm, K::Esm),
        ("a.ts", Cjs, K::Cjs),
        ("a.tsx", Unknown, K::Cjs),
    ] {
        assert_eq!(kind("f()", path, package), expected, "{path} {package:?}");
    }
    assert_eq!(kind("module.exports = 1", "a.js", Esm), K::Cjs, "as Bun");
    assert_eq!(kind("module.exports = 1", "a.mjs", Unknown), K::Esm);
    assert_eq!(kind("f(module)", "a.js", Esm), K::Cjs);
    // Types do not make a module.
    assert_eq!(kind("import type { A } from 'a'; import { B } from 'b'; export type C = B", "a.ts", Unknown), K::Cjs);
    assert_eq!(kind("import type { A } from 'a'; export {}", "a.ts", Unknown), K::Esm);
    // `await` that is no top-level await.
    assert_eq!(kind("async function f() { await 1 } const g = async () => await 2", "a.js", Unknown), K::Cjs);
    // What would be a redeclaration in CommonJS.
    assert_eq!(kind("const require = f(), x = 1", "a.js", Unknown), K::Esm);
    assert_eq!(kind("class module {}", "a.js", Unknown), K::Esm);
    assert_eq!(kind("{ const require = 1 }", "a.js", Unknown), K::Cjs);
    for source in ["module.exports = require('x')", "import (x).then(f)", "exported; $await; important"] {
        assert!(!may_be_esm(source.as_bytes()), "{source}");
    }
    for source in ["export {}", "import'x'", "x;import{a}from'b'", "await\n1"] {
        assert!(may_be_esm(source.as_bytes()), "{source}");
    }
}

#[test]
fn free_names_respect_scopes() {
    let free = |source| info(source, "a.js").free;
    assert_eq!(
        free("module.exports = require('x'); __dirname; typeof __filename; exports.y"),
        FreeNames::MODULE | FreeNames::EXPORTS | FreeNames::REQUIRE | FreeNames::DIRNAME | FreeNames::FILENAME
    );
    for source in [
        "(function (module, exports, require) { module.exports = require(1) })()",
        "a.module; ({ require: 1 }); x.exports",
        "function require() {} require()",
        "{ let module; { module } }",
        "try {} catch (exports) { exports }",
        "var { a: require = 1 } = b; () => require",
        "if (x) { var module } module",
        "for (const require of x) require()",
        "class require {} require",
        "(function module() { module })",
    ] {
        assert!(free(source).is_empty(), "{source}");
    }
    for source in ["{ let module } module", "(module) => 1; module", "function f() { var module } module"] {
        assert_eq!(free(source), FreeNames::MODULE, "{source}");
    }
    // Names that an import declares, whose use keeps the import, and whose calls require nothing.
    for name in ["a.ts", "a.mjs"] {
        let imported =
            info("import { a as require } from './a'; import module from './b'; require('x'); f(module)", name);
        assert!(imported.free.is_empty() && imported.requires.is_empty());
        assert_eq!(imported.imports.len(), 2);
    }
    assert!(info("import type { require } from './a'; require('x')", "a.mts").free.contains(FreeNames::REQUIRE));
    assert!(info("declare const require: any; require('x')", "a.ts").free.contains(FreeNames::REQUIRE));
    assert_eq!(info("require('a'); require(b); x.require('c'); (r => { require('d') })()", "a.js").requires.len(), 2);
    assert!(info("export = 1", "a.cts").free.contains(FreeNames::MODULE));
    // Both systems in one file, as Bun allows.
    let both = info("import fs from 'fs'; module.exports = require('x')", "a.js");
    assert!(both.esm_syntax && both.free.exports_cjs() && both.free.contains(FreeNames::REQUIRE));
}

#[test]
fn imports_and_exports() {
    let found = info(
        "import d, { a, b as c, 'x y' as e } from 'm1' with { type: 'json', 'k': 'v' };\n\
         import * as ns from 'm2'; import 'm3'; import {} from 'm4'; import defer * as late from 'm5';\n\
         export { f, default as g } from 'm6'; export * from 'm7'; export * as h from 'm8';\n\
         export const { i, j: [k] } = x, l = 1; export function m() {} export class n {} export { d as o, d as default };\n\
         import('lit'); import(`no`); import('lit2', {});",
        "a.js",
    );
    let imports: Vec<_> =
        found.imports.iter().map(|i| (i.specifier.as_str(), i.names.join(), i.namespace, i.star)).collect();
    assert_eq!(
        imports,
        [
            ("m1", "default,a,b,x y".into(), false, false),
            ("m2", String::new(), true, false),
            ("m3", String::new(), false, false),
            ("m4", String::new(), false, false),
            ("m5", String::new(), true, false),
            ("m6", "f,default".into(), false, false),
            ("m7", String::new(), false, true),
            ("m8", String::new(), true, false),
        ]
    );
    assert_eq!(found.imports[0].attributes, [("type".into(), "json".into()), ("k".into(), "v".into())]);
    assert_eq!((found.imports[0].offset, found.imports[4].phase), (41, ImportPhase::Defer));
    assert_eq!(found.exports.join(), "f,g,h,i,k,l,m,n,o,default");
    assert_eq!(found.dynamic_imports.iter().map(|d| d.specifier.as_str()).collect::<Vec<_>>(), ["lit", "lit2"]);
    let typed = info(
        "import { A, b } from 'm'; import type C from 'n'; import { type D } from 'o'; let x: A = b; export { type A } from 'p'; export enum E {} export declare const f: 1; export namespace G { export const h = 1 }",
        "a.ts",
    );
    assert_eq!(typed.imports.len(), 1);
    assert_eq!(typed.imports[0].names, ["b"]);
    assert_eq!(typed.exports, ["E", "G"]);
    let types = info("interface A {} type B = 1; declare const c: 1; export { A, B, c }; export default A", "a.ts");
    assert!(types.exports.is_empty() && !types.esm_syntax);
    let jsx = info("export default <div/>", "a.jsx");
    assert_eq!(
        (jsx.imports[0].specifier.as_str(), jsx.imports[0].names.join()),
        ("react/jsx-dev-runtime", "jsxDEV".into())
    );
    let found = info("#!/bin/x\n'use strict'; exports.a = 1", "a.js");
    assert!(found.hashbang && found.use_strict && !found.esm_syntax);
    let options = Options { cjs_exports: true, ..Options::default() };
    assert_eq!(with("exports.a = 1", "a.js", &options).info.cjs_exports.unwrap().names, ["a"]);
    assert_eq!(with("export {}; exports.a = 1", "a.js", &options).info.cjs_exports, None);
}

trait Join {
    fn join(&self) -> String;
}

impl Join for Vec<String> {
    fn join(&self) -> String {
        self.as_slice().join(",")
    }
}

#[test]
fn errors_have_positions() {
    let errors = transpile("let a = 1;\nlet b = ;\n", "dir/a.ts", &Options::default()).unwrap_err();
    assert_eq!((errors[0].file.as_str(), errors[0].line, errors[0].column), ("dir/a.ts", 2, 9));
    assert_eq!(errors[0].excerpt, "let b = ;");
    for (source, path) in
        [("import 'a'; return 1", "a.mjs"), ("let x: number", "a.js"), ("<div>", "a.tsx"), ("@dec", "a.js")]
    {
        assert!(transpile(source, path, &Options::default()).is_err(), "{source}");
    }
    let errors = transpile("class A { constructor(@dec x) {} }", "a.ts", &Options::default()).unwrap_err();
    assert!(errors[0].message.contains("experimentalDecorators"), "{}", errors[0]);
    assert_eq!(errors[0].column, 23);
}

#[test]
fn defines_and_drops() {
    let define = Define::new(&[
        ("process.env.NODE_ENV", "\"production\""),
        ("DEBUG", "false"),
        ("import.meta.env.X", "1"),
        ("A.b", "{\"c\":[1]}"),
    ])
    .unwrap();
    let options = Options { define: Some(Arc::new(define)), source_map: false, ..Options::default() };
    let code = |source| with(source, "a.js", &options).code;
    assert_eq!(
        code("f(process.env.NODE_ENV, DEBUG, process['env'].NODE_ENV)").unwrap(),
        "f(\"production\", false, \"production\");\n"
    );
    assert_eq!(code("export default [import.meta.env.X, A.b]").unwrap(), "export default [1, { \"c\": [1] }];\n");
    assert_eq!(
        code("(DEBUG) => DEBUG; let process; process.env.NODE_ENV").unwrap(),
        "(DEBUG) => DEBUG;\nlet process;\nprocess.env.NODE_ENV;\n"
    );
    assert_eq!(code("f()"), None, "nothing to replace, nothing printed");
    assert!(Define::new(&[("a b", "1")]).is_err() && Define::new(&[("a", "=")]).is_err());
    let options = Options { drop: vec!["console".into(), "debugger".into()], source_map: false, ..Options::default() };
    let source = "console.log(f()); debugger; x = console?.a['b'](); function g(console) { console.log() }";
    let dropped = with(source, "a.js", &options).code.unwrap();
    assert_eq!(dropped, "void 0;\n;\nx = void 0;\nfunction g(console) {\n\tconsole.log();\n}\n");
}

/// Every identifier `mark_N` of the output must map to its place in the source.
fn check_map(source: &str, path: &str, options: &Options) -> (String, SourceMap) {
    let output = with(source, path, options);
    let (code, map) = (output.code.expect("printed"), output.map.expect("a map"));
    let map = SourceMap::from_bytes(&map.to_bytes()).unwrap();
    let place = |text: &str, at: usize| {
        let line_start = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let column = text[line_start..at].encode_utf16().count();
        (text[..at].matches('\n').count() as u32, column as u32)
    };
    let mut found = 0;
    for (at, _) in code.match_indices("mark_") {
        let name: String = code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let (line, column) = place(&code, at);
        let position = map.lookup(line, column).unwrap_or_else(|| panic!("{name} has no position\n{code}"));
        let places: Vec<_> = source.match_indices(&name).map(|(at, _)| place(source, at)).collect();
        assert!(
            places.contains(&(position.line, position.column)),
            "{name}: {position:?} is not in {places:?}\n{code}"
        );
        found += 1;
    }
    assert!(found >= source.matches("mark_").count() / 2, "{code}");
    assert_eq!(map.sources(), [path]);
    (code, map)
}

#[test]
fn maps_of_printed_code() {
    let options = Options::default();
    check_map(
        "enum E { A = mark_1 }\n\nlet é = '日本', x: number = mark_2(\n  mark_3 as any);\n  throw mark_4;",
        "a.ts",
        &options,
    );
    check_map("const a = <div onClick={() => mark_1()}>\n  text {mark_2}\n</div>;", "a.tsx", &options);
    check_map(
        "@mark_1 class A {\n  @mark_2 m() { mark_3() }\n  @mark_4 f = mark_5;\n  static { mark_6() }\n  accessor x = mark_7\n}\nmark_8()",
        "a.js",
        &options,
    );
    let legacy =
        Options { decorators: Decorators::Legacy { emit_metadata: true, strict_null_checks: true }, ..options.clone() };
    check_map("@mark_1() class A {\n  @mark_2 m(@mark_3 a: string) { mark_4() }\n}\nmark_5()", "a.ts", &legacy);
    let minified = Options { reprint: true, minify_whitespace: true, ..options };
    let (code, _) = check_map("if (mark_1) {\n  mark_2();\n} else {\n  mark_3();\n}", "a.js", &minified);
    assert!(!code.trim_end().contains('\n'), "{code}");
}

#[test]
fn erased_code_has_no_map_and_the_same_places() {
    let source =
        "import type { T } from 't';\nfunction f(a: T): asserts a is T {\n  throw new Error('x');\n}\nf(1 as any);\n";
    let output = with(source, "a.ts", &Options::default());
    let code = output.code.unwrap();
    assert_eq!(output.map, None);
    for piece in ["throw new", "Error('x')", "f(1"] {
        assert_eq!(code.find(piece), source.find(piece), "{piece}");
    }
}

#[test]
fn typescript_options() {
    let assign = Options { use_define_for_class_fields: false, source_map: false, ..Options::default() };
    let source = "class A { x: number; y = 1; constructor(private z: number) {} }";
    assert_eq!(
        with(source, "a.ts", &assign).code.unwrap(),
        "class A {\n\tconstructor(z) {\n\t\tthis.z = z;\n\t\tthis.y = 1;\n\t}\n}\n"
    );
    assert_eq!(with("class A { y = 1 }", "a.js", &assign).code, None);
    let verbatim = Options { verbatim_module_syntax: true, ..Options::default() };
    assert_eq!(with("import { T } from 't'", "a.ts", &verbatim).info.imports[0].names, ["T"]);
    assert_eq!(with("import { T } from 't'; enum E {}", "a.ts", &verbatim).info.imports[0].names, ["T"]);
    let mut preserve = Options::default();
    preserve.jsx.mode = JsxMode::Preserve;
    assert_eq!(with("let a: T = <div/>", "a.tsx", &preserve).code.unwrap(), "let a    = <div/>");
    assert_eq!(
        with("import React from 'react'; import b from 'b'; <div/>", "a.tsx", &preserve).code.unwrap(),
        "import React from 'react';                    <div/>"
    );
    assert_eq!(code("let x = <T>y", "a.mts"), "let x =    y");
    assert_eq!(Loader::from_path("a.d.mts"), Some((Loader::Ts, ModuleHint::Esm)));
    assert_eq!(Loader::from_path("a.json"), None);
    assert_ne!(Options::default().fingerprint(), preserve.fingerprint());
}

#[test]
fn fragments_of_commonjs_that_lose_their_imports() {
    // Printing must not turn a CommonJS file into a module by adding `export {}`.
    let output = with("import { T } from 't'; enum E { A } module.exports = E;", "a.ts", &Options::default());
    assert_eq!(output.info.kind, ModuleKind::Cjs);
    assert!(!output.code.unwrap().contains("export {"));
    let output = with("module.exports = <div/>", "a.jsx", &Options::default());
    assert_eq!(output.info.kind, ModuleKind::Cjs);
    assert!(output.code.unwrap().contains("require(\"react/jsx-dev-runtime\")"));
    assert!(output.info.free.contains(FreeNames::REQUIRE));
}
