use super::builtin_module;

fn rewritten(source: &str) -> String {
    let code = builtin_module(source, "lib/x.ts").unwrap_or_else(|e| panic!("{}", e[0]));
    assert_eq!(code.matches('\n').count(), source.matches('\n').count(), "{source}\n{code}");
    let code = code.strip_prefix("\"use strict\"; ").unwrap().trim_end_matches(' ');
    code.split(' ').filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}

fn error(source: &str) -> String {
    let errors = builtin_module(source, "lib/x.ts").expect_err(source);
    format!("{}:{} {}", errors[0].line, errors[0].column, errors[0].message)
}

#[test]
fn imports() {
    assert_eq!(rewritten("import { a, b as c, type T } from 'm'; a(c);"), "const { a, b: c } = require(\"m\"); a(c);");
    assert_eq!(rewritten("import * as ns from 'm'; ns;"), "const ns = require(\"m\"); ns;");
    assert_eq!(rewritten("import d, { a } from 'm'; d(a);"), "const d = require(\"m\"), { a } = d; d(a);");
    assert_eq!(
        rewritten("import { default as d, 'x-y' as e } from 'm'; d(e);"),
        "const d = require(\"m\"), { \"x-y\": e } = d; d(e);"
    );
    assert_eq!(rewritten("import 'm'; import type { T } from 'n'; import { U } from 'o';"), "require(\"m\");");
    assert_eq!(rewritten("import {\n  a,\n  b,\n} from 'm';\na(b);"), "const { a, b } = require(\"m\");\n\n\n\na(b);");
}

#[test]
fn exports() {
    assert_eq!(
        rewritten("export function f(a: number): void {}\nexport async function* g() {}"),
        "exports.f = f; exports.g = g; function f(a ) {}\n async function* g() {}"
    );
    assert_eq!(
        rewritten("export const a: number = 1, { b, c: [d] } = x\nexport class C {}"),
        "const a = 1, { b, c: [d] } = x; exports.a = a; exports.b = b; exports.d = d; \n class C {} exports.C = C;"
    );
    assert_eq!(
        rewritten("export { f, a as b, type T };\nconst a = 1;\nfunction f() {}\ntype T = 1;"),
        "exports.f = f; \nconst a = 1; exports.b = a; \nfunction f() {}\n"
    );
    assert_eq!(
        rewritten("export { a } from 'm'; export { b, default as c } from 'n'; export * as o from 'p';"),
        "exports.a = require(\"m\").a; { const m = require(\"n\"); exports.b = m.b; exports.c = m; } exports.o = require(\"p\");"
    );
    assert_eq!(rewritten("import { a } from 'm';\nexport { a };"), "const { a } = require(\"m\"); exports.a = a; \n");
    assert_eq!(
        rewritten("export function f(a: 1): void;\nexport function f(a: any) {}"),
        "exports.f = f; \n function f(a ) {}"
    );
    assert_eq!(
        rewritten("let a: F;\nclass C { static { a = 1 } }\nexport { a };"),
        "let a ;\nclass C { static { a = 1 } }\nexports.a = a;"
    );
    assert_eq!(
        rewritten("export type T = 1;\nexport interface I {}\nconst a = 1 as T\nexport { a as default };"),
        "\n \nconst a = 1 ; ; module.exports = a; \n"
    );
}

#[test]
fn default_exports() {
    assert_eq!(
        rewritten("const a = 1;\nexport default { a } satisfies T\n"),
        "const a = 1;\nmodule.exports = { a } ; ;\n"
    );
    assert_eq!(rewritten("export default function f() {}"), "module.exports = f; function f() {}");
    assert_eq!(rewritten("export default class C<T> {}"), "class C {} module.exports = C;");
    assert_eq!(rewritten("export default class {}\n(x)"), "module.exports = class {};\n(x)");
    assert_eq!(rewritten("export default x;"), "module.exports = x;");
}

#[test]
fn unsupported() {
    assert!(error("export * from 'm'").starts_with("1:1 `export *`"));
    assert!(error("export const a = 1;\nexport default a;").starts_with("2:1 A built-in module has either"));
    assert!(error("enum A {}").contains("Enums"));
    assert!(error("await 1").contains("await"));
    assert!(error("export let a = 1;\nfunction f() { a++ }").starts_with("1:12 `a` is exported and assigned"));
    assert!(error("let a = 1; function f() { a = 2 }\nexport { a };").contains("assigned again"));
    assert!(error("export { a };\nlet a = 1; a = 2;").contains("assigned again"));
    assert!(error("export { a };").contains("not declared"));
    assert!(error("const native = 1;").contains("parameter"));
    assert!(error("let x: = 1").starts_with("1:"));
}
